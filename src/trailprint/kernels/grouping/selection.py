"""Groups of at least k similar rows: MDAV, and greedy selection of groups one after another.

Neither stores distances of all pairs: they are recomputed from the sparse rows when needed.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Flags, Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import Csr, sum_rows
from trailprint.kernels.distances.sparse_rows import (
    Rows,
    add_row,
    distances_to,
    distances_to_mean,
    distortion,
    mean_rows,
    nearest_rows,
    take_rows,
)
from trailprint.kernels.passes import Pass, run_pass

NOBODY = -1


@njit(cache=True, nogil=True)
def _take_nearest(
    distance: Floats, k: int, rows: Ints, n_left: int, group: Ints, label: int
) -> int:
    """Label the k nearest of the first ``n_left`` rows and drop them; return how many are left.

    Meaning: ties go to the earlier row; the other rows keep their order and their distances.
    Shapes: the first ``n_left`` of ``distance`` and ``rows`` are used. Cost: linear.
    """
    bound = np.partition(distance[:n_left], k - 1)[k - 1]
    n_ties = k
    for place in range(n_left):
        n_ties -= distance[place] < bound
    kept = 0
    for place in range(n_left):
        is_tied = distance[place] == bound and n_ties > 0
        if is_tied:
            n_ties -= 1
        if is_tied or distance[place] < bound:
            group[rows[place]] = label
        else:
            rows[kept], distance[kept] = rows[place], distance[place]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _mdav(indptr: Ints, indices: Indices, data: Floats, n_columns: int, k: int, norm: int) -> Ints:
    """Return each row's group by MDAV (maximum distance to average vector).

    Meaning: while 3k rows are left, form one group around the row farthest from their mean and one
    around the row farthest from that row; then one more if 2k are left; the rest is the last group.
    Shapes: CSR in, one label per row out. Cost: the non-zeros left, for each group.
    """
    n = indptr.size - 1
    group = np.empty(n, dtype=np.int64)
    rows, distance, point = np.arange(n), np.empty(n), np.zeros(n_columns)
    n_left, label = n, 0
    while n_left >= 2 * k:
        n_turns = 2 if n_left >= 3 * k else 1
        point[:] = 0.0
        for place in range(n_left):
            add_row(indptr, indices, data, rows[place], 1.0 / n_left, point)
        distances_to(indptr, indices, data, point, rows[:n_left], norm, distance)
        for _turn in range(n_turns):
            far = rows[np.argmax(distance[:n_left])]
            point[:] = 0.0
            add_row(indptr, indices, data, far, 1.0, point)
            distances_to(indptr, indices, data, point, rows[:n_left], norm, distance)
            n_left = _take_nearest(distance, k, rows, n_left, group, label)
            label += 1
    group[rows[:n_left]] = label
    return group


def group_by_mdav(rows: Rows, k: int) -> Ints:
    """Return each row's group by MDAV, each of at least k rows: the usual baseline."""
    return _mdav(rows.indptr, rows.indices, rows.data, rows.n_columns, k, rows.norm)


@njit(cache=True, nogil=True)
def _offer_group(
    csr: Csr,
    sizes: Floats,
    row: int,
    columns: Csr,
    column_end: Ints,
    norm: int,
    to_mean: Floats,
    is_out: Flags,
    scratch: tuple[Floats, Floats, Floats, Ints, Ints],
    members: Ints,
) -> float:
    """Write ``row`` and its nearest rows to ``members``, in order; return the group's cost.

    Meaning: the group's distortion minus its members' distances to the overall mean (``to_mean``);
    infinite where too few rows share a column. Cost: that of the nearest rows.
    """
    shared, mean, keys, ties, items = scratch
    heap = (keys, ties, items)
    size = nearest_rows(
        csr, sizes[row], row, columns, column_end, sizes, norm, is_out, row, shared, heap
    )
    members[0] = row
    if size < members.size - 1:
        return np.inf
    members[1:] = items[:size]
    # Summed in a fixed order, a group's cost is identical to the bit whichever row offers it, so
    # that ties between offers of one group are broken by row number and not by rounding.
    members.sort()
    cost = distortion(csr[0], csr[1], csr[2], members, norm, mean)
    for member in members:
        cost -= to_mean[member]
    return cost


class _Offers(NamedTuple):
    """For each row, the members of the group it offers and the group's cost."""

    members: npt.NDArray[np.int64]
    cost: Floats


@njit(cache=True, nogil=True)
def _offer_groups(
    csr: Csr,
    sizes: Floats,
    columns: Csr,
    norm: int,
    to_mean: Floats,
    low: int,
    high: int,
    out: _Offers,
) -> None:
    """Write the offers of rows ``low:high``; see `_offer_group`."""
    n, n_near = sizes.size, out.members.shape[1] - 1
    scratch = (
        np.zeros(n),
        np.zeros(columns[0].size - 1),
        np.empty(n_near),
        np.empty(n_near, dtype=np.int64),
        np.empty(n_near, dtype=np.int64),
    )
    is_out = np.zeros(n, dtype=np.bool_)
    for row in range(low, high):
        own = out.members[row]
        out.cost[row] = _offer_group(
            csr, sizes, row, columns, columns[0][1:], norm, to_mean, is_out, scratch, own
        )


@njit(cache=True, nogil=True)
def _compact(columns: Csr, column_end: Ints, is_out: Flags) -> None:
    """Drop rows that are already in a group from the columns. Cost: the entries in use."""
    start, owner, values = columns
    for column in range(column_end.size):
        kept = start[column]
        for e in range(start[column], column_end[column]):
            if not is_out[owner[e]]:
                owner[kept], values[kept] = owner[e], values[e]
                kept += 1
        column_end[column] = kept


@njit(cache=True, nogil=True)
def _select(
    csr: Csr,
    sizes: Floats,
    columns: Csr,
    norm: int,
    to_mean: Floats,
    members: npt.NDArray[np.int64],
    cost: Floats,
) -> tuple[Ints, int]:
    """Take the cheapest offered group until none is left; renew offers that have lost a member.

    Meaning: returns a label for each row, -1 if no group of k rows that share a column was left,
    and the number of groups. ``columns`` are used up. Cost: that of the renewed offers.
    """
    n, k = members.shape
    group = np.full(n, -1, dtype=np.int64)
    is_out = np.zeros(n, dtype=np.bool_)
    column_end = columns[0][1:].copy()
    scratch = (
        np.zeros(n),
        np.zeros(columns[0].size - 1),
        np.empty(k - 1),
        np.empty(k - 1, dtype=np.int64),
        np.empty(k - 1, dtype=np.int64),
    )
    queue = [(cost[row], row) for row in range(n)]
    heapq.heapify(queue)
    n_groups, n_left, compacted = 0, n, n
    while queue:
        price, row = heapq.heappop(queue)
        if is_out[row] or price == np.inf:
            continue
        whole = True
        for member in members[row]:
            whole = whole and not is_out[member]
        if not whole:
            price = _offer_group(
                csr, sizes, row, columns, column_end, norm, to_mean, is_out, scratch, members[row]
            )
            heapq.heappush(queue, (price, row))
            continue
        for member in members[row]:
            group[member] = n_groups
            is_out[member] = True
        n_groups += 1
        n_left -= k
        if n_left < 0.8 * compacted:
            _compact(columns, column_end, is_out)
            compacted = n_left
    return group, n_groups


def select_groups(rows: Rows, k: int, n_threads: int | None = None) -> Ints:
    """Return each row's group by greedy selection; every group has at least k rows.

    Of all groups of a row and its k - 1 nearest, the next one selected has the least distortion
    minus its rows' distances to the overall mean; k or more rows left over are grouped by MDAV,
    fewer join the group with the nearest mean.
    """
    csr = rows.csr
    columns = (rows.column_start, rows.column_row.copy(), rows.column_data.copy())
    to_mean = distances_to_mean(rows)
    offers = _Offers(np.zeros((rows.n_rows, k), dtype=np.int64), np.zeros(rows.n_rows))
    work = sum_rows(rows.indptr, np.diff(rows.column_start)[rows.indices])
    fixed = csr, rows.size, columns, rows.norm, to_mean
    run_pass(Pass(_offer_groups, fixed, (), work, offers), n_threads)
    group, n_groups = _select(*fixed, offers.members, offers.cost)
    left = np.flatnonzero(group == NOBODY)
    if left.size >= k or not n_groups:
        group[left] = n_groups + group_by_mdav(take_rows(rows, left), k)
    elif left.size:
        group[left] = _nearest_means(rows, group, n_groups, left)
    return group


def _nearest_means(rows: Rows, group: Ints, n_groups: int, wanted: Ints) -> Ints:
    """Return the group with the nearest mean for each of a few rows without a group."""
    means = mean_rows(take_rows(rows, np.flatnonzero(group >= 0)), group[group >= 0])
    nearest, out = np.empty(wanted.size, dtype=np.int64), np.empty(n_groups)
    for place, row in enumerate(wanted):
        point = np.zeros(rows.n_columns)
        add_row(rows.indptr, rows.indices, rows.data, row, 1.0, point)
        distances_to(
            means.indptr, means.indices, means.data, point, np.arange(n_groups), rows.norm, out
        )
        nearest[place] = int(np.argmin(out))
    return nearest
