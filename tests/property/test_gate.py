"""Locations behind the gate count only for pairs that share one before it: the dense twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import gated_gains
from tests.oracles.shapes import to_csr
from tests.solving import solve_sides

from trailprint.kernels.matching.certificate import check_matching
from trailprint.kernels.matching.join import build_join, swap_sides
from trailprint.kernels.matching.lookup import dense_gains, pair_gains
from trailprint.kernels.matching.margins import link_margins
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.kernels.matching.solve import solve_reduced

N_PLACES, N_GATED = 5, 4
METRIC = METRICS["jensen-shannon"]


@st.composite
def problems(draw):
    """Two sides with a place each, in blocks that cannot overlap, and a rhythm everybody shares."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sides = []
    for n in (draw(st.integers(1, 14)), draw(st.integers(1, 14))):
        places = rng.integers(0, 3, (n, N_PLACES)) * (rng.random((n, N_PLACES)) < 0.3)
        places[np.arange(n), rng.integers(0, N_PLACES, n)] += 1
        rhythm = rng.integers(0, 3, (n, N_GATED))
        sides.append(np.hstack([places / places.sum(1, keepdims=True), 0.3 * rhythm]))
    return sides[0], sides[1]


@settings(max_examples=120, deadline=None)
@given(problem=problems())
def test_gated_gains_equal_the_definition_from_both_sides(problem):
    expected = gated_gains(problem[0], problem[1], N_PLACES)
    sides = to_csr(problem[0]), to_csr(problem[1])
    join = build_join(*sides, N_PLACES + N_GATED, METRIC, N_PLACES)
    np.testing.assert_allclose(dense_gains(join), expected, atol=1e-12)
    np.testing.assert_allclose(dense_gains(swap_sides(join)), expected.T, atol=1e-12)
    rows, cols = np.indices(expected.shape).reshape(2, -1)
    np.testing.assert_allclose(pair_gains(join, rows, cols), expected.ravel(), atol=1e-12)


@settings(max_examples=120, deadline=None)
@given(problem=problems(), seed=st.integers(0, 5))
def test_the_best_matching_with_a_gate_is_the_dense_one_and_is_proven(problem, seed):
    expected = gated_gains(problem[0], problem[1], N_PLACES)
    best = expected[linear_sum_assignment(expected, maximize=True)].sum()
    sides = to_csr(problem[0]), to_csr(problem[1])
    n = N_PLACES + N_GATED
    solution = solve_sides(*sides, n, METRIC, gate=N_PLACES, seed=seed)
    assert solution.total_gain == pytest.approx(best, abs=1e-9)
    assert solution.upper_bound == pytest.approx(best, abs=1e-9)
    join = build_join(*sides, n, METRIC, N_PLACES)
    proof = check_matching(join, solution.column, solution.u, solution.v)
    assert proof.is_matching
    assert proof.gap == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(problem=problems(), seed=st.integers(0, 5))
def test_margins_with_a_gate_are_those_of_the_dense_problem(problem, seed):
    expected = gated_gains(problem[0], problem[1], N_PLACES)
    sides = to_csr(problem[0]), to_csr(problem[1])
    reduced = reduce_problem(*sides, N_PLACES + N_GATED, METRIC, seed, N_PLACES)
    solution = solve_reduced(reduced, seed=seed)
    margins = link_margins(reduced, solution.column, solution.u, solution.v)
    best = solution.total_gain
    for row in np.flatnonzero(solution.column >= 0):
        without = expected.copy()
        without[row, solution.column[row]] = -1e6
        chosen = linear_sum_assignment(without, maximize=True)
        second = without[chosen].sum()
        if second < -1e5:
            assert margins.margin[row] == np.inf
        elif not margins.at_least[row]:
            assert margins.margin[row] == pytest.approx(best - second, abs=1e-8)
