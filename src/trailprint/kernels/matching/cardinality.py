"""Matchings of exactly r pairs, by a Lagrange multiplier on every pair.

The best gain is concave in the number of pairs, so the best matching of r pairs is a best matching
under some multiplier. A few trial multipliers approach it from above; the remaining pairs are added
one shortest path at a time while the multiplier falls, which is exact even where many matchings
tie at one multiplier.
"""

from __future__ import annotations

import numpy as np

from trailprint.arrays import Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.paths import add_source, augment, rank_edges, search, settle
from trailprint.kernels.matching.transport import State, build_state, copy_state, solve_candidates

MOST_TRIALS = 40
CLOSE = 0.004
"""Share of r that may be left to single paths; each costs about as much as a scan of all rows."""


@njit(cache=True, nogil=True)
def _grow(state: State, multiplier: float, wanted: int) -> tuple[float, int]:
    """Lower the multiplier, adding ``wanted`` units along shortest paths from any free row.

    Meaning: returns the multiplier reached (zero if there is nothing more to gain) and the units
    still missing. Cost: one search over the candidates of free rows per path.
    """
    rows, cols, free_list, _, col_start, _ = state
    rank_edges(rows, cols, 0, rows.price.size)
    while wanted > 0 and multiplier > 0.0:
        n_sources = 0
        for i in range(rows.price.size):
            if rows.left[i] > 0:
                add_source(rows, n_sources, i)
                n_sources += 1
        best, end, across, n_own, n_other = search(
            rows, cols, n_sources, multiplier, False, multiplier, 0, 0
        )
        if across:
            c = int(np.searchsorted(col_start, end, side="right")) - 1
            wanted -= augment(rows, cols, free_list, c, end, across, wanted)
        for i in range(rows.price.size):
            rows.price[i] += best
        settle(rows, cols, best, 0, n_own, 0, n_other)
        multiplier = max(0.0, multiplier - best)
    return multiplier, wanted


def _clear(state: State, row_size: Ints, col_size: Ints) -> State:
    """Return an empty matching on the same candidates."""
    empty = build_state(row_size, col_size, state.row_start, state.col_start)
    rows = empty.rows._replace(
        ptr=state.rows.ptr, edge=state.rows.edge, gain=state.rows.gain, key=state.rows.key
    )
    cols = empty.cols._replace(ptr=state.cols.ptr, edge=state.cols.edge, gain=state.cols.gain)
    return empty._replace(rows=rows, cols=cols, tight=state.tight)


def _units(state: State) -> int:
    """Count the units matched."""
    return int(state.free_list.amount.sum())


def _first_multiplier(state: State, row_size: Ints, size: int) -> float:
    """Return a multiplier such that fewer than ``size`` row units have a pair of greater gain."""
    best = np.zeros(row_size.size)
    np.maximum.at(best, np.repeat(np.arange(best.size), np.diff(state.rows.ptr)), state.rows.gain)
    order = np.argsort(-best, kind="stable")
    place = int(np.searchsorted(np.cumsum(row_size[order]), size))
    return float(best[order[place]]) if place < order.size else 0.0


def _start_below(
    state: State,
    row_size: Ints,
    col_size: Ints,
    size: int,
    guess: float | None,
    n_threads: int | None,
) -> tuple[State, float]:
    """Solve under a multiplier high enough that at most ``size`` units are matched.

    Meaning: starts at ``guess`` and raises it until that holds, at most to the first multiplier.
    """
    highest = _first_multiplier(state, row_size, size)
    multiplier = highest if guess is None else min(highest, guess)
    step = 1e-4 * highest
    while True:
        trial = _clear(state, row_size, col_size)
        solve_candidates(trial, multiplier, n_threads)
        if _units(trial) <= size or multiplier >= highest:
            return trial, multiplier
        multiplier = min(highest, multiplier + step)
        step *= 8.0


def solve_size(
    state: State,
    row_size: Ints,
    col_size: Ints,
    size: int,
    guess: float | None = None,
    n_threads: int | None = None,
) -> tuple[State, float]:
    """Find a best matching of ``size`` units on the candidates: (state, multiplier).

    With multiplier zero fewer units may be matched: the others gain nothing and are filled in
    later. ``guess`` is an estimate of the multiplier.
    """
    state, multiplier = _start_below(state, row_size, col_size, size, guess, n_threads)
    low, low_units = 0.0, int(min(row_size.sum(), col_size.sum()))
    for trial_number in range(MOST_TRIALS):
        missing = size - _units(state)
        if missing <= max(4, CLOSE * size) or multiplier - low <= 1e-12 * multiplier:
            break
        share = missing / max(1, low_units - _units(state))
        # Aim slightly too high, since the search can only continue from multipliers above the goal.
        share = 0.5 if trial_number % 4 == 3 else min(0.9, 0.95 * share)
        trial = copy_state(state)
        next_multiplier = multiplier - share * (multiplier - low)
        trial.rows.price[:] += multiplier - next_multiplier
        solve_candidates(trial, next_multiplier, n_threads)
        if _units(trial) <= size:
            state, multiplier = trial, next_multiplier
        else:
            low, low_units = next_multiplier, _units(trial)
    multiplier, _ = _grow(state, multiplier, size - _units(state))
    return state, multiplier
