"""Bounds on pairs that are not candidates, kept true and tight while prices of columns move.

A bound on ``gain - price`` at old prices says little at new ones. In a component without columns to
spare, searches raise nearly all prices by the same amount: bounds fall by as much, but for pairs
with the few columns that rose less or fell. These are walked, and the rows they overlap are told
what the pairs are worth.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trailprint.arrays import Flags, Floats, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.join import Join, fill_row, row_work, swap_sides
from trailprint.kernels.threads import run_parallel, split_evenly

SHARES = (0.0, 0.001, 0.004, 0.015, 0.06, 0.25)
"""Columns of a component that may be walked: what they all rose by depends on the slowest left."""
WORTH_A_WALK = 2_000_000
"""Terms of rows in doubt from which on tighter bounds are looked for."""
N_PIECES = 8
"""Pieces of a walk, each with a bound per row of its own; fixed, as `N_CHUNKS` is."""


def least_risen(join: Join, rise: Floats) -> Floats:
    """Return the least by which the price of a column that a row overlaps has risen.

    Infinite for a row that overlaps none. Locations that count only beside others say nothing.
    """
    at_location = _least(rise[join.loc_user], join.loc_ptr)
    at_location[join.gate :] = np.inf
    return _least(at_location[join.row_loc], join.row_ptr)


def _least(values: Floats, ptr: Ints) -> Floats:
    """Return the least value of each segment, infinity if it is empty."""
    out = np.full(ptr.size - 1, np.inf)
    some = np.flatnonzero(np.diff(ptr) > 0)
    if some.size:
        out[some] = np.minimum.reduceat(values, ptr[some])
    return out


@njit(cache=True, nogil=True)
def _best_worth(swapped: Join, columns: Ints, price: Floats, low: int, high: int) -> Floats:
    """Return what rows' best pairs with ``columns[low:high]`` are worth, minus infinity without.

    Meaning: ``swapped`` has the columns as its rows. Cost: a bare pass over these columns.
    """
    bound = np.full(swapped.n_cols, -np.inf)
    scratch = np.zeros(swapped.n_cols)
    touched = np.empty(swapped.n_cols + 1, np.int32)
    for k in range(low, high):
        j = columns[k]
        n = fill_row(swapped, j, scratch, touched)
        for t in range(n):
            i = touched[t]
            bound[i] = max(bound[i], scratch[i] - price[j])
            scratch[i] = 0.0
    return bound


class PriceMoves:
    """Follows the prices of one problem's columns, component by component."""

    def __init__(self, join: Join, col_start: Ints, worth: int | None = None) -> None:
        self._join = join
        self._worth = WORTH_A_WALK if worth is None else worth
        self._swapped: Join | None = None
        self._start, self._size = col_start[:-1], np.diff(col_start)
        self._component = np.repeat(np.arange(self._size.size), self._size)

    def follow(
        self,
        bound: Floats,
        rise: Floats,
        price: Floats,
        is_doubtful: Callable[[Floats], Flags],
        n_threads: int | None,
    ) -> None:
        """Change ``bound`` so that it holds at ``price``, which rose by ``rise`` since it did.

        ``is_doubtful`` says which rows have to be priced again with such bounds: few are wanted.
        """
        work = row_work(self._join)
        looser = bound - np.minimum(least_risen(self._join, rise), 0.0)
        if work[is_doubtful(looser)].sum() < self._worth:
            bound[:] = looser
            return
        walk = row_work(self._get_swapped())
        slower = self._find_slower(rise)
        tighter = [bound - least_risen(self._join, np.where(s, np.inf, rise)) for s in slower]
        costs = [
            walk[walked].sum() + work[is_doubtful(left)].sum()
            for walked, left in zip(slower, tighter, strict=True)
        ]
        best = int(np.argmin(costs))
        bound[:] = tighter[best]
        self._walk(np.flatnonzero(slower[best]), walk, price, bound, n_threads)

    def _walk(
        self, columns: Ints, work: Ints, price: Floats, bound: Floats, n_threads: int | None
    ) -> None:
        """Raise bounds to what pairs with these columns are worth."""
        chunks = split_evenly(work[columns], N_PIECES)
        tasks = [(self._get_swapped(), columns, price, low, high) for low, high in chunks]
        for found in run_parallel(_best_worth, tasks, n_threads):
            np.maximum(bound, found, out=bound)

    def _find_slower(self, rise: Floats) -> list[Flags]:
        """For each of the shares, which columns of each component rose least."""
        ordered = rise[np.lexsort((rise, self._component))]
        places = [self._start + (share * self._size).astype(np.int64) for share in SHARES]
        # A component without columns may begin after the last one.
        least = [ordered[np.minimum(place, rise.size - 1)] for place in places]
        return [rise < one[self._component] for one in least]

    def _get_swapped(self) -> Join:
        if self._swapped is None:
            self._swapped = swap_sides(self._join)
        return self._swapped
