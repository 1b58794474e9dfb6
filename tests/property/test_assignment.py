"""The joint matching against SciPy's dense assignment, with weights from their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import best_pairs_of_size, pair_weights
from tests.oracles.shapes import scaled_csr
from tests.solving import solve_sides

from trailprint.kernels.matching.certificate import check_matching
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.metrics import METRICS, largest_constant
from trailprint.kernels.matching.pricing import _price
from trailprint.simulate.calls import simulate_calls

NAMES = sorted(METRICS)


@st.composite
def problems(draw, most=9, n_locations=6):
    """Two count matrices: any shape, empty rows, many ties, identical rows, disjoint supports."""
    n_rows, n_cols = draw(st.integers(1, most)), draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    busy = draw(st.sampled_from([0.1, 0.3, 0.7]))
    top = draw(st.sampled_from([1, 2, 9]))
    released = rng.integers(1, top + 1, (n_rows, n_locations)) * (
        rng.random((n_rows, n_locations)) < busy
    )
    auxiliary = rng.integers(1, top + 1, (n_cols, n_locations)) * (
        rng.random((n_cols, n_locations)) < busy
    )
    if draw(st.booleans()):
        released[:, n_locations // 2 :] = 0
    return released, auxiliary


def solve(name, released, auxiliary, **options):
    metric = METRICS[name]
    sides = scaled_csr(released, metric), scaled_csr(auxiliary, metric)
    return solve_sides(*sides, released.shape[1], metric, **options)


def with_data(counts):
    return np.flatnonzero(counts.sum(1) > 0)


def total_weight(name, released, auxiliary, column):
    rows = np.flatnonzero(column >= 0)
    return np.trace(pair_weights(name, released[rows], auxiliary[column[rows]]))


def assert_proven(name, released, auxiliary, solution):
    """The prices prove the matching, recomputed from scratch on the users with data."""
    metric = METRICS[name]
    rows, cols = with_data(released), with_data(auxiliary)
    join = build_join(
        scaled_csr(released[rows], metric),
        scaled_csr(auxiliary[cols], metric),
        released.shape[1],
        metric,
    )
    place = np.full(auxiliary.shape[0] + 1, -1)
    place[cols] = np.arange(cols.size)
    proof = check_matching(
        join, place[solution.column[rows]], solution.u[rows], solution.v[cols], solution.multiplier
    )
    tiny = 1e-8 * (1 + abs(proof.total_gain))
    assert proof.is_matching
    assert proof.size == (solution.column >= 0).sum()
    assert abs(proof.gap) <= tiny
    assert proof.max_violation <= tiny
    assert proof.total_gain == pytest.approx(solution.total_gain, abs=tiny)
    assert proof.upper_bound == pytest.approx(solution.upper_bound, abs=tiny)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=120, deadline=None)
@given(problem=problems(), seed=st.integers(0, 9))
def test_joint_matching_is_the_best_of_all_maximal_ones(name, problem, seed):
    released, auxiliary = problem
    solution = solve(name, released, auxiliary, seed=seed)
    rows, cols = with_data(released), with_data(auxiliary)
    assert (solution.column[released.sum(1) == 0] == -1).all()
    assert not np.isin(solution.column, np.flatnonzero(auxiliary.sum(1) == 0)).any()
    assert (solution.column >= 0).sum() == min(rows.size, cols.size)
    if rows.size and cols.size:
        weights = pair_weights(name, released[rows], auxiliary[cols])
        best = weights[linear_sum_assignment(weights)].sum()
        found = total_weight(name, released, auxiliary, solution.column)
        assert found == pytest.approx(best, abs=1e-8)
        assert_proven(name, released, auxiliary, solution)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(problem=problems(most=7), data=st.data())
def test_fixed_size_is_the_best_of_that_size(name, problem, data):
    released, auxiliary = problem
    rows, cols = with_data(released), with_data(auxiliary)
    assume(rows.size and cols.size)
    size = data.draw(st.integers(1, min(rows.size, cols.size)))
    solution = solve(name, released, auxiliary, size=size)
    assert (solution.column >= 0).sum() == size
    weights = pair_weights(name, released[rows], auxiliary[cols])
    found = total_weight(name, released, auxiliary, solution.column)
    best = weights[best_pairs_of_size(-weights, size)].sum()
    assert found == pytest.approx(best, abs=1e-8)
    assert_proven(name, released, auxiliary, solution)


def simulated(n_users, *, seed, n_cities=10):
    """Two weeks of simulated calls as dense counts."""
    population = simulate_calls(n_users, n_cities=n_cities, n_antennas=60, seed=seed)
    counts = np.zeros((2, n_users, population.n_antennas), np.int64)
    for k, week in enumerate(population.weeks):
        counts[k, week.user, week.antenna] = week.count
    return counts[0], counts[1]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(150, 150), (150, 90), (90, 150)])
def test_many_rounds_of_candidates_still_reach_scipys_optimum(name, shape, monkeypatch):
    # So few candidates that the answer needs pricing; with many, one round would do.
    monkeypatch.setattr("trailprint.kernels.matching.pricing.FIRST_CANDIDATES", 2)
    monkeypatch.setattr("trailprint.kernels.matching.pricing.MORE_CANDIDATES", 2)
    released, auxiliary = simulated(150, seed=3, n_cities=2)
    released, auxiliary = released[: shape[0]], auxiliary[: shape[1]]
    solution = solve(name, released, auxiliary)
    assert solution.rounds > 1
    weights = pair_weights(name, released, auxiliary)
    best = weights[linear_sum_assignment(weights)].sum()
    rows = np.arange(shape[0])[solution.column >= 0]
    assert weights[rows, solution.column[rows]].sum() == pytest.approx(best, rel=1e-9)
    assert_proven(name, released, auxiliary, solution)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(problem=problems(), seed=st.integers(0, 9))
def test_neighbours_who_share_places_are_matched_as_well_as_shuffled_people(name, problem, seed):
    plain = solve(name, *problem, seed=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trailprint.kernels.matching.reduction.LARGE", 0)
        ordered = solve(name, *problem, seed=seed)
    assert ordered.total_gain == pytest.approx(plain.total_gain, abs=1e-9)
    assert (ordered.column >= 0).sum() == (plain.column >= 0).sum()
    assert ordered.upper_bound == pytest.approx(ordered.total_gain, abs=1e-8)


@pytest.mark.parametrize("large", [0, 10**9])
def test_equally_good_columns_of_other_places_are_matched_at_chance(large, monkeypatch):
    # Everybody gains the same with everybody: a common place, and one that nobody else has.
    monkeypatch.setattr("trailprint.kernels.matching.reduction.LARGE", large)
    own = np.hstack([np.full((30, 1), 2), 3 * np.eye(30, dtype=np.int64), np.zeros((30, 30), int)])
    other = np.hstack([np.full((30, 1), 2), np.zeros((30, 30), int), 3 * np.eye(30, dtype=int)])
    hits = [
        (solve("l1", own, other, seed=seed).column == np.arange(30)).sum() for seed in range(200)
    ]
    assert abs(np.mean(hits) - 1.0) < 5 / np.sqrt(200)


def test_identical_histograms_are_matched_at_chance():
    counts = np.ones((60, 3), np.int64)
    hits = [
        (solve("jensen-shannon", counts, counts, seed=seed).column == np.arange(60)).sum()
        for seed in range(200)
    ]
    # Fixed points of random permutations: mean 1, variance 1.
    assert abs(np.mean(hits) - 1.0) < 5 / np.sqrt(200)
    assert solve("l1", counts, counts).total_gain == pytest.approx(120.0)


def test_tied_but_distinct_columns_are_matched_at_chance():
    # Nobody overlaps: every matching is equally good.
    released = np.repeat(np.eye(2, 6, dtype=np.int64), 20, axis=0) * np.arange(1, 41)[:, None]
    auxiliary = np.roll(released, 3, axis=1)
    hits = [
        (solve("l1", released, auxiliary, seed=seed).column == np.arange(40)).sum()
        for seed in range(200)
    ]
    assert abs(np.mean(hits) - 1.0) < 5 / np.sqrt(200)


def test_the_four_users_of_the_papers_first_table_are_matched():
    # Dormitory, restaurant, library, in percent; the labelled rows are John, Jill, Mary, Mike.
    first = np.array([[75, 15, 10], [31, 30, 39], [15, 15, 70], [15, 65, 20]])
    second = np.array([[33, 33, 34], [70, 20, 10], [15, 60, 25], [15, 20, 65]])
    for name in NAMES:
        assert solve(name, first, second).column.tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize("name", ["jensen-shannon", "likelihood"])
def test_the_number_of_threads_changes_nothing(name):
    released, auxiliary = simulated(300, seed=5)
    one = solve(name, released, auxiliary, n_threads=1, seed=4)
    three = solve(name, released, auxiliary, n_threads=3, seed=4)
    for a, b in zip(one[:-1], three[:-1], strict=True):  # The last is the time it took.
        np.testing.assert_array_equal(a, b)


def test_relabelling_people_changes_neither_weight_nor_proof():
    released, auxiliary = simulated(300, seed=6)
    order = np.random.default_rng(0).permutation(300)
    plain = solve("jensen-shannon", released, auxiliary)
    shuffled = solve("jensen-shannon", released[order], auxiliary)
    assert shuffled.total_gain == pytest.approx(plain.total_gain, rel=1e-12)


def test_a_requested_gap_stops_early_and_reports_a_true_bound(monkeypatch):
    monkeypatch.setattr("trailprint.kernels.matching.pricing.FIRST_CANDIDATES", 2)
    monkeypatch.setattr("trailprint.kernels.matching.pricing.MORE_CANDIDATES", 2)
    released, auxiliary = simulated(400, seed=7)
    exact = solve("jensen-shannon", released, auxiliary)
    rough = solve("jensen-shannon", released, auxiliary, gap=0.2)
    assert rough.rounds < exact.rounds
    assert rough.total_gain <= exact.total_gain + 1e-9
    assert exact.total_gain <= rough.upper_bound + 1e-9
    assert rough.upper_bound - rough.total_gain <= 0.2 * rough.total_gain


def perturb(solution, what):
    """Change a proven solution for the worse."""
    column, u, v = solution.column.copy(), solution.u.copy(), solution.v.copy()
    best = int(np.argmax(solution.gain))
    if what == "swap":
        other = int(np.flatnonzero(solution.gain < solution.gain[best] - 0.1)[0])
        column[[best, other]] = column[[other, best]]
    elif what == "drop":
        column[best] = -1
    elif what == "duplicate":
        column[best] = column[best - 1]
    elif what == "row price":
        u[best] -= 0.01
        v[0] += 0.01
    elif what == "column price":
        v[column[best]] += 0.01
    return column, u, v


@pytest.mark.parametrize("what", ["swap", "drop", "duplicate", "row price", "column price"])
def test_a_wrong_answer_cannot_hide(what):
    released, auxiliary = simulated(200, seed=8)
    metric = METRICS["jensen-shannon"]
    sides = scaled_csr(released, metric), scaled_csr(auxiliary, metric)
    join = build_join(*sides, released.shape[1], metric)
    solution = solve("jensen-shannon", released, auxiliary)
    proof = check_matching(join, solution.column, solution.u, solution.v)
    assert proof.gap <= 1e-6 * proof.total_gain
    assert proof.max_violation < 1e-8
    wrong = check_matching(join, *perturb(solution, what))
    noticed = wrong.gap > 1e-6 * wrong.total_gain or not wrong.is_matching
    assert noticed


def test_the_certificate_sees_a_violation_of_an_unshared_pair():
    # With the likelihood, pairs that share nothing gain too: a low price must not pass.
    counts = np.array([[3, 0, 0], [0, 2, 0], [0, 0, 7]])
    metric = METRICS["likelihood"]
    side = scaled_csr(counts, metric)
    join = build_join(side, side, 3, metric)
    proof = check_matching(join, np.arange(3), np.zeros(3), np.zeros(3))
    assert proof.max_violation > 1.0
    assert join.constant == pytest.approx(largest_constant(join.row_total, join.col_total))


def test_one_user_and_no_user():
    one = np.array([[0, 2]])
    assert solve("jensen-shannon", one, one).column.tolist() == [0]
    assert solve("jensen-shannon", one, one[:, ::-1]).column.tolist() == [0]
    assert solve("jensen-shannon", one, one * 0).column.tolist() == [-1]
    assert solve("likelihood", one, one * 0).column.tolist() == [-1]
    assert solve("likelihood", one, one * 3).column.tolist() == [0]


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_solving_the_largest_component_beside_the_others_changes_nothing(monkeypatch, n_threads):
    week = simulate_calls(400, n_cities=7, n_antennas=60, seed=3).weeks
    sides = _csr_of(week[0], 400), _csr_of(week[1], 400)
    parted = solve_sides(*sides, 60, METRICS["jensen-shannon"], n_threads=n_threads)
    monkeypatch.setattr(
        "trailprint.kernels.matching.solve.split_largest", lambda reduced: [reduced]
    )
    whole = solve_sides(*sides, 60, METRICS["jensen-shannon"])
    np.testing.assert_array_equal(parted.column, whole.column)
    assert parted.upper_bound == pytest.approx(whole.upper_bound, rel=1e-14)


def test_a_part_that_fails_stops_the_whole(monkeypatch):
    week = simulate_calls(100, n_cities=4, n_antennas=20, seed=3).weeks
    sides = _csr_of(week[0], 100), _csr_of(week[1], 100)
    first = iter([True])

    def fail_once(*arguments):
        if next(first, False):
            raise MemoryError
        return _price(*arguments)

    monkeypatch.setattr("trailprint.kernels.matching.pricing._price", fail_once)
    with pytest.raises(MemoryError):
        solve_sides(*sides, 20, METRICS["jensen-shannon"], n_threads=2)


def _csr_of(week, n_users):
    ptr = np.searchsorted(week.user, np.arange(n_users + 1))
    total = np.bincount(week.user, week.count, n_users)
    return ptr, week.antenna.astype(np.int32), week.count / total[week.user]
