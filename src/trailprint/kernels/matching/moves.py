"""Bounds on pairs that are not candidates, kept valid and tight while column prices change.

A bound on ``gain - price`` at old prices is loose at new ones. In a component without surplus
columns, searches raise nearly all prices by the same amount: bounds fall by as much, except for
pairs with the few columns whose prices rose less or fell. These columns are scanned, and the bounds
of the rows they overlap are raised to those pairs' exact values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trailprint.arrays import Flags, Floats, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.join import Join, fill_row, row_work, swap_sides
from trailprint.kernels.threads import run_parallel, split_evenly

SHARES = (0.0, 0.001, 0.004, 0.015, 0.06, 0.25)
"""Shares of a component's columns to try scanning; the least rise of the rest lowers all bounds."""
LEAST_WORK = 2_000_000
"""Least work of doubtful rows, in terms, for which tighter bounds are sought."""
N_PIECES = 8
"""Pieces of a scan, each with its own bound per row; fixed, as `N_CHUNKS` is."""


def least_risen(join: Join, rise: Floats) -> Floats:
    """Return, for each row, the least rise in price of the columns it overlaps.

    Infinite for a row that overlaps none. Gated locations are ignored: alone they do not overlap.
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
def _best_profits(swapped: Join, columns: Ints, price: Floats, low: int, high: int) -> Floats:
    """Return each row's greatest ``gain - price`` over ``columns[low:high]``.

    Meaning: minus infinity for a row that overlaps none; ``swapped`` has the columns as its rows.
    Cost: a bare pass over these columns.
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
    """Updates bounds as the column prices of one problem change, component by component."""

    def __init__(self, join: Join, col_start: Ints, least_work: int | None = None) -> None:
        self._join = join
        self._least_work = LEAST_WORK if least_work is None else least_work
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
        """Update ``bound`` in place to ``price``, which has risen by ``rise`` since it last held.

        ``is_doubtful`` says which rows must be priced again under given bounds: the fewer the
        better.
        """
        work = row_work(self._join)
        looser = bound - np.minimum(least_risen(self._join, rise), 0.0)
        if work[is_doubtful(looser)].sum() < self._least_work:
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
        """Raise bounds to the greatest ``gain - price`` of pairs with these columns."""
        chunks = split_evenly(work[columns], N_PIECES)
        tasks = [(self._get_swapped(), columns, price, low, high) for low, high in chunks]
        for found in run_parallel(_best_profits, tasks, n_threads):
            np.maximum(bound, found, out=bound)

    def _find_slower(self, rise: Floats) -> list[Flags]:
        """Return, for each of `SHARES`, the columns of each component that rose least."""
        ordered = rise[np.lexsort((rise, self._component))]
        places = [self._start + (share * self._size).astype(np.int64) for share in SHARES]
        # A component without columns may begin after the last one.
        least = [ordered[np.minimum(place, rise.size - 1)] for place in places]
        return [rise < one[self._component] for one in least]

    def _get_swapped(self) -> Join:
        if self._swapped is None:
            self._swapped = swap_sides(self._join)
        return self._swapped
