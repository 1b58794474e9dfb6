"""The best pairs of each row at the current prices: the candidates of a matching.

This is the expensive pass of exact matching. Rows are independent, so blocks of rows can be
walked by any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.heaps import sift_down
from trailprint.kernels.matching.join import Join, fill_all, fill_row, row_work
from trailprint.kernels.passes import Pass, run_pass


class BestPairs(NamedTuple):
    """The best pairs of each row objects for: the first ``kept[r]`` of row r's slots are filled.

    ``bound[r]`` is the greatest ``gain - v`` among the row's overlapping pairs that were not kept
    (minus infinity if all were), ``overlap[r]`` the number of overlapping users.
    """

    column: Indices
    gain: Floats
    kept: Indices
    bound: Floats
    overlap: Ints


@njit(cache=True, nogil=True)
def _select_row(
    i: int,
    n: int,
    scratch: Floats,
    touched: Indices,
    v: Floats,
    floor: float,
    keys: Floats,
    column: Indices,
) -> tuple[int, float]:
    """Keep the touched columns of greatest ``gain - v`` above the floor; (kept, bound).

    The walk starts at another place for every row, so that rows with tied columns keep others.
    """
    k = column.size
    kept = 0
    bound = -np.inf
    start = (i * 7919) % n if n > 0 else 0
    for s in range(n):
        t = s + start
        j = touched[t if t < n else t - n]
        key = scratch[j] - v[j]
        if key <= floor or (kept == k and key <= keys[0]):
            bound = max(bound, key)
        elif kept < k:
            keys[kept] = key
            column[kept] = j
            kept += 1
            if kept == k:
                _heapify(keys, column, k)
        else:
            bound = max(bound, keys[0])
            keys[0] = key
            column[0] = j
            sift_down(keys, column, k)
    return kept, bound


@njit(cache=True, nogil=True)
def _heapify(keys: Floats, column: Indices, n: int) -> None:
    """Arrange the first n keys as a min-heap, smallest first, by insertion."""
    for a in range(1, n):
        key = keys[a]
        j = column[a]
        b = a
        while b > 0 and keys[b - 1] > key:
            keys[b] = keys[b - 1]
            column[b] = column[b - 1]
            b -= 1
        keys[b] = key
        column[b] = j


@njit(cache=True, nogil=True)
def _best_rows(
    join: Join,
    rows: Ints,
    v: Floats,
    floor: Floats,
    col_size: Ints,
    every: bool,
    low: int,
    high: int,
    out: BestPairs,
) -> None:
    """Fill ``out`` for ``rows[low:high]``."""
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    keys = np.empty(out.column.shape[1])
    for r in range(low, high):
        i = rows[r]
        n = fill_all(join, i, scratch, touched) if every else fill_row(join, i, scratch, touched)
        kept, bound = _select_row(i, n, scratch, touched, v, floor[r], keys, out.column[r])
        out.kept[r] = kept
        out.bound[r] = bound
        for s in range(kept):
            out.gain[r, s] = scratch[out.column[r, s]]
        overlap = 0
        for t in range(n):
            scratch[touched[t]] = 0.0
            overlap += col_size[touched[t]]
        out.overlap[r] = overlap


def best_pairs(
    join: Join,
    rows: Ints,
    k: int,
    *,
    v: Floats | None = None,
    floor: Floats | None = None,
    col_size: Ints | None = None,
    every: bool = False,
    n_threads: int | None = None,
) -> BestPairs:
    """Keep, for each of the given rows, the k overlapping pairs of greatest ``gain - v``.

    ``v`` is a price per column (zero if not given). ``floor`` is one number per row objects for:
    only pairs with ``gain - v > floor`` are kept; with the row prices as floor these are the
    violators of the prices. ``col_size`` is the number of users a column stands for (one if not
    given). With ``every``, a metric that uses totals looks at pairs that share nothing as well.
    """
    prices = np.zeros(join.n_cols) if v is None else v
    floors = np.full(rows.size, -np.inf) if floor is None else floor
    sizes = np.ones(join.n_cols, np.int64) if col_size is None else col_size
    out = BestPairs(
        column=np.zeros((rows.size, k), np.int32),
        gain=np.zeros((rows.size, k)),
        kept=np.zeros(rows.size, np.int32),
        bound=np.zeros(rows.size),
        overlap=np.zeros(rows.size, np.int64),
    )
    inputs = rows, prices, floors, sizes, every
    run_pass(Pass(_best_rows, (join,), inputs, row_work(join)[rows], out), n_threads)
    return out


def take_pairs(pairs: BestPairs, which: Ints) -> BestPairs:
    """Return the pairs of some of the rows."""
    return BestPairs(
        column=pairs.column[which],
        gain=pairs.gain[which],
        kept=pairs.kept[which],
        bound=pairs.bound[which],
        overlap=pairs.overlap[which],
    )
