"""Matchings of exactly r pairs, through a toll on every pair.

The best gain is concave in the number of pairs, so the best matching of r pairs is a best
matching under some toll. A few trial tolls come close from above; the remaining pairs are
added one shortest path at a time while the toll falls, which is exact also where many
matchings tie at one toll.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from trailprint.kernels.flow import add_source, augment, search, settle
from trailprint.kernels.metrics import Ints
from trailprint.kernels.transport import (
    State,
    build_state,
    copy_state,
    solve_candidates,
)

MOST_TRIALS = 40
CLOSE = 0.004
"""Share of r that may be left to single paths: each costs about as much as a look at all rows."""


@njit(cache=True, nogil=True)
def _grow(state: State, toll: float, wanted: int) -> tuple[float, int]:
    """Lower the toll, adding ``wanted`` units along shortest paths from any free row.

    Meaning: returns the toll reached (zero if there is nothing more to gain) and the units
    still missing. Cost: one search over the candidates of free rows per path.
    """
    rows, cols, spares, _, col_start, _ = state
    while wanted > 0 and toll > 0.0:
        n_sources = 0
        for i in range(rows.price.size):
            if rows.left[i] > 0:
                add_source(rows, n_sources, i)
                n_sources += 1
        best, end, across, n_own, n_other = search(rows, cols, n_sources, toll, False, toll, 0, 0)
        if across:
            c = int(np.searchsorted(col_start, end, side="right")) - 1
            wanted -= augment(rows, cols, spares, c, end, across, wanted)
        for i in range(rows.price.size):
            rows.price[i] += best
        settle(rows, cols, best, 0, n_own, 0, n_other)
        toll = max(0.0, toll - best)
    return toll, wanted


def _clear(state: State, row_size: Ints, col_size: Ints) -> State:
    """Return an empty matching on the same candidates."""
    empty = build_state(row_size, col_size, state.row_start, state.col_start)
    rows = empty.rows._replace(ptr=state.rows.ptr, edge=state.rows.edge, gain=state.rows.gain)
    cols = empty.cols._replace(ptr=state.cols.ptr, edge=state.cols.edge, gain=state.cols.gain)
    return empty._replace(rows=rows, cols=cols, tight=state.tight)


def _units(state: State) -> int:
    """Count the units matched."""
    return int(state.spares.amount.sum())


def _first_toll(state: State, row_size: Ints, size: int) -> float:
    """Return a toll so high that fewer than ``size`` units have a pair worth more."""
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
    """Solve under a toll high enough that at most ``size`` units are matched."""
    highest = _first_toll(state, row_size, size)
    toll = highest if guess is None else min(highest, guess)
    step = 1e-4 * highest
    while True:
        trial = _clear(state, row_size, col_size)
        solve_candidates(trial, toll, n_threads)
        if _units(trial) <= size or toll >= highest:
            return trial, toll
        toll = min(highest, toll + step)
        step *= 8.0


def solve_size(
    state: State,
    row_size: Ints,
    col_size: Ints,
    size: int,
    guess: float | None = None,
    n_threads: int | None = None,
) -> tuple[State, float]:
    """Find a best matching of ``size`` units on the candidates: (state, toll).

    With toll zero fewer units may be matched: the others gain nothing and are filled in later.
    ``guess`` is a toll believed to be close.
    """
    state, toll = _start_below(state, row_size, col_size, size, guess, n_threads)
    low, low_units = 0.0, int(min(row_size.sum(), col_size.sum()))
    for trial_number in range(MOST_TRIALS):
        missing = size - _units(state)
        if missing <= max(4, CLOSE * size) or toll - low <= 1e-12 * toll:
            break
        share = missing / max(1, low_units - _units(state))
        # Aim a little short, since only tolls that are too high can be continued from.
        share = 0.5 if trial_number % 4 == 3 else min(0.9, 0.95 * share)
        trial = copy_state(state)
        next_toll = toll - share * (toll - low)
        trial.rows.price[:] += toll - next_toll
        solve_candidates(trial, next_toll, n_threads)
        if _units(trial) <= size:
            state, toll = trial, next_toll
        else:
            low, low_units = next_toll, _units(trial)
    toll, _ = _grow(state, toll, size - _units(state))
    return state, toll
