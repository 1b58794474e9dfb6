"""What column generation rests on: floors, orientation, rows that wait for more candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.oracles.matching import (
    best_pairs_of_size,
    jensen_shannon_gains,
    profits_of_violating_rows,
)
from tests.oracles.shapes import Csr, Dense, scale, scaled_csr
from tests.solving import solve_sides

from trailprint.kernels.matching.candidates import BestPairs
from trailprint.kernels.matching.lookup import dense_gains
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.orientation import (
    initial_prices,
    orient_by_scarcity,
    restore_flows,
    restore_prices,
)
from trailprint.kernels.matching.pricing import Work, generate_columns
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.kernels.matching.solve import solve_reduced
from trailprint.kernels.matching.transport import (
    Flows,
    add_candidates,
    build_state,
    read_flows,
    solve_candidates,
)


def shares_of(counts: Dense) -> Csr:
    return scaled_csr(counts, METRICS["jensen-shannon"])


@st.composite
def blocks(draw):
    """Count matrices of a few separate blocks, some with more rows and some with more columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=4))
    released, auxiliary = (
        np.zeros((sum(shape[side] for shape in shapes), 5 * len(shapes)), np.int64)
        for side in (0, 1)
    )
    row, col = 0, 0
    for k, (n_rows, n_cols) in enumerate(shapes):
        here = slice(5 * k, 5 * k + 5)
        released[row : row + n_rows, here] = rng.integers(0, 4, (n_rows, 5))
        auxiliary[col : col + n_cols, here] = rng.integers(0, 4, (n_cols, 5))
        row, col = row + n_rows, col + n_cols
    return released[released.sum(1) > 0], auxiliary[auxiliary.sum(1) > 0]


def node_gains(reduced, released, auxiliary):
    """Gains of all pairs of nodes, by the definition: those of one person of each."""
    sides = [
        scale(counts, METRICS["jensen-shannon"])[np.unique(group, return_index=True)[1]]
        for counts, group in ((released, reduced.row_group), (auxiliary, reduced.col_group))
    ]
    return jensen_shannon_gains(*sides)


def dense_problem(gains, floor):
    """A state whose candidates are all pairs with a gain."""
    n_rows, n_cols = gains.shape
    ones = np.ones(n_rows, np.int64), np.ones(n_cols, np.int64)
    starts = np.array([0, n_rows]), np.array([0, n_cols])
    state = build_state(*ones, *starts)
    pairs = BestPairs(
        column=np.tile(np.arange(n_cols, dtype=np.int32), (n_rows, 1)),
        gain=gains.copy(),
        kept=np.full(n_rows, n_cols, np.int32),
        bound=np.full(n_rows, -np.inf),
        overlap=np.full(n_rows, n_cols),
    )
    state = add_candidates(state, np.arange(n_rows), pairs)
    state.rows.floor[:] = floor
    return state


@settings(max_examples=200, deadline=None)
@given(
    n_rows=st.integers(1, 8),
    n_cols=st.integers(1, 8),
    tied=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_floor_is_an_outside_offer(n_rows, n_cols, tied, seed):
    rng = np.random.default_rng(seed)
    gains = rng.integers(1, 4, (n_rows, n_cols)) / 4 if tied else rng.random((n_rows, n_cols))
    floor = np.where(rng.random(n_rows) < 0.5, 0.0, rng.random(n_rows))
    state = dense_problem(gains, floor)
    solve_candidates(state, 0.0, 1)
    u, v = state.rows.price, state.cols.price
    flows = read_flows(state)
    free = np.setdiff1d(np.arange(n_rows), flows.row)
    # The twin: every row may also take a column of its own that is worth its floor.
    offers = np.full((n_rows, n_rows), -1e9)
    np.fill_diagonal(offers, floor)
    twin = np.hstack([gains, offers])
    best = twin[linear_sum_assignment(twin, maximize=True)].sum()
    assert gains[flows.row, flows.col].sum() + floor[free].sum() == pytest.approx(best, abs=1e-9)
    assert (u[:, None] + v >= gains - 1e-9).all()
    assert (u >= floor - 1e-12).all()
    assert (v >= 0).all()
    assert u[free] == pytest.approx(floor[free], abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(problem=blocks(), seed=st.integers(0, 9))
def test_orientation_puts_the_scarcer_side_of_every_component_first_and_back(problem, seed):
    released, auxiliary = problem
    sides = shares_of(released), shares_of(auxiliary)
    reduced = reduce_problem(*sides, released.shape[1], METRICS["jensen-shannon"], seed)
    oriented, orientation = orient_by_scarcity(reduced)
    units = [
        np.add.reduceat(np.append(size, 0), start[:-1]) * (np.diff(start) > 0)
        for size, start in (
            (oriented.row_size, oriented.row_start),
            (oriented.col_size, oriented.col_start),
        )
    ]
    assert (units[0] <= units[1]).all()
    gains = node_gains(reduced, released, auxiliary)
    turned = dense_gains(oriented.join)
    every = np.nonzero(turned)
    back = restore_flows(orientation, Flows(every[0], every[1], np.ones(every[0].size, np.int64)))
    assert gains[back.row, back.col] == pytest.approx(turned[every])
    assert np.count_nonzero(gains) == every[0].size
    price = np.random.default_rng(seed).random(gains.shape[0] + gains.shape[1])
    rows, cols = restore_prices(orientation, price[orientation.bidders], price[orientation.objects])
    np.testing.assert_array_equal(np.concatenate([rows, cols]), price)
    begin = initial_prices(orientation, cols)
    assert begin == pytest.approx(
        np.where(orientation.objects < orientation.n_rows, 0.0, price[orientation.objects])
    )


def generate(counts, wanted, add=add_candidates):
    """Columns generated from very few candidates, by the gains of all pairs of nodes."""
    metric = METRICS["jensen-shannon"]
    released, auxiliary = map(shares_of, counts)
    reduced = reduce_problem(released, auxiliary, 4, metric, 0)
    module = "trailprint.kernels.matching.pricing."
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module + "FIRST_CANDIDATES", 1)
        patch.setattr(module + "MORE_CANDIDATES", 2)
        patch.setattr(module + "add_candidates", add)
        work = Work(reduced, np.zeros(reduced.join.n_cols), wanted, len(counts[0]), 0.0)
        proven = generate_columns(work, 1, lambda _: None)
    return proven, node_gains(reduced, *counts)


@st.composite
def sides(draw):
    """Two sides of which the first is no larger; many histograms are alike."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 12))
    counts = [rng.integers(0, 4, (size, 4)) for size in (n, draw(st.integers(n, 14)))]
    for side in counts:
        side[side.sum(1) == 0, 0] = 1
    return counts


@settings(max_examples=60, deadline=None)
@given(counts=sides())
def test_generated_columns_are_the_best_of_all_rows_that_violate_their_prices(counts):
    rounds = []

    def add_and_look(state, rows, new):
        v = state.cols.price.copy()
        profits = {
            int(i): list(new.gain[k, : new.kept[k]] - v[new.column[k, : new.kept[k]]])
            for k, i in enumerate(rows)
        }
        rounds.append((state.rows.price.copy(), v, profits))
        return add_candidates(state, rows, new)

    _, gains = generate(counts, len(counts[0]), add_and_look)
    # The first candidates are those of all rows; from then on, of rows whose prices are too low.
    for nth, (u, v, found) in enumerate(rounds):
        expected = profits_of_violating_rows(gains, u + 1e-9, v, 2 if nth else 1)
        assert expected.keys() <= found.keys()
        for i, profits in expected.items():
            assert found[i] == pytest.approx(profits, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(counts=sides(), share=st.sampled_from([0.3, 0.7, 1.0]))
def test_generated_columns_make_the_best_matching_with_prices_that_no_pair_violates(counts, share):
    wanted = max(1, int(share * len(counts[0])))
    proven, gains = generate(counts, wanted)
    everyone = jensen_shannon_gains(*(scale(side, METRICS["jensen-shannon"]) for side in counts))
    best = everyone[best_pairs_of_size(everyone, wanted)].sum()
    assert proven.total_gain == pytest.approx(best, abs=1e-9)
    assert proven.upper_bound == pytest.approx(best, abs=1e-8)
    u = proven.row_price + proven.multiplier + 1e-9
    assert profits_of_violating_rows(gains, u, proven.col_price, 1) == {}


@pytest.mark.parametrize("patience", [0.0, 0.05, 0.15, 2.0])
@pytest.mark.parametrize("rounds", [0, 1, 3, 12])
def test_however_long_rows_wait_the_matching_is_the_best(patience, rounds, monkeypatch):
    module = "trailprint.kernels.matching.pricing."
    monkeypatch.setattr(module + "FIRST_CANDIDATES", 3)
    monkeypatch.setattr(module + "MORE_CANDIDATES", 4)
    monkeypatch.setattr(module + "PATIENCE", patience)
    monkeypatch.setattr(module + "WAITING_ROUNDS", rounds)
    rng = np.random.default_rng(4)
    released, auxiliary = (rng.integers(1, 5, (120, 8)) for _ in range(2))
    reduced = reduce_problem(
        shares_of(released), shares_of(auxiliary), 8, METRICS["jensen-shannon"], 0
    )
    solution = solve_sides(shares_of(released), shares_of(auxiliary), 8, METRICS["jensen-shannon"])
    gains = dense_gains(reduced.join)[reduced.row_group][:, reduced.col_group]
    best = gains[linear_sum_assignment(gains, maximize=True)].sum()
    assert solution.rounds > 1
    assert solution.total_gain == pytest.approx(best, rel=1e-12)
    assert solution.upper_bound == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("n_rows", [40, 90, 140])
def test_known_prices_change_nothing_but_the_work(n_rows):
    rng = np.random.default_rng(n_rows)
    released, auxiliary = rng.integers(0, 3, (n_rows, 8)), rng.integers(0, 3, (90, 8))
    released[:, 0] = auxiliary[:, 0] = 1
    metric = METRICS["jensen-shannon"]
    reduced = reduce_problem(shares_of(released), shares_of(auxiliary), 8, metric, 0)
    cold = solve_reduced(reduced)
    warm = solve_reduced(reduced, start=cold.v)
    assert warm.total_gain == pytest.approx(cold.total_gain, rel=1e-12)
    assert warm.upper_bound == pytest.approx(cold.total_gain, rel=1e-9)
    assert (warm.column >= 0).sum() == min(n_rows, 90)
