"""The best pairs of each row at the current prices: the candidates of a matching.

This is the expensive pass of exact matching. Rows are independent, so any number of threads can
process blocks of rows, and the best pairs of two sets of columns can be merged into the best of
both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.join import Join, fill_all, fill_row
from trailprint.kernels.matching.parts import cut_join
from trailprint.kernels.passes import get_most_bytes
from trailprint.kernels.threads import run_parallel, split_evenly


class BestPairs(NamedTuple):
    """The best pairs of each requested row: the first ``kept[r]`` of row r's slots are filled.

    ``bound[r]`` is the greatest ``gain - v`` among the row's overlapping pairs that were not kept
    (minus infinity if all were), ``overlap[r]`` the number of overlapping users.
    """

    column: Indices
    gain: Floats
    kept: Indices
    bound: Floats
    overlap: Ints


@njit(cache=True, nogil=True, inline="always")
def _turn(i: int, j: int) -> int:
    """Return a hash of row i and column j that orders tied columns differently for each row."""
    return (i * 2_654_435_761 + j * 40_503_000_007) & 0xFFFFFFFF


@njit(cache=True, nogil=True, inline="always")
def _is_worse(i: int, key: float, j: int, other_key: float, other: int) -> bool:
    """Return whether column j ranks below another one of row i: by key, then by `_turn`."""
    return key < other_key or (key == other_key and _turn(i, j) > _turn(i, other))


@njit(cache=True, nogil=True)
def _select_best(i: int, first: int, keys: Floats, column: Ints, n: int, k: int) -> None:
    """Move the best k of n entries to the front, in any order (quickselect). Cost: O(n)."""
    low, high = 0, n - 1
    while low < high:
        middle = (low + high) // 2
        key, own = keys[middle], first + column[middle]
        a, b = low, high
        while a <= b:
            while _is_worse(i, key, own, keys[a], first + column[a]):
                a += 1
            while _is_worse(i, keys[b], first + column[b], key, own):
                b -= 1
            if a <= b:
                keys[a], keys[b] = keys[b], keys[a]
                column[a], column[b] = column[b], column[a]
                a += 1
                b -= 1
        if k <= b + 1:
            high = b
        elif k > a:
            low = a
        else:
            return


@njit(cache=True, nogil=True)
def _sort(i: int, first: int, keys: Floats, column: Ints, n: int) -> None:
    """Sort n entries, best first (Shell sort). Cost: about O(n^1.3)."""
    gap = n // 2
    while gap > 0:
        for place in range(gap, n):
            key, j = keys[place], column[place]
            b = place
            while b >= gap and _is_worse(i, keys[b - gap], first + column[b - gap], key, first + j):
                keys[b] = keys[b - gap]
                column[b] = column[b - gap]
                b -= gap
            keys[b] = key
            column[b] = j
        gap = 1 if gap == 2 else gap * 5 // 11


@njit(cache=True, nogil=True)
def _drop_worst(
    i: int, first: int, scratch: Floats, keys: Floats, column: Ints, n: int, k: int
) -> float:
    """Keep the best k of n entries and forget the gains of the others; the greatest key dropped."""
    _select_best(i, first, keys, column, n, k)
    bound = -np.inf
    for place in range(k, n):
        bound = max(bound, keys[place])
        scratch[column[place]] = 0.0
    return bound


@njit(cache=True, nogil=True)
def _select_row(
    i: int,
    n: int,
    scratch: Floats,
    touched: Indices,
    v: Floats,
    floor: float,
    first: int,
    keys: Floats,
    column: Ints,
) -> tuple[int, float]:
    """Keep the touched columns of greatest ``gain - v`` above the floor, best first: (kept, bound).

    Meaning: ties are ordered by `_turn` of row i and column number from ``first``, so that rows
    with the same tied columns keep different ones, however columns are split or traversed. Gains of
    the other columns are reset on the way: a second traversal would double the cost. Shapes: room
    for twice as many entries as are kept. Cost: O(n), and a quickselect whenever the room is full.
    """
    k = keys.size // 2
    kept = 0
    bound = -np.inf
    worst = -np.inf
    for t in range(n):
        j = touched[t]
        key = scratch[j] - v[j]
        if key <= floor or key < worst:
            bound = max(bound, key)
            scratch[j] = 0.0
            continue
        keys[kept] = key
        column[kept] = j
        kept += 1
        if kept == 2 * k:
            bound = max(bound, _drop_worst(i, first, scratch, keys, column, kept, k))
            kept = k
            worst = keys[:k].min()
    if kept > k:
        bound = max(bound, _drop_worst(i, first, scratch, keys, column, kept, k))
        kept = k
    _sort(i, first, keys, column, kept)
    return kept, bound


@njit(cache=True, nogil=True)
def _count_users(n: int, touched: Indices, col_size: Ints) -> int:
    """Count the users that the touched columns represent. Cost: O(n)."""
    users = 0
    for t in range(n):
        users += col_size[touched[t]]
    return users


@njit(cache=True, nogil=True)
def _best_rows(
    join: Join,
    rows: Ints,
    v: Floats,
    floor: Floats,
    col_size: Ints,
    every: bool,
    first: tuple[int, int],
    low: int,
    high: int,
    out: BestPairs,
) -> None:
    """Fill ``out`` for ``rows[low:high]``; ``first`` is where the join begins in a larger one.

    Meaning: with an empty ``col_size``, every column is one user. Cost: a bare pass, and what it
    takes to select the best.
    """
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    room = 2 * out.column.shape[1]
    keys = np.empty(room)
    column = np.empty(room, np.int64)
    for r in range(low, high):
        i = rows[r]
        n = fill_all(join, i, scratch, touched) if every else fill_row(join, i, scratch, touched)
        out.overlap[r] = n if col_size.size == 0 else _count_users(n, touched, col_size)
        kept, bound = _select_row(
            first[0] + i, n, scratch, touched, v, floor[r], first[1], keys, column
        )
        out.kept[r] = kept
        out.bound[r] = bound
        for s in range(kept):
            out.column[r, s] = first[1] + column[s]
            out.gain[r, s] = scratch[column[s]]
            scratch[column[s]] = 0.0


@njit(cache=True, nogil=True)
def _merge_rows(
    rows: Ints, places: Ints, v: Floats, more: BestPairs, low: int, high: int, out: BestPairs
) -> None:
    """Merge the best pairs of other columns into ``out[places[low:high]]``, best first.

    Meaning: the best of both lists, and a bound on all pairs not kept. Cost: O(k) per row.
    """
    k = out.column.shape[1]
    column = np.empty(k, np.int32)
    gain = np.empty(k)
    for r in range(low, high):
        i, o = rows[r], places[r]
        a, b = 0, 0
        while a + b < k and (a < out.kept[o] or b < more.kept[r]):
            if _comes_first(i, v, out.column[o], out.gain[o], a, out.kept[o], more, r, b):
                column[a + b], gain[a + b] = out.column[o, a], out.gain[o, a]
                a += 1
            else:
                column[a + b], gain[a + b] = more.column[r, b], more.gain[r, b]
                b += 1
        bound = max(out.bound[o], more.bound[r])
        if a < out.kept[o]:
            bound = max(bound, out.gain[o, a] - v[out.column[o, a]])
        if b < more.kept[r]:
            bound = max(bound, more.gain[r, b] - v[more.column[r, b]])
        out.bound[o] = bound
        out.kept[o] = a + b
        out.column[o, : a + b] = column[: a + b]
        out.gain[o, : a + b] = gain[: a + b]
        out.overlap[o] += more.overlap[r]


@njit(cache=True, nogil=True)
def _comes_first(
    i: int,
    v: Floats,
    column: Indices,
    gain: Floats,
    a: int,
    n: int,
    more: BestPairs,
    r: int,
    b: int,
) -> bool:
    """Return whether entry a of row i's list of n is better than entry b of ``more``'s row r."""
    if a >= n or b >= more.kept[r]:
        return a < n
    own, other = column[a], more.column[r, b]
    key, other_key = gain[a] - v[own], more.gain[r, b] - v[other]
    return bool(_is_worse(i, other_key, other, key, own))


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
    """Return, for each of the given rows, the k overlapping pairs of greatest ``gain - v``.

    ``v`` is a price per column (default: zero). ``floor`` is one number per requested row: only
    pairs with ``gain - v > floor`` are kept; with the row prices as floor these are the pairs that
    violate the prices. ``col_size`` is the number of users per column (default: one). With
    ``every``, pairs that share nothing are included too if the metric uses totals. Kept pairs come
    best first. A join larger than the memory limit of a pass is processed in parts.
    """
    prices = np.zeros(join.n_cols) if v is None else v
    floors = np.full(rows.size, -np.inf) if floor is None else floor
    sizes = np.zeros(0, np.int64) if col_size is None else col_size
    out = _no_pairs(rows.size, k)
    cut = cut_join(join, get_most_bytes())
    for part in cut.parts():
        places = part.find_rows(rows)
        if places.size == 0:
            continue
        here = slice(part.first[1], part.first[1] + part.join.n_cols)
        own = rows[places] - part.first[0]
        inputs = own, prices[here], floors[places], sizes[here], every, part.first
        found = out if cut.n_parts == 1 else _no_pairs(places.size, k)
        part.run(_best_rows, own, inputs, found, n_threads)
        if cut.n_parts > 1:
            merged = rows[places], places, prices, found
            chunks = split_evenly(np.ones(places.size))
            run_parallel(_merge_rows, [(*merged, *chunk, out) for chunk in chunks], n_threads)
    return out


def _no_pairs(n_rows: int, k: int) -> BestPairs:
    """Return empty lists of pairs for ``n_rows`` rows."""
    return BestPairs(
        column=np.zeros((n_rows, k), np.int32),
        gain=np.zeros((n_rows, k)),
        kept=np.zeros(n_rows, np.int32),
        bound=np.full(n_rows, -np.inf),
        overlap=np.zeros(n_rows, np.int64),
    )


def take_pairs(pairs: BestPairs, which: Ints) -> BestPairs:
    """Return the pairs of the rows ``which``."""
    return BestPairs(
        column=pairs.column[which],
        gain=pairs.gain[which],
        kept=pairs.kept[which],
        bound=pairs.bound[which],
        overlap=pairs.overlap[which],
    )
