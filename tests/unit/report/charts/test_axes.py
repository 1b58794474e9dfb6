"""Axes: their range and their ticks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.presence import present

from trailprint.report.charts.axes import Axis

positive = st.floats(1e-4, 1e7)


@given(st.lists(st.floats(0, 1e7), min_size=1), st.integers(3, 9))
def test_a_linear_axis_holds_all_values_and_starts_at_zero(values, n_ticks) -> None:
    axis = Axis("x").fit(values, n_ticks=n_ticks)
    assert axis.low == 0
    high = present(axis.high)
    assert high >= max(values) * (1 - 1e-9)
    assert all(0 <= tick <= high * (1 + 1e-9) for tick in present(axis.ticks))


@given(positive, st.integers(4, 8))
def test_ticks_are_few_but_more_than_one(largest, n_ticks) -> None:
    assert 2 <= len(present(Axis("x").fit([largest], n_ticks=n_ticks).ticks)) <= 2 * n_ticks


@given(st.lists(positive, min_size=1))
def test_a_log_axis_holds_all_values(values) -> None:
    axis = Axis("x", kind="log").fit(values)
    assert 0 < present(axis.low) < min(values)
    assert max(values) < present(axis.high)


def test_log_ticks_are_powers_of_ten_or_finer_where_few() -> None:
    assert Axis("x", kind="log").fit([1, 1000]).ticks == (1, 10, 100, 1000)
    assert len(present(Axis("x", kind="log").fit([120, 180]).ticks)) >= 1


def test_shares_end_at_one_but_losses_may_exceed_it() -> None:
    assert Axis("x", unit="percent").fit([0.97]).high == 1.0
    assert present(Axis("x", unit="percent").fit([1.06]).high) > 1.06


def test_nothing_at_all_still_has_an_axis() -> None:
    axis = Axis("x").fit([None, 0.0])
    assert (axis.low, axis.high) == (0.0, 1.0)


def test_values_are_located_between_the_ends() -> None:
    assert Axis("x", low=0, high=10).fit([]).locate(4) == pytest.approx(0.4)
    assert Axis("x", kind="log", low=1, high=100).fit([]).locate(10) == pytest.approx(0.5)


def test_own_labels_travel_as_data_never_as_code() -> None:
    hostile = "'] + alert() + ['"
    axis = Axis("x", ticks=(1.0,), labels=(hostile,)).fit([1.0])
    assert hostile not in axis.channel("x", "x")["axis"]["labelExpr"]
    (lines,) = axis.parameters("x")[0]["value"]
    assert "alert" in " ".join(lines)
