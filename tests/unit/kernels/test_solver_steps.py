"""The steps of exact matching, each against its definition or SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import (
    best_pairs_of_size,
    bid_one_by_one,
    jensen_shannon_gains,
    pair_weights,
    shortest_ways,
)
from tests.oracles.shapes import to_csr

from trailprint.kernels.csr import transpose_csr
from trailprint.kernels.matching.auction import BIDS_PER_ROW, bid_rows
from trailprint.kernels.matching.candidates import BestPairs
from trailprint.kernels.matching.cardinality import solve_size
from trailprint.kernels.matching.cycles import build_half, nearest_detour, super_node_distances
from trailprint.kernels.matching.disjoint import group_totals, unshared_pairs
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.margins import _residual
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.paths import place_all
from trailprint.kernels.matching.transport import (
    add_candidates,
    add_gains,
    build_state,
    read_flows,
    solve_candidates,
)

JS = METRICS["jensen-shannon"]


def gains_strategy():
    """Small matrices of gains with ties and zeros."""
    return st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 7)).map(_gains)


def _gains(shape):
    seed, n, m = shape
    rng = np.random.default_rng(seed)
    return rng.integers(0, 5, (n, m)) * (rng.random((n, m)) < 0.7) / 4


def state_of(gains, capacity=None):
    """A problem whose candidates are all pairs that gain something."""
    n, m = gains.shape
    one = np.array([0, n]), np.array([0, m])
    capacity = np.ones(m, np.int64) if capacity is None else capacity
    state = build_state(np.ones(n, np.int64), capacity, *one)
    order = np.argsort(-gains, axis=1, kind="stable").astype(np.int32)
    pairs = BestPairs(
        column=order,
        gain=np.take_along_axis(gains, order, 1),
        kept=(gains > 0).sum(1).astype(np.int32),
        bound=np.full(n, -np.inf),
        overlap=np.zeros(n, np.int64),
    )
    return add_candidates(state, np.arange(n), pairs)


def lift(state, gains):
    """Row prices that no candidate violates."""
    state.rows.price[:] = np.maximum(gains.max(axis=1, initial=0.0), 0.0)


def check_prices(state, gains):
    """Prices are feasible and flows tight: what searches may start from."""
    u, v = state.rows.price, state.cols.price
    assert (u[:, None] + v >= gains - 1e-9)[gains > 0].all()
    flows = read_flows(state)
    assert u[flows.row] + v[flows.col] == pytest.approx(gains[flows.row, flows.col], abs=1e-9)
    assert len(np.unique(flows.row)) == len(flows.row)
    assert len(np.unique(flows.col)) == len(flows.col)


@settings(max_examples=100, deadline=None)
@given(gains=gains_strategy())
def test_gains_of_flows_add_up_to_those_of_their_pairs(gains):
    state = state_of(gains)
    assert add_gains(state, read_flows(state)) == 0.0
    solve_candidates(state)
    flows = read_flows(state)
    expected = (gains[flows.row, flows.col] * flows.units).sum()
    assert add_gains(state, flows) == pytest.approx(expected)
    assert expected == pytest.approx(gains[linear_sum_assignment(-gains)].sum())


@settings(max_examples=100, deadline=None)
@given(gains=gains_strategy(), seed=st.integers(0, 2**32 - 1))
def test_candidates_that_come_in_several_goes_are_by_column_as_they_are_by_row(gains, seed):
    rng = np.random.default_rng(seed)
    n, m = gains.shape
    one = np.array([0, n]), np.array([0, m])
    state = build_state(np.ones(n, np.int64), np.ones(m, np.int64), *one)
    for _ in range(3):
        rows = np.flatnonzero(rng.random(n) < 0.6)
        column = np.array([rng.permutation(m) for _ in rows], np.int32).reshape(-1, m)
        kept = rng.integers(0, m + 1, len(rows)).astype(np.int32)
        nothing = np.zeros(len(rows)), np.zeros(len(rows), np.int64)
        pairs = BestPairs(column, np.take_along_axis(gains[rows], column, 1), kept, *nothing)
        state = add_candidates(state, rows, pairs)
        by_row, by_column = (side[3:6] for side in (state.rows, state.cols))
        for found, expected in zip(by_column, transpose_csr(*by_row, m), strict=True):
            np.testing.assert_array_equal(found, expected)
        assert len(np.unique(np.repeat(np.arange(n), np.diff(by_row[0])) * m + by_row[1])) == len(
            by_row[1]
        )


@settings(max_examples=150, deadline=None)
@given(gains=gains_strategy())
def test_bids_keep_prices_feasible_and_flows_tight(gains):
    state = state_of(gains)
    lift(state, gains)
    bid_rows(state.rows, state.cols, state.free_list, 0, 0, gains.shape[0], 0.0, state.tight)
    check_prices(state, gains)


@settings(max_examples=150, deadline=None)
@given(gains=gains_strategy(), seed=st.integers(0, 2**32 - 1))
def test_a_round_of_bids_equals_bidding_one_by_one(gains, seed):
    rng = np.random.default_rng(seed)
    n, m = gains.shape
    capacity, floor = rng.integers(1, 3, m), rng.integers(0, 3, n) / 4
    state = state_of(gains, capacity)
    state.rows.floor[:] = floor
    state.rows.price[:] = np.maximum(gains.max(axis=1), floor)
    bid_rows(state.rows, state.cols, state.free_list, 0, 0, n, 0.0, state.tight)
    column, u, v = bid_one_by_one(gains, capacity, floor, BIDS_PER_ROW * n)
    flows = read_flows(state)
    linked = [(i, j) for i, j in enumerate(column) if j >= 0]
    assert list(zip(flows.row, flows.col, strict=True)) == linked
    np.testing.assert_allclose(state.rows.price, u, atol=1e-12)
    np.testing.assert_allclose(state.cols.price, v, atol=1e-12)


@settings(max_examples=150, deadline=None)
@given(gains=gains_strategy())
def test_shortest_paths_alone_find_the_best_matching(gains):
    state = state_of(gains)
    lift(state, gains)
    n, m = gains.shape
    sides = state.rows, state.cols
    place_all(*sides, state.free_list, 0, 0, n, 0, 0.0, state.tight)
    place_all(*sides[::-1], state.free_list, 0, 0, m, 0, 0.0, state.tight)
    check_prices(state, gains)
    flows = read_flows(state)
    best = gains[linear_sum_assignment(gains, maximize=True)].sum()
    assert gains[flows.row, flows.col].sum() == pytest.approx(best, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(gains=gains_strategy(), share=st.floats(0.01, 1))
def test_matchings_of_a_fixed_number_of_pairs(gains, share):
    size = max(1, round(share * min(gains.shape)))
    n, m = gains.shape
    state, multiplier = solve_size(
        state_of(gains), np.ones(n, np.int64), np.ones(m, np.int64), size
    )
    flows = read_flows(state)
    assert len(flows.row) <= size
    # What is missing gains nothing and is filled in later.
    assert len(flows.row) == size or multiplier == 0.0
    found = gains[flows.row, flows.col].sum()
    best = gains[best_pairs_of_size(gains, size)].sum()
    assert found == pytest.approx(best, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8), m=st.integers(1, 8))
def test_pairs_that_share_nothing_are_ranked_by_their_totals(seed, n, m):
    rng = np.random.default_rng(seed)
    released, auxiliary = (rng.integers(0, 4, (k, 5)) * 1.0 for k in (n, m))
    released[:, 0] += 1
    auxiliary[:, 1] += 1
    likelihood = METRICS["likelihood"]
    join = build_join(to_csr(released), to_csr(auxiliary), 5, likelihood)
    v = rng.random(m) * 4.0
    totals = group_totals(join.col_total, v)
    assert sorted(totals.column.tolist()) == list(range(m))
    pairs, key = unshared_pairs(join, v, 3)
    # The weights of people of these totals at places of their own.
    apart = np.outer(released.sum(1), [1, 0]), np.outer(auxiliary.sum(1), [0, 1])
    profit = join.constant - pair_weights("likelihood", *apart) - v
    assert key == pytest.approx(profit.max(axis=1))
    by_total = [profit[:, auxiliary.sum(1) == total].max(axis=1) for total in totals.value]
    best = -np.sort(-np.column_stack(by_total), axis=1)[:, :3]
    assert (pairs.kept == best.shape[1]).all()
    rows = np.arange(n)[:, None]
    np.testing.assert_allclose(profit[rows, pairs.column], best, atol=1e-9)
    gains = join.constant - pair_weights("likelihood", released, auxiliary)
    np.testing.assert_allclose(pairs.gain, gains[rows, pairs.column], atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 7))
def test_ways_from_the_super_node_are_shortest_paths(seed, n):
    rng = np.random.default_rng(seed)
    sides = [rng.integers(0, 3, (n, 5)) * 1.0 for _ in range(2)]
    for side in sides:
        side[:, 0] += 1
        side /= side.sum(1, keepdims=True)
    gains = jensen_shannon_gains(*sides)
    rows, cols = linear_sum_assignment(gains, maximize=True)
    # Prices above every gain: feasible; slacks are then plain differences.
    u, v = np.full(n, gains.max()), np.zeros(n)
    join = build_join(to_csr(sides[0]), to_csr(sides[1]), 5, JS)
    graph = _residual(join, u, v, np.column_stack([rows, cols]), None)
    direct = rng.random(n) * 2
    partner = np.empty(n, np.int64)
    partner[cols] = rows
    slack = u[:, None] + v - gains
    expected = shortest_ways(direct, slack, partner)
    found = super_node_distances(graph, np.zeros(0, np.int64), direct)
    assert found == pytest.approx(expected, abs=1e-9)
    onward = rng.random(n)
    half = build_half(n, n)
    for i in range(n):
        own = cols[i]
        others = [slack[i, j] + onward[j] for j in range(n) if j != own]
        detour = nearest_detour(graph, i, own, onward, half)
        assert detour == pytest.approx(min(others), abs=1e-9)
