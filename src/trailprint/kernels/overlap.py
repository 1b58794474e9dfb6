"""Stream over all pairs of rows that share a location, never holding them.

A `Join` is two sets of histograms over the same locations, the released ones by row and the
auxiliary ones by location. Each pass walks a row's locations, adds the terms of the pairs into a
scratch row, looks at the gains and forgets them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from trailprint.kernels.metrics import (
    TINY,
    Floats,
    Indices,
    Ints,
    Metric,
    largest_constant,
    pair_base,
    term_value,
    x_log_x,
)
from trailprint.kernels.threads import run_parallel, split_evenly


class Join(NamedTuple):
    """Released rows and auxiliary columns over the same locations.

    ``row_*``: CSR over released users; ``loc_*``: the auxiliary matrix by location. ``*_log`` is
    ``x ln x`` of each entry. ``row_total``, ``col_total`` have size 0 unless the metric's base
    depends on totals; then ``constant`` is the largest pair constant.
    """

    row_ptr: Ints
    row_loc: Indices
    row_val: Floats
    row_log: Floats
    loc_ptr: Ints
    loc_user: Indices
    loc_val: Floats
    loc_log: Floats
    row_total: Floats
    col_total: Floats
    n_cols: int
    term: int
    constant: float

    @property
    def n_rows(self) -> int:
        """Number of released rows."""
        return self.row_ptr.size - 1


class BestPairs(NamedTuple):
    """The best pairs of each row asked for: the first ``kept[r]`` of row r's slots are filled.

    ``bound[r]`` is the greatest ``gain - v`` among the row's overlapping pairs that were not kept
    (minus infinity if all were), ``overlap[r]`` the number of overlapping users.
    """

    column: Indices
    gain: Floats
    kept: Indices
    bound: Floats
    overlap: Ints


@njit(cache=True, nogil=True)
def _transpose(
    ptr: Ints, loc: Indices, val: Floats, n_locations: int
) -> tuple[Ints, Indices, Floats]:
    """Transpose a CSR matrix by a counting sort.

    Meaning: the same entries by location, users ascending. Shapes: n_locations + 1 and nnz.
    Cost: O(nnz + n_locations).
    """
    start = np.zeros(n_locations + 1, np.int64)
    for e in range(loc.size):
        start[loc[e] + 1] += 1
    for c in range(n_locations):
        start[c + 1] += start[c]
    place = start[:-1].copy()
    users = np.empty(loc.size, np.int32)
    values = np.empty(loc.size, np.float64)
    for i in range(ptr.size - 1):
        for e in range(ptr[i], ptr[i + 1]):
            k = place[loc[e]]
            users[k] = i
            values[k] = val[e]
            place[loc[e]] = k + 1
    return start, users, values


def transpose_csr(
    ptr: Ints, loc: Indices, val: Floats, n_locations: int
) -> tuple[Ints, Indices, Floats]:
    """Return the matrix by location: (ptr, user, value), users ascending."""
    result: tuple[Ints, Indices, Floats] = _transpose(
        ptr.astype(np.int64), loc.astype(np.int32), val.astype(np.float64), n_locations
    )
    return result


def build_join(
    released: tuple[Ints, Indices, Floats],
    auxiliary: tuple[Ints, Indices, Floats],
    n_locations: int,
    metric: Metric,
) -> Join:
    """Prepare two CSR matrices (ptr, location, value > 0), scaled as the metric asks.

    Empty rows take part in nothing; for a metric that uses totals there must be none.
    """
    row_ptr, row_loc, row_val = released
    aux_ptr, _, aux_val = auxiliary
    loc_ptr, loc_user, loc_val = transpose_csr(*auxiliary, n_locations)
    row_total = np.zeros(0)
    col_total = np.zeros(0)
    if metric.uses_totals:
        row_total = _row_totals(row_ptr, row_val)
        col_total = _row_totals(aux_ptr, aux_val)
    values = np.ascontiguousarray(row_val, dtype=np.float64)
    return Join(
        row_ptr=np.ascontiguousarray(row_ptr, dtype=np.int64),
        row_loc=np.ascontiguousarray(row_loc, dtype=np.int32),
        row_val=values,
        row_log=x_log_x(values),
        loc_ptr=loc_ptr,
        loc_user=loc_user,
        loc_val=loc_val,
        loc_log=x_log_x(loc_val),
        row_total=row_total,
        col_total=col_total,
        n_cols=aux_ptr.size - 1,
        term=metric.term,
        constant=largest_constant(row_total, col_total),
    )


def swap_sides(join: Join) -> Join:
    """Return the same join with rows and columns exchanged."""
    n_locations = join.loc_ptr.size - 1
    row_ptr, row_loc, row_val = transpose_csr(
        join.loc_ptr, join.loc_user, join.loc_val, join.n_cols
    )
    loc_ptr, loc_user, loc_val = transpose_csr(
        join.row_ptr, join.row_loc, join.row_val, n_locations
    )
    totals = join.col_total, join.row_total
    swapped = with_sides(join, (row_ptr, row_loc, row_val), (loc_ptr, loc_user, loc_val), *totals)
    return swapped._replace(n_cols=join.n_rows)


def with_sides(
    join: Join,
    rows: tuple[Ints, Indices, Floats],
    by_location: tuple[Ints, Indices, Floats],
    row_total: Floats,
    col_total: Floats,
) -> Join:
    """Return a join of the same metric between other rows and columns, the latter by location."""
    row_ptr, row_loc, row_val = rows
    loc_ptr, loc_user, loc_val = by_location
    return join._replace(
        row_ptr=row_ptr,
        row_loc=row_loc,
        row_val=row_val,
        row_log=x_log_x(row_val),
        loc_ptr=loc_ptr,
        loc_user=loc_user,
        loc_val=loc_val,
        loc_log=x_log_x(loc_val),
        row_total=row_total,
        col_total=col_total,
    )


def _row_totals(ptr: Ints, val: Floats) -> Floats:
    """Sum each row of a CSR matrix."""
    sums = np.concatenate([[0.0], np.cumsum(val)])
    totals: Floats = sums[ptr[1:]] - sums[ptr[:-1]]
    return totals


def row_work(join: Join) -> Ints:
    """Count the terms each row's pass adds up."""
    per_entry = np.diff(join.loc_ptr)[join.row_loc]
    sums = np.concatenate([[0], np.cumsum(per_entry)])
    work: Ints = sums[join.row_ptr[1:]] - sums[join.row_ptr[:-1]]
    return work


def row_chunks(join: Join, rows: Ints) -> list[tuple[int, int]]:
    """Cut a list of rows into ranges of about equal work."""
    return split_evenly(row_work(join)[rows])


@njit(cache=True, nogil=True)
def fill_row(join: Join, i: int, scratch: Floats, touched: Indices) -> int:
    """Add up row i's gains in the scratch row.

    Meaning: ``scratch[touched[:n]]`` are the gains of the n overlapping pairs; returns n.
    Shapes: scratch over columns (all zero before), touched one longer. Cost: one term each.
    """
    n = 0
    for e in range(join.row_ptr[i], join.row_ptr[i + 1]):
        c = join.row_loc[e]
        p = join.row_val[e]
        p_log = join.row_log[e]
        for f in range(join.loc_ptr[c], join.loc_ptr[c + 1]):
            j = join.loc_user[f]
            old = scratch[j]
            # Without a branch: the place is written anyway, and kept if the column is new.
            touched[n] = j
            n += old == 0.0
            scratch[j] = old + term_value(join.term, p, join.loc_val[f], p_log, join.loc_log[f])
    if join.row_total.size > 0:
        for t in range(n):
            j = touched[t]
            scratch[j] += pair_base(join.constant, join.row_total[i], join.col_total[j])
    return n


@njit(cache=True, nogil=True)
def fill_all(join: Join, i: int, scratch: Floats, touched: Indices) -> int:
    """Like `fill_row`, with the unshared pairs of a metric that uses totals filled in too.

    Meaning: columns not touched have gain zero. Shapes: as in `fill_row`. Cost: one logarithm
    for each unshared pair where the metric uses totals.
    """
    n = fill_row(join, i, scratch, touched)
    if join.row_total.size > 0:
        for j in range(join.n_cols):
            if scratch[j] == 0.0:
                base = pair_base(join.constant, join.row_total[i], join.col_total[j])
                scratch[j] = max(base, TINY)
                touched[n] = j
                n += 1
    return n


@njit(cache=True, nogil=True)
def _bare_rows(join: Join, low: int, high: int) -> tuple[int, float]:
    """Walk rows low:high and look at every gain once: (pairs, sum of gains)."""
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    pairs = 0
    total = 0.0
    for i in range(low, high):
        n = fill_row(join, i, scratch, touched)
        pairs += n
        for t in range(n):
            j = touched[t]
            total += scratch[j]
            scratch[j] = 0.0
    return pairs, total


def bare_pass(join: Join, n_threads: int | None = None) -> tuple[int, float]:
    """Return the number of overlapping pairs and the sum of their gains."""
    chunks = row_chunks(join, np.arange(join.n_rows))
    parts = run_parallel(_bare_rows, [(join, low, high) for low, high in chunks], n_threads)
    return sum(pairs for pairs, _ in parts), float(sum(total for _, total in parts))


@njit(cache=True, nogil=True)
def sift_down(value: Floats, payload: Indices, n: int) -> None:
    """Restore a min-heap of ``n`` values after its root was replaced.

    Meaning: the smallest value comes first. Shapes: at least n. Cost: O(log n).
    """
    k = 0
    while True:
        child = 2 * k + 1
        if child >= n:
            return
        if child + 1 < n and value[child + 1] < value[child]:
            child += 1
        if value[k] <= value[child]:
            return
        value[k], value[child] = value[child], value[k]
        payload[k], payload[child] = payload[child], payload[k]
        k = child


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
    low: int,
    high: int,
    v: Floats,
    floor: Floats,
    col_size: Ints,
    every: bool,
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

    ``v`` is a price per column (zero if not given). ``floor`` is one number per row asked for:
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
        bound=np.full(rows.size, -np.inf),
        overlap=np.zeros(rows.size, np.int64),
    )
    chunks = row_chunks(join, rows)
    tasks = [(join, rows, low, high, prices, floors, sizes, every, out) for low, high in chunks]
    run_parallel(_best_rows, tasks, n_threads)
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
