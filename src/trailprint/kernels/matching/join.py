"""Stream all pairs that share a location, without storing them.

A `Join` is two sets of histograms over the same locations, the released ones by row and the
auxiliary ones by location. For each row, a pass goes through the row's locations, adds the pairs'
terms up in a scratch row, uses the gains and clears them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import Csr, as_csr, sum_rows, transpose_csr
from trailprint.kernels.matching.metrics import (
    TINY,
    Metric,
    largest_constant,
    pair_base,
    term_value,
    x_log_x,
)
from trailprint.kernels.threads import count_chunks, split_evenly


class Join(NamedTuple):
    """Released rows and auxiliary columns over the same locations.

    ``row_*``: CSR over released users; ``loc_*``: the auxiliary matrix by location. ``*_log`` is
    ``x ln x`` of each entry. ``row_total``, ``col_total`` have size 0 unless the metric's base
    depends on totals; then ``constant`` is the largest pair constant. Locations from ``gate`` on
    count only for pairs that share an earlier location; ``gated``, ``gated_log`` hold the columns'
    values there, one row per column of the join.
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
    gate: int
    gated: Floats
    gated_log: Floats

    @property
    def n_rows(self) -> int:
        """Number of released rows."""
        return self.row_ptr.size - 1


def build_join(
    released: Csr,
    auxiliary: Csr,
    n_locations: int,
    metric: Metric,
    gate: int | None = None,
) -> Join:
    """Return the join of two CSR matrices (ptr, location, value > 0), scaled for the metric.

    Empty rows match nothing; a metric that uses totals does not allow them. ``gate`` is the first
    location that counts only for pairs that share an earlier one (default: no such locations).
    """
    row_ptr, row_loc, row_val = as_csr(released)
    aux_ptr, _, aux_val = auxiliary
    by_location = transpose_csr(*auxiliary, n_locations)
    loc_ptr, loc_user, loc_val = by_location
    first = n_locations if gate is None else gate
    gated = _gated_values(by_location, first, aux_ptr.size - 1)
    row_total = np.zeros(0)
    col_total = np.zeros(0)
    if metric.uses_totals:
        row_total = sum_rows(row_ptr, row_val)
        col_total = sum_rows(aux_ptr, aux_val)
    return Join(
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
        n_cols=aux_ptr.size - 1,
        term=metric.term,
        constant=largest_constant(row_total, col_total),
        gate=first,
        gated=gated,
        gated_log=x_log_x(gated),
    )


def _gated_values(by_location: Csr, gate: int, n_cols: int) -> Floats:
    """Return the columns' values at the locations from ``gate`` on, one row per column."""
    loc_ptr, loc_user, loc_val = by_location
    n_gated = loc_ptr.size - 1 - gate
    gated = np.zeros((n_cols if n_gated else 0, n_gated))
    start = loc_ptr[gate]
    which = np.repeat(np.arange(n_gated), np.diff(loc_ptr[gate:]))
    gated[loc_user[start:], which] = loc_val[start:]
    return gated


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
    rows, by_location = (row_ptr, row_loc, row_val), (loc_ptr, loc_user, loc_val)
    return with_sides(join, rows, by_location, join.n_rows, *totals)


def with_sides(
    join: Join,
    rows: Csr,
    by_location: Csr,
    n_cols: int,
    row_total: Floats,
    col_total: Floats,
) -> Join:
    """Return a join with the same metric of other rows and other columns, given by location."""
    row_ptr, row_loc, row_val = rows
    loc_ptr, loc_user, loc_val = by_location
    gated = _gated_values(by_location, join.gate, n_cols)
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
        n_cols=n_cols,
        gated=gated,
        gated_log=x_log_x(gated),
    )


def row_work(join: Join) -> Ints:
    """Return the number of terms that a pass adds up for each row."""
    per_location = np.diff(join.loc_ptr)
    per_location[join.gate :] = 0
    return sum_rows(join.row_ptr, per_location[join.row_loc])


WORTH_A_BLOCK = 20_000.0
"""Fewest terms worth a block of their own: a fifth of a millisecond."""


def least_block(join: Join) -> float | None:
    """Return the least work worth a block; None if rows take longer than their terms suggest."""
    return None if join.row_total.size else WORTH_A_BLOCK / (1 + join.gated.shape[1])


def row_chunks(join: Join, rows: Ints) -> list[tuple[int, int]]:
    """Cut a list of rows into ranges of about equal work."""
    work, least = row_work(join)[rows], least_block(join)
    if least is None:
        return split_evenly(work)
    return split_evenly(work, count_chunks(float(work.sum()), least))


@njit(cache=True, nogil=True)
def _add_gated(join: Join, low: int, high: int, scratch: Floats, touched: Indices) -> None:
    """Add the terms of a row's gated entries low:high to the pairs that overlap already.

    Meaning: locations that all people share identify no one by themselves. Cost: entries x touched.
    """
    for e in range(low, high):
        k = join.row_loc[e] - join.gate
        p = join.row_val[e]
        p_log = join.row_log[e]
        for j in touched:
            q = join.gated[j, k]
            if q > 0.0:
                scratch[j] += term_value(join.term, p, q, p_log, join.gated_log[j, k])


@njit(cache=True, nogil=True)
def fill_row(join: Join, i: int, scratch: Floats, touched: Indices) -> int:
    """Compute row i's gains in the scratch row.

    Meaning: ``scratch[touched[:n]]`` are the gains of the n overlapping pairs; returns n.
    Shapes: scratch over columns (all zero before), touched one longer. Cost: one term each.
    """
    n = 0
    for e in range(join.row_ptr[i], join.row_ptr[i + 1]):
        c = join.row_loc[e]
        if c >= join.gate:
            _add_gated(join, e, join.row_ptr[i + 1], scratch, touched[:n])
            break
        p = join.row_val[e]
        p_log = join.row_log[e]
        for f in range(join.loc_ptr[c], join.loc_ptr[c + 1]):
            j = join.loc_user[f]
            old = scratch[j]
            # Branch-free: the entry is always written, and kept only if the column is new.
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
    """Compute row i's gains as `fill_row` does; if the metric uses totals, of unshared pairs too.

    Meaning: columns not touched have gain zero. Shapes: as in `fill_row`. Cost: as in `fill_row`,
    plus one `pair_base` per unshared pair if the metric uses totals.
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
