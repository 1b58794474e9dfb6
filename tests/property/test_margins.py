"""Margins and the second-best matching against all matchings there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import best_pairs_of_size, margins_by_trying_all
from tests.oracles.shapes import scaled_csr

from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.lookup import dense_gains
from trailprint.kernels.matching.margins import link_margins
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.kernels.matching.solve import solve_reduced
from trailprint.simulate.calls import simulate_calls

NAMES = sorted(METRICS)


@st.composite
def problems(draw, most=6, n_locations=5):
    """Two count matrices without empty rows: ties, identical rows, pairs that share nothing."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, most)), draw(st.integers(1, most))
    busy = draw(st.sampled_from([0.0, 0.2, 0.5]))
    top = draw(st.sampled_from([1, 3, 20]))
    sides = []
    for n in shape:
        counts = rng.integers(1, top + 1, (n, n_locations))
        counts *= rng.random(counts.shape) < busy
        counts[np.arange(n), rng.integers(0, n_locations, n)] += rng.integers(1, top + 1, n)
        sides.append(counts)
    return sides


def solve_with_margins(name, released, auxiliary, *, size=None, **options):
    metric = METRICS[name]
    sides = scaled_csr(released, metric), scaled_csr(auxiliary, metric)
    reduced = reduce_problem(*sides, released.shape[1], metric, 0)
    solution = solve_reduced(reduced, size=size)
    found = link_margins(
        reduced, solution.column, solution.u, solution.v, multiplier=solution.multiplier, **options
    )
    return solution, found, dense_gains(build_join(*sides, released.shape[1], metric))


@pytest.mark.parametrize("kept", [1, 96])
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=100, deadline=None)
@given(problem=problems())
def test_margins_equal_margins_by_trying_all(name, kept, problem):
    with pytest.MonkeyPatch.context() as patch:
        # With one kept pair per row, most searches have to look at whole rows.
        patch.setattr("trailprint.kernels.matching.margins.KEPT_PAIRS", kept)
        solution, found, gains = solve_with_margins(name, *problem)
    margin, second = margins_by_trying_all(gains, solution.column)
    tiny = 1e-9 * (1 + gains.max())
    np.testing.assert_allclose(found.margin, margin, atol=tiny)
    assert found.second_best == pytest.approx(second, abs=tiny)
    assert not found.at_least.any()
    assert not found.second_best_at_least


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(7, 7), (7, 6), (6, 7)])
def test_margins_of_seven_users_equal_margins_by_trying_all(name, shape):
    rng = np.random.default_rng(7)
    for busy in (0.15, 0.6):
        sides = [
            (rng.random((n, 8)) < busy) * rng.integers(1, 9, (n, 8)) + np.eye(n, 8, dtype=int)
            for n in shape
        ]
        solution, found, gains = solve_with_margins(name, *sides)
        margin, second = margins_by_trying_all(gains, solution.column)
        np.testing.assert_allclose(found.margin, margin, atol=1e-9 * (1 + gains.max()))
        assert found.second_best == pytest.approx(second, abs=1e-9 * (1 + gains.max()))


@pytest.mark.parametrize("kept", [1, 96])
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_margins_of_every_size_equal_margins_by_trying_all(name, kept, problem):
    for size in range(1, min(map(len, problem)) + 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("trailprint.kernels.matching.margins.KEPT_PAIRS", kept)
            solution, found, gains = solve_with_margins(name, *problem, size=size)
        assert np.count_nonzero(solution.column >= 0) == size
        margin, second = margins_by_trying_all(gains, solution.column)
        tiny = 1e-9 * (1 + gains.max())
        np.testing.assert_allclose(found.margin, margin, atol=tiny)
        assert found.second_best == pytest.approx(second, abs=tiny)
        assert not found.at_least.any()
        assert not found.second_best_at_least


def test_a_matching_of_no_pairs_has_no_second_best():
    _, found, _ = solve_with_margins("l1", np.eye(2, dtype=int), np.eye(2, dtype=int), size=0)
    assert np.isnan(found.margin).all()
    assert found.second_best == np.inf
    assert not found.second_best_at_least


def test_a_link_is_replaced_by_the_best_of_those_left_out():
    # Three pairs share 4, 3 and 2 tenths: with two links, the third stands in for either.
    released = np.array([[4, 0, 0, 6, 0], [0, 3, 0, 7, 0], [0, 0, 2, 8, 0]])
    auxiliary = np.array([[4, 0, 0, 0, 6], [0, 3, 0, 0, 7], [0, 0, 2, 0, 8]])
    _, found, _ = solve_with_margins("l1", released, auxiliary, size=2)
    np.testing.assert_allclose(found.margin, [0.4, 0.2, np.nan])


@pytest.mark.parametrize("multiplier", [0.8, 0.9, 1.0])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_margins_are_the_same_whichever_prices_prove_the_matching(multiplier, share):
    # Two links gain 1; the first pair would gain 0.9 each with the users left out.
    released = np.array(
        [[10, 9, 0, 0, 1, 0], [0, 0, 0, 10, 10, 0], [0, 0, 9, 0, 11, 0]],
    )
    auxiliary = np.array(
        [[10, 0, 9, 0, 0, 1], [0, 0, 0, 10, 0, 10], [0, 9, 0, 0, 0, 11]],
    )
    metric = METRICS["l1"]
    reduced = reduce_problem(
        scaled_csr(released, metric), scaled_csr(auxiliary, metric), 6, metric, 0
    )
    worth = 1.0 - multiplier
    u = np.array([0.5 * worth, share * worth, 0.0])
    v = np.array([0.5 * worth, (1.0 - share) * worth, 0.0])
    found = link_margins(reduced, np.array([0, 1, -1]), u, v, multiplier=multiplier)
    np.testing.assert_allclose(found.margin, [0.1, 0.2, np.nan])
    assert found.second_best == pytest.approx(0.1)


@settings(max_examples=60, deadline=None)
@given(
    problem=problems(),
    cap=st.floats(0.01, 1.0),
    most_nodes=st.sampled_from([1, 2, 5000]),
    size=st.sampled_from([None, 1, 2, 3, 5]),
)
def test_capped_margins_are_true_lower_bounds(problem, cap, most_nodes, size):
    solution, found, gains = solve_with_margins(
        "jensen-shannon", *problem, cap=cap, most_nodes=most_nodes, size=size
    )
    margin, second = margins_by_trying_all(gains, solution.column)
    sure = ~found.at_least & (solution.column >= 0)
    unsure = found.at_least
    np.testing.assert_allclose(found.margin[sure], margin[sure], atol=1e-9)
    assert (found.margin[unsure] <= margin[unsure] + 1e-9).all()
    if not found.second_best_at_least:
        assert found.second_best == pytest.approx(second, abs=1e-9)
    else:
        assert found.second_best <= second + 1e-9


def simulated(n_users, n_columns):
    """A simulated population as dense counts of both weeks."""
    population = simulate_calls(n_users, n_cities=3, n_antennas=40, seed=2)
    counts = np.zeros((2, n_users, population.n_antennas), np.int64)
    for k, week in enumerate(population.weeks):
        counts[k, week.user, week.antenna] = week.count
    return counts[0], counts[1][:n_columns]


@pytest.mark.parametrize("n_columns", [120, 100])
def test_margins_of_a_population_equal_solving_again_without_the_link(n_columns):
    solution, found, gains = solve_with_margins("jensen-shannon", *simulated(120, n_columns))
    best = gains[linear_sum_assignment(gains, maximize=True)].sum()
    for i in np.flatnonzero(solution.column >= 0)[::5]:
        without = gains.copy()
        without[i, solution.column[i]] = -1000.0
        again = without[linear_sum_assignment(without, maximize=True)].sum()
        assert found.margin[i] == pytest.approx(best - again, abs=1e-9)


@pytest.mark.parametrize(("name", "n_columns"), [("jensen-shannon", 120), ("likelihood", 100)])
def test_margins_of_a_fixed_size_equal_solving_again_without_the_link(name, n_columns):
    solution, found, gains = solve_with_margins(name, *simulated(120, n_columns), size=60)
    best = gains[best_pairs_of_size(gains, 60)].sum()
    assert solution.total_gain == pytest.approx(best)
    assert not found.at_least.any()
    for i in np.flatnonzero(solution.column >= 0)[::3]:
        without = gains.copy()
        without[i, solution.column[i]] = -1e6
        again = without[best_pairs_of_size(without, 60)].sum()
        assert found.margin[i] == pytest.approx(best - again, abs=1e-9 * best)


@pytest.mark.parametrize("size", [None, 60])
def test_the_number_of_threads_changes_nothing(size):
    _, one, _ = solve_with_margins("l1", *simulated(120, 120), size=size, n_threads=1)
    _, three, _ = solve_with_margins("l1", *simulated(120, 120), size=size, n_threads=3)
    np.testing.assert_array_equal(one.margin, three.margin)
    np.testing.assert_array_equal(one.at_least, three.at_least)
