"""Two rates compared: against definitions, enumeration and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.oracles.rates import tango_score_by_definition

from trailprint.evaluation.differences import (
    PairedCounts,
    highest_p_value,
    mcnemar_exact,
    newcombe_interval,
    tango_interval,
)
from trailprint.evaluation.intervals import wilson

cells = st.integers(0, 40)
Z = stats.norm.ppf(0.975)


@st.composite
def tables(draw) -> PairedCounts:
    drawn = draw(st.tuples(cells, cells, cells, cells).filter(any))
    names = ("both", "only_first", "only_second", "neither")
    return PairedCounts(**dict(zip(names, drawn, strict=True)))


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_a_binomial_test_of_one_half(first, second):
    if first + second == 0:
        assert mcnemar_exact(first, second) == 1.0
        return
    expected = stats.binomtest(first, first + second, 0.5).pvalue
    assert mcnemar_exact(first, second) == pytest.approx(expected, rel=1e-9)


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_by_enumeration(first, second):
    """The share of all ways to change sides that are as uneven as this one, or more so."""
    n = first + second
    ways = np.array([float(stats.binom.pmf(k, n, 0.5)) for k in range(n + 1)])
    uneven = np.abs(np.arange(n + 1) - n / 2) >= abs(first - n / 2)
    assert mcnemar_exact(first, second) == pytest.approx(ways[uneven].sum(), rel=1e-9)


@settings(deadline=None)
@given(st.integers(1, 60), st.data())
def test_no_table_with_these_totals_has_a_larger_p_value(people, data):
    first, second = (data.draw(st.integers(0, people)) for _ in range(2))
    least, most = max(0, first + second - people), min(first, second)
    every = [mcnemar_exact(first - both, second - both) for both in range(least, most + 1)]
    assert highest_p_value(first, second, people) == pytest.approx(max(every))


@settings(deadline=None)
@given(tables())
def test_tango_holds_what_the_score_test_does_not_reject(counts):
    low, high = tango_interval(counts)
    assert -1 <= low <= counts.difference <= high <= 1
    for difference in np.linspace(-0.99, 0.99, 67):
        score = abs(tango_score_by_definition(counts, difference))
        if low + 1e-6 < difference < high - 1e-6:
            assert score < Z + 1e-3
        elif difference < low - 1e-6 or difference > high + 1e-6:
            assert score > Z - 1e-3


@settings(deadline=None)
@given(tables())
def test_swapping_the_two_turns_the_interval_round(counts):
    swapped = PairedCounts(
        both=counts.both,
        only_first=counts.only_second,
        only_second=counts.only_first,
        neither=counts.neither,
    )
    low, high = tango_interval(counts)
    assert tango_interval(swapped) == pytest.approx((-high, -low), abs=1e-7)


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(1, 50), st.integers(0, 50), st.integers(1, 50))
def test_newcombe_against_its_definition(first, more_first, second, more_second):
    n_first, n_second = first + more_first, second + more_second
    low, high = newcombe_interval(first, n_first, second, n_second)
    p, q = first / n_first, second / n_second
    l1, u1 = wilson(first, n_first) or (0, 1)
    l2, u2 = wilson(second, n_second) or (0, 1)
    assert low == pytest.approx(q - p - np.sqrt((q - l2) ** 2 + (u1 - p) ** 2))
    assert high == pytest.approx(q - p + np.sqrt((u2 - q) ** 2 + (p - l1) ** 2))
    assert -1 - 1e-12 <= low <= q - p <= high <= 1 + 1e-12


def test_newcombe_of_a_published_table():
    """56 of 70 and 48 of 80: 0.0524 to 0.3339 (Newcombe 1998, method 10)."""
    low, high = newcombe_interval(48, 80, 56, 70)
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.3), (0.6, 0.2), (0.2, 0.1)])
def test_tango_covers_the_truth_about_as_often_as_it_says(first, second):
    """Counts the tables an interval of 95 % covers, weighted by how likely they are."""
    n = 25
    # The same people, found independently.
    chances = [first * second, first * (1 - second), (1 - first) * second]
    chances.append(1 - sum(chances))
    covered = 0.0
    for only_first in range(n + 1):
        for only_second in range(n + 1 - only_first):
            rest = n - only_first - only_second
            counts = PairedCounts(
                both=rest, only_first=only_first, only_second=only_second, neither=0
            )
            likely = stats.multinomial.pmf(
                [only_first, only_second, rest],
                n,
                [chances[1], chances[2], chances[0] + chances[3]],
            )
            low, high = tango_interval(counts)
            covered += likely * (low <= second - first <= high)
    assert 0.93 < covered < 0.985
