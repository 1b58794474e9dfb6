"""From links and truth to risk."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from tests.presence import present

from trailprint.errors import InputError
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.risk import (
    margin_for_precision,
    measure_risk,
    precision_at_coverage,
    rate_links,
)
from trailprint.evaluation.truth import Truth, truth_from_ids, truth_from_pairs
from trailprint.linkage import Linkage, Ranks


def linkage(released, auxiliary, confidence=None, sizes=(4, 5)) -> Linkage:
    n = len(released)
    return Linkage(
        released=np.array(released),
        auxiliary=np.array(auxiliary),
        weight=np.zeros(n),
        confidence=np.array(confidence if confidence is not None else [1.0] * n),
        confidence_is_least=np.zeros(n, dtype=bool),
        n_released=sizes[0],
        n_auxiliary=sizes[1],
        rank=lambda rows, columns: Ranks(n_better=rows, n_tied=columns),
    )


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_scipys(counts) -> None:
    expected = binomtest(*counts).proportion_ci(0.95, method="wilson")
    assert wilson(*counts) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.integers(1, 500))
def test_intervals_of_nobody_and_of_everybody_reach_0_and_1(n) -> None:
    assert present(wilson(0, n))[0] == 0
    assert present(wilson(n, n))[1] == 1


def test_there_is_no_interval_of_nothing() -> None:
    assert wilson(0, 0) is None


def test_rates_are_of_those_who_can_be_found_and_of_links_made() -> None:
    truth = Truth.from_partner(np.array([0, 1, -1, 4]), "same-ids")
    risk = measure_risk(linkage([0, 1, 2], [0, 2, 3]), truth)
    assert risk is not None
    assert (risk.n_common, risk.n_matched, risk.n_correct) == (3, 3, 1)
    assert risk.accuracy == pytest.approx(1 / 3)
    assert risk.precision == pytest.approx(1 / 3)
    assert risk.chance == pytest.approx(3 / 20)


def test_chance_is_what_random_links_achieve() -> None:
    random = np.random.default_rng(0)
    truth = Truth.from_partner(np.arange(4), "same-ids")
    rates = []
    for _ in range(4000):
        links = linkage(np.arange(4), random.permutation(5)[:4])
        risk = present(measure_risk(links, truth))
        rates.append(present(risk.accuracy))
    assert risk.chance == pytest.approx(4 / 20)
    assert np.mean(rates) == pytest.approx(4 / 20, abs=0.02)


def test_nothing_to_link_has_no_rates() -> None:
    risk = rate_links(0, 0, 0, 0)
    assert (risk.accuracy, risk.accuracy_interval, risk.precision, risk.chance) == (None,) * 4


def test_without_truth_there_is_no_risk() -> None:
    truth = truth_from_ids(pa.array(["a", "b"]), pa.array(["c"]))
    assert truth.source == "none"
    assert measure_risk(linkage([0], [0]), truth) is None


def test_equal_ids_are_the_truth() -> None:
    truth = truth_from_ids(pa.array(["a", "b", "d"]), pa.array(["b", "c", "d"]))
    assert list(zip(truth.released, truth.auxiliary, strict=True)) == [(1, 0), (2, 2)]
    assert (truth.n_common, truth.source) == (2, "same-ids")
    assert truth_from_ids(pa.array(["a", "b"]), pa.array(["b"])).source == "same-ids"


def test_a_truth_file_names_pairs_and_may_name_strangers() -> None:
    pairs = pa.table({"released": ["r1", "x", "r0"], "auxiliary": ["a0", "a1", "a1"]})
    truth = truth_from_pairs(pairs, pa.array(["r0", "r1", "r2"]), pa.array(["a0", "a1"]))
    assert list(zip(truth.released, truth.auxiliary, strict=True)) == [(0, 1), (1, 0)]
    assert truth.source == "file"


def test_a_record_in_two_pairs_is_an_error_that_names_nobody() -> None:
    pairs = pa.table({"released": ["r0", "r0"], "auxiliary": ["a0", "a1"]})
    with pytest.raises(InputError, match="at most once") as caught:
        truth_from_pairs(pairs, pa.array(["r0"]), pa.array(["a0", "a1"]))
    assert "r0" not in str(caught.value)


def test_a_truth_about_nobody_is_an_error() -> None:
    pairs = pa.table({"released": ["x"], "auxiliary": ["y"]})
    with pytest.raises(InputError, match="none is"):
        truth_from_pairs(pairs, pa.array(["r0"]), pa.array(["a0"]))


links_with_margins = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=30)


@given(links_with_margins)
def test_precision_at_coverage_equals_a_naive_count(links) -> None:
    margins = [margin for margin, _ in links]
    n = len(links)
    partner = np.array([i if right else n + i for i, (_, right) in enumerate(links)])
    made = linkage(np.arange(n), np.arange(n), [float(m) for m in margins], (n, 2 * n))

    points = precision_at_coverage(made, Truth.from_partner(partner, "file"))

    assert [point.margin for point in points] == sorted(set(margins), reverse=True)
    for point in points:
        kept = [right for margin, right in links if margin >= point.margin]
        assert point.links == len(kept)
        assert point.coverage == pytest.approx(len(kept) / n)
        assert point.precision == pytest.approx(sum(kept) / len(kept))


def test_the_margin_for_a_precision_keeps_as_much_as_it_can() -> None:
    truth = Truth.from_partner(np.array([0, 1, 2, 0]), "file")
    made = linkage([0, 1, 2, 3], [0, 1, 4, 3], [4.0, 3.0, 2.0, 1.0])
    point = margin_for_precision(made, truth, 0.6)
    assert point is not None
    assert (point.margin, point.links) == (2.0, 3)
    assert margin_for_precision(linkage([3], [3]), truth, 0.5) is None
