"""Bounds that follow prices: never below what a pair is worth, and tight where all rise alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import gated_gains
from tests.oracles.shapes import scaled_csr
from tests.solving import solve_sides

from trailprint.kernels.matching import moves
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.lookup import dense_gains
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.moves import PriceMoves, least_risen
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.simulate.calls import simulate_calls

METRIC = METRICS["jensen-shannon"]
N_LOCATIONS = 6


@st.composite
def problems(draw):
    """Two sides whose people all share a place or none, a gate, and the gains of all pairs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    sides = [rng.integers(0, 3, (n, N_LOCATIONS)) * rng.integers(0, 2, (n, 1)) for n in shape]
    gate = draw(st.integers(1, N_LOCATIONS))
    for side in sides:
        side[side[:, :gate].sum(1) == 0, 0] = 1
    own = [side / side.sum(1, keepdims=True) for side in sides]
    released, auxiliary = (scaled_csr(side, METRIC) for side in sides)
    join = build_join(released, auxiliary, N_LOCATIONS, METRIC, gate)
    return join, gated_gains(own[0], own[1], gate), rng


def best_profits(gains, price):
    """The profit of each row's best overlapping pair."""
    return np.where(gains > 0, gains - price, -np.inf).max(1)


@settings(max_examples=200, deadline=None)
@given(
    problem=problems(),
    share=st.sampled_from([0.0, 0.3, 1.0]),
    least_work=st.sampled_from([0, 10**9]),
)
def test_bounds_hold_at_the_new_prices(problem, share, least_work):
    join, gains, rng = problem
    before = rng.random(join.n_cols)
    price = np.maximum(0.0, before + rng.normal(0.1, 0.2, join.n_cols))
    bound, expected = best_profits(gains, before), best_profits(gains, price)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moves, "SHARES", (share,))
        PriceMoves(join, np.array([0, join.n_cols]), least_work).follow(
            bound, price - before, price, lambda left: np.ones(left.size, bool), 1
        )
    assert (bound >= expected - 1e-12).all()


@settings(max_examples=100, deadline=None)
@given(problem=problems(), rise=st.floats(0.0, 2.0))
def test_bounds_fall_by_what_all_prices_rise(problem, rise):
    join, gains, rng = problem
    before = rng.random(join.n_cols)
    bound, expected = best_profits(gains, before), best_profits(gains, before + rise)
    PriceMoves(join, np.array([0, join.n_cols]), least_work=0).follow(
        bound, np.full(join.n_cols, rise), before + rise, lambda left: np.ones(left.size, bool), 2
    )
    np.testing.assert_allclose(bound, expected, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(problem=problems())
def test_the_least_rise_is_that_of_columns_a_row_shares_a_place_with(problem):
    join, gains, rng = problem
    rise = rng.normal(size=join.n_cols)
    expected = np.where(gains > 0, rise, np.inf).min(1)
    np.testing.assert_array_equal(least_risen(join, rise), expected)


def test_the_matching_is_the_best_whether_moves_are_followed_or_not(monkeypatch):
    week = simulate_calls(3_000, n_cities=2, n_antennas=40, seed=5).weeks
    released, auxiliary = (scaled_csr(_counts(one, 3_000, 40), METRIC) for one in week)
    found = []
    for least_work in (0, 10**12):
        monkeypatch.setattr(moves, "LEAST_WORK", least_work)
        found.append(solve_sides(released, auxiliary, 40, METRIC, n_threads=2))
    reduced = reduce_problem(released, auxiliary, 40, METRIC, 0)
    gains = dense_gains(reduced.join)[reduced.row_group][:, reduced.col_group]
    best = gains[linear_sum_assignment(gains, maximize=True)].sum()
    for solution in found:
        assert solution.total_gain == pytest.approx(best, rel=1e-12)
        assert solution.upper_bound == pytest.approx(best, rel=1e-12)


def _counts(week, n_users, n_antennas):
    counts = np.zeros((n_users, n_antennas), np.int64)
    np.add.at(counts, (week.user, week.antenna), week.count)
    return counts
