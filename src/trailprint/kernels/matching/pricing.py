"""Column generation: an optimal flow of one problem, with the prices that prove it.

The problem is solved on a few candidate pairs per row; a pass over all pairs looks for gains above
the sum of the prices; those pairs become candidates, and so on until none is found.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from trailprint.arrays import Flags, Floats
from trailprint.kernels.matching.candidates import best_pairs, take_pairs
from trailprint.kernels.matching.cardinality import solve_size
from trailprint.kernels.matching.disjoint import unshared_pairs
from trailprint.kernels.matching.lookup import pair_gains
from trailprint.kernels.matching.moves import PriceMoves
from trailprint.kernels.matching.reduction import Reduced
from trailprint.kernels.matching.transport import (
    Flows,
    State,
    add_candidates,
    add_gains,
    build_state,
    read_flows,
    solve_candidates,
)

FIRST_CANDIDATES = 64
MORE_CANDIDATES = 128
UNSHARED_CANDIDATES = 8
PATIENCE = 0.15
"""How far a row's price may fall below its best pair not kept, as a share of the largest gain."""
WAITING_ROUNDS = 4
"""Rounds in which rows may wait for more candidates; in later rounds none may."""
VIOLATION = 1e-10
"""Violations up to this share of the largest gain are only added to the upper bound."""


class Round(NamedTuple):
    """State after a round: the prices prove that no matching gains more than ``upper_bound``."""

    number: int
    n_violated: int
    total_gain: float
    upper_bound: float


Progress = Callable[[Round], None]


class Work(NamedTuple):
    """A problem, its initial prices, how many of at most ``most`` pairs are wanted, and a gap."""

    reduced: Reduced
    begin: Floats
    wanted: int
    most: int
    gap: float


class ProvenFlows(NamedTuple):
    """Flows between nodes, the prices of both sides that prove them, and more as in `Solution`."""

    flows: Flows
    row_price: Floats
    col_price: Floats
    multiplier: float
    total_gain: float
    upper_bound: float
    rounds: int
    overlapping_pairs: int
    solve_seconds: float


class _Pricing(NamedTuple):
    """Bounds on the gains of pairs that are not candidates.

    ``loose``: on the gain itself; ``near``: on the gain minus the current column price.
    """

    loose: Floats
    near: Floats


def generate_columns(work: Work, n_threads: int | None, report: Progress) -> ProvenFlows:
    """Solve on the candidates and price all pairs, until no price is violated or the gap is met."""
    reduced, begin, wanted, most, gap = work
    state, pricing, overlapping = _first_candidates(reduced, begin, n_threads)
    largest = max(float(state.rows.gain.max(initial=0.0)), 1e-300)
    tolerance = VIOLATION * largest
    moves = PriceMoves(reduced.join, reduced.col_start)
    multiplier, rounds, solving = 0.0, 0, 0.0
    while True:
        rounds += 1
        before = state.cols.price.copy()
        solving -= time.perf_counter()
        if wanted < most:
            guess = multiplier if rounds > 1 else None
            sizes = reduced.row_size, reduced.col_size
            state, multiplier = solve_size(state, *sizes, wanted, guess, n_threads)
        else:
            state.rows.floor[:] = _floors(pricing, largest, rounds)
            solve_candidates(state, 0.0, n_threads)
        solving += time.perf_counter()
        _follow_prices(pricing, moves, state, before, multiplier + tolerance, n_threads)
        feasible, state, n_violated = _price(
            reduced, state, pricing, multiplier, tolerance, n_threads
        )
        flows = read_flows(state)
        total, price = add_gains(state, flows), state.cols.price
        upper = float(feasible @ reduced.row_size + price @ reduced.col_size + wanted * multiplier)
        report(Round(rounds, n_violated, total, upper))
        if n_violated == 0 or upper - total <= gap * total:
            gains = pair_gains(reduced.join, flows.row, flows.col, n_threads)
            total = float(gains @ flows.units)
            return ProvenFlows(
                flows, feasible, price, multiplier, total, upper, rounds, overlapping, solving
            )


def _floors(pricing: _Pricing, largest: float, rounds: int) -> Floats:
    """Return the prices at which rows wait for more candidates instead of bidding on."""
    if rounds > WAITING_ROUNDS:
        return np.zeros(pricing.loose.size)
    unseen = np.minimum(pricing.loose, pricing.near)
    return np.maximum(0.0, unseen - PATIENCE * largest)


def _first_candidates(
    reduced: Reduced, begin: Floats, n_threads: int | None
) -> tuple[State, _Pricing, int]:
    """Return the state with each row's best pairs at prices ``begin``, bounds and overlap count."""
    join = reduced.join
    rows = np.arange(join.n_rows)
    state = build_state(reduced.row_size, reduced.col_size, reduced.row_start, reduced.col_start)
    state.cols.price[:] = begin
    first = best_pairs(
        join,
        rows,
        FIRST_CANDIDATES,
        v=state.cols.price,
        col_size=reduced.col_size,
        n_threads=n_threads,
    )
    state = add_candidates(state, rows, first)
    if join.row_total.size and join.n_cols:
        extra, _ = unshared_pairs(join, state.cols.price, UNSHARED_CANDIDATES, n_threads)
        state = add_candidates(state, rows, extra)
    # Prices never fall below zero, so bounds computed at price zero always hold.
    free = not state.cols.price.any()
    loose = first.bound if free else np.full(rows.size, np.inf)
    near = first.bound.copy()
    return state, _Pricing(loose, near), int(first.overlap @ reduced.row_size)


def _follow_prices(
    pricing: _Pricing,
    moves: PriceMoves,
    state: State,
    before: Floats,
    margin: float,
    n_threads: int | None,
) -> None:
    """Update the near bounds to the current prices; violations up to ``margin`` are tolerated."""
    most, price = state.rows.price + margin, state.cols.price

    def is_doubtful(near: Floats) -> Flags:
        doubtful: Flags = np.minimum(pricing.loose, near) > most
        return doubtful

    moves.follow(pricing.near, price - before, price, is_doubtful, n_threads)


def _price(
    reduced: Reduced,
    state: State,
    pricing: _Pricing,
    multiplier: float,
    tolerance: float,
    n_threads: int | None,
) -> tuple[Floats, State, int]:
    """Price the rows whose bounds do not rule out a violated pair.

    Returns feasible row prices, the state with more candidates, and the number of rows that have
    found a better pair or still wait for one.
    """
    join = reduced.join
    u, v = state.rows.price, state.cols.price
    feasible = u.copy()
    bound = np.minimum(pricing.loose, pricing.near) - multiplier
    waiting = (state.rows.left > 0) & (u > tolerance)
    rows = np.flatnonzero((bound > u + tolerance) | waiting)
    # Rows skipped only because of the tolerance must still be accounted for in the upper bound.
    feasible = np.maximum(feasible, np.where(bound > u + tolerance, feasible, bound))
    if rows.size:
        new = best_pairs(join, rows, MORE_CANDIDATES, v=v, n_threads=n_threads)
        # Kept pairs come best first.
        best = np.where(new.kept > 0, new.gain[:, 0] - v[new.column[:, 0]], -np.inf)
        feasible[rows] = np.maximum(feasible[rows], best - multiplier)
        pricing.near[rows] = new.bound
        state = add_candidates(state, rows, new)
    if join.row_total.size and join.n_cols:
        extra, key = unshared_pairs(join, v, UNSHARED_CANDIDATES, n_threads)
        feasible = np.maximum(feasible, key - multiplier)
        rows = np.flatnonzero(key - multiplier > u + tolerance)
        state = add_candidates(state, rows, take_pairs(extra, rows))
    return feasible, state, int(np.count_nonzero((feasible > u + tolerance) | waiting))
