"""Slots against the definition: each slot's weight by the textbook, added up."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import best_pairs_of_size, slot_weights

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions, RejectionOptions
from trailprint.features.histograms import Histograms
from trailprint.features.options import HistogramOptions
from trailprint.kernels.matching.metrics import METRICS
from trailprint.workflows.match import match

SLOTTED = sorted(name for name, metric in METRICS.items() if not metric.uses_totals)
HALF = {"jensen-shannon": np.log(2), "l1": 1.0, "cosine": 0.5, "dot": 0.5}
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def histograms(counts: np.ndarray) -> Histograms:
    """Users × slots × locations."""
    n_users, n_slots, n_locations = counts.shape
    return Histograms(
        matrix=sparse.csr_array(counts.reshape(n_users, -1).astype(float)),
        users=pa.array([f"u{i}" for i in range(n_users)]),
        locations=pa.array([f"l{k}" for k in range(n_locations)]),
        slots=WEEK[:n_slots],
    )


@st.composite
def slotted(draw):
    """Two sides of users × slots × locations with many empty slots; every user has data."""
    n_slots, n_locations = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    busy = draw(st.sampled_from([0.3, 0.6, 1.0]))
    sides = []
    for n_users in (draw(st.integers(1, 6)), draw(st.integers(1, 6))):
        counts = rng.integers(0, 4, (n_users, n_slots, n_locations))
        counts *= rng.random((n_users, n_slots, 1)) < busy
        counts[~counts.any(axis=(1, 2)), 0, 0] = 1
        sides.append(counts)
    return sides


@pytest.mark.parametrize("metric", SLOTTED)
@settings(max_examples=60, deadline=None)
@given(pair=slotted())
def test_the_joint_matching_has_the_least_weight_by_slots(metric, pair) -> None:
    weights = slot_weights(metric, *pair)
    best = weights[linear_sum_assignment(weights)].sum()

    linkage = match_histograms(
        histograms(pair[0]), histograms(pair[1]), MatchOptions(metric=metric)
    )

    assert linkage.facts["total_weight"] == pytest.approx(best, abs=1e-9)
    assert linkage.weight == pytest.approx(weights[linkage.released, linkage.auxiliary], abs=1e-9)
    assert linkage.facts["exact"]


@pytest.mark.parametrize("metric", SLOTTED)
@settings(max_examples=30, deadline=None)
@given(pair=slotted(), size=st.integers(1, 6))
def test_a_fixed_number_of_links_has_the_least_weight_by_slots(metric, pair, size) -> None:
    weights = slot_weights(metric, *pair)
    size = min(size, *weights.shape)
    best = weights[best_pairs_of_size(-weights, size)].sum()

    linkage = match_histograms(
        histograms(pair[0]), histograms(pair[1]), MatchOptions(metric=metric, size=size)
    )

    assert linkage.n_links == size
    assert linkage.facts["total_weight"] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("metric", SLOTTED)
@settings(max_examples=30, deadline=None)
@given(pair=slotted())
def test_one_by_one_takes_the_nearest_by_slots(metric, pair) -> None:
    weights = slot_weights(metric, *pair)
    options = MatchOptions(metric=metric, method="one-by-one")

    linkage = match_histograms(histograms(pair[0]), histograms(pair[1]), options)

    assert linkage.weight == pytest.approx(weights.min(axis=1), abs=1e-9)
    assert weights[linkage.released, linkage.auxiliary] == pytest.approx(linkage.weight, abs=1e-9)


@pytest.mark.parametrize("metric", ["jensen-shannon", "l1", "cosine"])
def test_equal_people_seen_on_mondays_only_weigh_nothing(metric) -> None:
    counts = np.zeros((2, 7, 2))
    counts[0, 0], counts[1, 0] = (1, 3), (2, 0)

    linkage = match_histograms(
        histograms(counts), histograms(counts), MatchOptions(metric=metric, margins=True)
    )

    assert linkage.released.tolist() == linkage.auxiliary.tolist()
    assert linkage.weight == pytest.approx([0.0, 0.0], abs=1e-12)
    swapped = slot_weights(metric, counts, counts)[[0, 1], [1, 0]].sum()
    assert linkage.facts["second_best_weight"] == pytest.approx(swapped)


@pytest.mark.parametrize("metric", SLOTTED)
def test_a_slot_empty_on_one_side_costs_half_the_constant(metric) -> None:
    released, auxiliary = np.array([[[1, 0], [0, 2]]]), np.array([[[3, 0], [0, 0]]])

    linkage = match_histograms(
        histograms(released), histograms(auxiliary), MatchOptions(metric=metric)
    )

    assert linkage.weight == pytest.approx([HALF[metric]])
    assert linkage.facts["total_gain"] == pytest.approx(2 * HALF[metric])


def test_of_two_alike_the_one_with_the_same_empty_slots_is_nearer() -> None:
    """Equal on Mondays; one of the two is never seen on Tuesdays."""
    released = np.array([[[1, 1], [0, 0]]])
    auxiliary = np.array([[[1, 1], [1, 1]], [[1, 1], [0, 0]]])

    linkage = match_histograms(histograms(released), histograms(auxiliary))

    assert linkage.auxiliary.tolist() == [1]
    assert linkage.rank(np.array([0]), np.array([1])).n_better.tolist() == [0]
    assert linkage.rank(np.array([0]), np.array([0])).n_better.tolist() == [1]


def test_the_rejection_test_weighs_people_seen_on_mondays_only(make_events) -> None:
    """Both matchings of two equal people weigh nothing: nothing distinguishes them."""
    mondays = [dt.datetime(2024, 5, 6 + 7 * week, 12) for week in range(2)]
    sides = [
        make_events([(who, "hall", monday) for who in "ab"], "user", "location", "start")
        for monday in mondays
    ]

    result = match(
        *sides,
        histograms=HistogramOptions(slots="weekday"),
        rejection=RejectionOptions(reject_lambda=1.0, string_length=1000),
    )

    assert result.to_dict()["total_weight"] == pytest.approx(0.0, abs=1e-12)
    assert result.to_dict()["decision"] == "no-match"
