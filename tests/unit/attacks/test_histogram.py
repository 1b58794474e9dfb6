"""Histogram matching from histograms to a linkage."""

from itertools import combinations, permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import pair_weights, slot_weights

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.errors import InputError, OptionError
from trailprint.features.histograms import Histograms

METRICS = ("jensen-shannon", "l1", "cosine", "dot", "likelihood")


def histograms(counts, slots=("all",)) -> Histograms:
    counts = np.asarray(counts, dtype=float)
    n_locations = counts.shape[1] // len(slots)
    return Histograms(
        matrix=sparse.csr_array(counts),
        users=pa.array([f"u{i}" for i in range(len(counts))]),
        locations=pa.array([f"l{k}" for k in range(n_locations)]),
        slots=slots,
    )


counts = st.integers(1, 5).flatmap(
    lambda n_locations: st.tuples(
        *[
            st.lists(
                st.lists(st.integers(0, 3), min_size=n_locations, max_size=n_locations).filter(any),
                min_size=1,
                max_size=6,
            )
        ]
        * 2
    )
)


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=60, deadline=None)
@given(pair=counts)
def test_the_joint_matching_has_the_least_weight_by_the_definition(metric, pair) -> None:
    released, auxiliary = (np.array(side, dtype=float) for side in pair)
    weights = pair_weights(metric, released, auxiliary)
    rows, columns = linear_sum_assignment(weights)

    linkage = match_histograms(
        histograms(released), histograms(auxiliary), MatchOptions(metric=metric)
    )

    assert linkage.n_links == len(rows)
    assert len(set(linkage.auxiliary)) == linkage.n_links
    assert linkage.facts["total_weight"] == pytest.approx(weights[rows, columns].sum(), abs=1e-9)
    assert linkage.weight == pytest.approx(weights[linkage.released, linkage.auxiliary], abs=1e-9)
    assert linkage.facts["exact"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("direction", ["released", "auxiliary"])
@settings(max_examples=30, deadline=None)
@given(pair=counts)
def test_one_by_one_takes_a_nearest_record(metric, direction, pair) -> None:
    released, auxiliary = (np.array(side, dtype=float) for side in pair)
    weights = pair_weights(metric, released, auxiliary)
    options = MatchOptions(metric=metric, method="one-by-one", direction=direction)

    linkage = match_histograms(histograms(released), histograms(auxiliary), options)

    nearest = weights.min(axis=1 if direction == "released" else 0)
    assert linkage.n_links == len(nearest)
    chosen = weights[linkage.released, linkage.auxiliary]
    looked_up = linkage.released if direction == "released" else linkage.auxiliary
    assert chosen == pytest.approx(nearest[looked_up], abs=1e-9)


def test_the_papers_four_people_are_matched() -> None:
    """The 2016 paper's Table I: three places, four people on two days."""
    released = [[75, 15, 10], [31, 30, 39], [15, 15, 70], [15, 65, 20]]
    auxiliary = [[33, 33, 34], [70, 20, 10], [15, 60, 25], [15, 20, 65]]

    linkage = match_histograms(histograms(released), histograms(auxiliary))

    assert dict(zip(linkage.released, linkage.auxiliary, strict=True)) == {0: 1, 1: 0, 2: 3, 3: 2}


@pytest.mark.parametrize("method", ["joint", "one-by-one"])
def test_identical_histograms_are_matched_at_chance(method) -> None:
    same = histograms([[1, 2, 3]] * 50)
    correct = [
        int((linkage.released == linkage.auxiliary).sum())
        for seed in range(200)
        for linkage in [match_histograms(same, same, MatchOptions(method=method, seed=seed))]
    ]
    # One of fifty is expected; the mean of 200 draws has a standard error of about 0.07.
    assert 0.7 < np.mean(correct) < 1.3


@pytest.mark.parametrize("method", ["joint", "one-by-one"])
def test_users_without_data_are_never_linked(method) -> None:
    released = histograms([[0, 0], [1, 0], [0, 2]])
    auxiliary = histograms([[0, 3], [0, 0], [1, 0], [0, 0]])

    linkage = match_histograms(released, auxiliary, MatchOptions(method=method))

    assert sorted(linkage.released) == [1, 2]
    assert sorted(linkage.auxiliary) == [0, 2]
    assert (linkage.n_released, linkage.n_auxiliary) == (2, 2)


def test_a_side_without_any_data_is_an_error() -> None:
    with pytest.raises(InputError, match="one has none"):
        match_histograms(histograms([[0, 0]]), histograms([[1, 0]]))


def test_slots_add_up_and_a_slot_empty_on_one_side_weighs_half_the_constant() -> None:
    two_slots = ("first", "second")
    released = histograms([[1, 1, 2, 0]], two_slots)
    same_first_slot_only = histograms([[1, 1, 0, 0]], two_slots)
    both = histograms([[1, 1, 0, 5]], two_slots)

    weights = [
        match_histograms(released, other).facts["total_weight"]
        for other in (released, same_first_slot_only, both)
    ]

    assert weights == pytest.approx([0.0, np.log(2), 2 * np.log(2)], abs=1e-12)


def test_slots_are_scaled_each_on_its_own() -> None:
    two_slots = ("first", "second")
    released = np.array([[8.0, 2, 1, 1], [1, 1, 9, 1]])
    auxiliary = np.array([[2.0, 2, 1, 3], [3, 1, 5, 5]])
    expected = slot_weights("jensen-shannon", released.reshape(2, 2, 2), auxiliary.reshape(2, 2, 2))

    linkage = match_histograms(histograms(released, two_slots), histograms(auxiliary, two_slots))

    assert linkage.weight == pytest.approx(expected[linkage.released, linkage.auxiliary])
    assert linkage.facts["total_weight"] == pytest.approx(
        expected[linear_sum_assignment(expected)].sum()
    )


def test_likelihood_refuses_slots() -> None:
    sides = histograms([[1, 1]], ("a", "b"))
    with pytest.raises(OptionError, match="cannot be used with slots"):
        match_histograms(sides, sides, MatchOptions(metric="likelihood"))


def test_a_fixed_size_keeps_the_best_pairs() -> None:
    released = histograms([[4, 0, 0], [0, 3, 1], [1, 1, 1]])
    auxiliary = histograms([[1, 2, 5], [4, 0, 0], [0, 3, 1]])

    linkage = match_histograms(released, auxiliary, MatchOptions(size=2))

    assert dict(zip(linkage.released, linkage.auxiliary, strict=True)) == {0: 1, 1: 2}
    assert linkage.facts["total_weight"] == pytest.approx(0.0, abs=1e-9)


def test_a_size_beyond_the_smaller_side_is_an_error() -> None:
    with pytest.raises(OptionError, match="at most the 1 users"):
        match_histograms(histograms([[1]]), histograms([[1], [2]]), MatchOptions(size=2))


def test_an_allowed_gap_is_kept() -> None:
    random = np.random.default_rng(0)
    first, second = random.integers(0, 3, (2, 60, 12)) + np.eye(60, 12)
    sides = histograms(first), histograms(second)
    best = match_histograms(*sides).facts["total_gain"]

    loose = match_histograms(*sides, MatchOptions(gap=0.2)).facts

    assert loose["total_gain"] >= best / 1.2 - 1e-9
    assert loose["total_gain"] + loose["optimality_gap"] >= best - 1e-9


@pytest.mark.parametrize("metric", METRICS)
def test_prices_of_a_similar_problem_change_nothing_but_the_work(metric) -> None:
    random = np.random.default_rng(1)
    first, second, auxiliary = (
        histograms(random.integers(0, 4, (40, 10)) + np.eye(40, 10)) for _ in range(3)
    )
    prices = match_histograms(first, auxiliary, MatchOptions(metric=metric)).prices
    assert prices is not None
    for start in (prices, np.full(40, 9.0)):
        warm = match_histograms(second, auxiliary, MatchOptions(metric=metric), start=start)
        cold = match_histograms(second, auxiliary, MatchOptions(metric=metric))
        assert warm.facts["total_weight"] == pytest.approx(cold.facts["total_weight"], rel=1e-9)
        assert warm.facts["exact"]


def test_ranks_count_better_and_tied_candidates() -> None:
    released = histograms([[2, 0, 0], [0, 0, 0]])
    auxiliary = histograms([[1, 1, 0], [3, 0, 0], [0, 1, 0], [5, 0, 0], [0, 0, 0]])
    rank = match_histograms(released, auxiliary).rank

    ranks = rank(np.array([0, 0, 0, 0, 1]), np.array([0, 1, 2, 4, 1]))

    assert list(ranks.n_better[:3]) == [2, 0, 3]
    assert list(ranks.n_tied[:3]) == [1, 2, 1]
    assert list(ranks.n_better[3:]) == [4, 4]  # no data on one side: behind all who have some


def test_margins_say_what_each_link_is_worth() -> None:
    released = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 6]])
    auxiliary = np.array([[3.0, 2, 0], [1, 4, 2], [1, 1, 5]])
    weights = pair_weights("jensen-shannon", released, auxiliary)
    best = weights[linear_sum_assignment(weights)].sum()

    linkage = match_histograms(
        histograms(released), histograms(auxiliary), MatchOptions(margins=True)
    )

    for row, column, margin in zip(
        linkage.released, linkage.auxiliary, linkage.confidence, strict=True
    ):
        without = weights.copy()
        without[row, column] = 1e6
        assert margin == pytest.approx(without[linear_sum_assignment(without)].sum() - best)
    assert linkage.facts["second_best_weight"] == pytest.approx(best + linkage.confidence.min())


def test_margins_of_a_fixed_size_compare_matchings_of_that_size() -> None:
    released = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 6], [2, 2, 2]])
    auxiliary = np.array([[3.0, 2, 0], [1, 4, 2], [1, 1, 5]])
    weights = pair_weights("jensen-shannon", released, auxiliary)
    totals = {
        frozenset(zip(rows, columns, strict=True)): weights[rows, columns].sum()
        for rows in combinations(range(4), 2)
        for columns in permutations(range(3), 2)
    }
    best = min(totals.values())

    linkage = match_histograms(
        histograms(released), histograms(auxiliary), MatchOptions(margins=True, size=2)
    )

    links = list(zip(linkage.released, linkage.auxiliary, strict=True))
    assert totals[frozenset(links)] == pytest.approx(best)
    for link, margin in zip(links, linkage.confidence, strict=True):
        without = min(total for pairs, total in totals.items() if link not in pairs)
        assert margin == pytest.approx(without - best)
    assert linkage.facts["second_best_weight"] == pytest.approx(sorted(totals.values())[1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"metric": "euclid"},
        {"method": "both"},
        {"direction": "up"},
        {"size": 0},
        {"gap": 1.0},
        {"gap": -0.1},
        {"method": "one-by-one", "size": 3},
        {"margins": True, "gap": 0.1},
        {"margins": True, "gap": 0.1, "size": 3},
    ],
)
def test_options_check_themselves(wrong) -> None:
    with pytest.raises(OptionError):
        MatchOptions(**wrong)
