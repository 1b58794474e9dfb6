"""Local search on groups: move, exchange, dissolve and split while the distortion falls.

Every step is judged by the exact distortions of the current groups, so the total can only fall. A
row is tried with the groups whose means are nearest, and with more of them once that stops helping;
the search ends when a whole sweep changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Floats, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import Csr, list_groups, list_ranges, sum_rows
from trailprint.kernels.distances.sparse_rows import (
    Rows,
    distances_to,
    distortion,
    group_distortions,
    mean_rows,
    nearest_rows,
)
from trailprint.kernels.passes import Pass, run_pass

N_TRIED = (8, 24)
"""Groups a row is tried with: the nearest few, and more of them once these stop helping."""
MOST_SWEEPS = 100
"""Limit on sweeps; in practice they end long before, when a whole sweep changes nothing."""
LEAST_GAIN = 1e-10
"""Smaller decreases count as rounding errors."""

Matrix = npt.NDArray[np.int64]


class Groups(NamedTuple):
    """Assignment of rows to groups: ``members[g, :n_members[g]]`` are the rows of group ``g``.

    ``of`` is each row's group, ``cost[g]`` a group's distortion, ``changed[g]`` the last sweep that
    changed it.
    """

    of: Ints
    members: Matrix
    n_members: Ints
    cost: Floats
    changed: Ints


def refine_groups(rows: Rows, group: Ints, k: int, n_threads: int | None = None) -> Ints:
    """Return groups of at least k rows whose distortion is at most that of the given ones."""
    csr = rows.csr
    groups = _build_groups(rows, group, k)
    n_tried = N_TRIED[0]
    for sweep in range(1, MOST_SWEEPS + 1):
        near = _nearest_groups(rows, groups.of, n_tried, n_threads)
        if _sweep(csr, rows.n_columns, rows.norm, groups, near, k, sweep):
            continue
        if n_tried == N_TRIED[1]:
            break
        n_tried = N_TRIED[1]
        groups.changed[:] = sweep
    return np.unique(groups.of, return_inverse=True)[1].astype(np.int64)


def _build_groups(rows: Rows, group: Ints, k: int) -> Groups:
    ptr, member = list_groups(group)
    count = np.diff(ptr)
    room = max(3 * k, int(count.max()) + k)
    members = np.zeros((rows.n_rows // k + 1, room), dtype=np.int64)
    cost = np.zeros(members.shape[0])
    cost[: count.size] = group_distortions(rows, group)
    place = list_ranges(np.zeros_like(count), count)
    members[group[member], place] = member
    count = np.concatenate([count, np.zeros(members.shape[0] - count.size, dtype=count.dtype)])
    return Groups(group.copy(), members, count, cost, np.zeros(count.size, dtype=np.int64))


def _nearest_groups(rows: Rows, group: Ints, n_tried: int, n_threads: int | None) -> Matrix:
    """Return each row's groups with the nearest means, -1 where fewer share a column with it."""
    means = mean_rows(rows, group)
    # An empty group has no mean: no row shares a column with it.
    columns = (means.column_start, means.column_row, means.column_data)
    near = np.zeros((rows.n_rows, n_tried), dtype=np.int64)
    work = sum_rows(rows.indptr, np.diff(means.column_start)[rows.indices])
    fixed = rows.csr, rows.size, rows.norm
    run_pass(Pass(_find_near, fixed, (columns, means.size), work, near), n_threads)
    return near


@njit(cache=True, nogil=True)
def _find_near(
    csr: Csr,
    sizes: Floats,
    norm: int,
    columns: Csr,
    mean_sizes: Floats,
    low: int,
    high: int,
    near: Matrix,
) -> None:
    """Write the nearest means of rows ``low:high``, nearest first, padded with -1."""
    shared = np.zeros(mean_sizes.size)
    is_out = np.zeros(mean_sizes.size, dtype=np.bool_)
    n_tried = near.shape[1]
    keys = np.empty(n_tried)
    heap = (keys, np.empty(n_tried, dtype=np.int64), np.empty(n_tried, dtype=np.int64))
    for row in range(low, high):
        size = nearest_rows(
            csr,
            sizes[row],
            row,
            columns,
            columns[0][1:],
            mean_sizes,
            norm,
            is_out,
            -1,
            shared,
            heap,
        )
        order = np.argsort(keys[:size], kind="mergesort")
        near[row] = -1
        for place in range(size):
            near[row, place] = heap[2][order[place]]


@njit(cache=True, nogil=True)
def _changed_cost(
    csr: Csr,
    members: Ints,
    without: int,
    plus: int,
    norm: int,
    mean: Floats,
) -> float:
    """Return a group's distortion without one row and with another (-1: none)."""
    trial = np.empty(members.size + 1, dtype=np.int64)
    size = 0
    for row in members:
        if row != without:
            trial[size] = row
            size += 1
    if plus >= 0:
        trial[size] = plus
        size += 1
    return distortion(csr[0], csr[1], csr[2], trial[:size], norm, mean)


@njit(cache=True, nogil=True)
def _remove(groups: Groups, label: int, row: int) -> None:
    """Take a row out of a group; the last row takes its place. Cost: the group's size."""
    groups.n_members[label] -= 1
    _replace(groups, label, row, groups.members[label, groups.n_members[label]])


@njit(cache=True, nogil=True)
def _replace(groups: Groups, label: int, row: int, new: int) -> None:
    """Put another row in the place of one of a group. Cost: the group's size."""
    own = groups.members[label]
    place = 0
    while own[place] != row:
        place += 1
    own[place] = new
    groups.of[new] = label


@njit(cache=True, nogil=True)
def _append(groups: Groups, label: int, row: int) -> None:
    """Put a row into a group. Cost: constant."""
    groups.members[label, groups.n_members[label]] = row
    groups.n_members[label] += 1
    groups.of[row] = label


@njit(cache=True, nogil=True)
def _add_mean(csr: Csr, members: Ints, mean: Floats) -> None:
    """Add the mean of a group to a vector of zeros. Cost: the group's non-zeros."""
    indptr, indices, data = csr
    for row in members:
        for e in range(indptr[row], indptr[row + 1]):
            mean[indices[e]] += data[e] / members.size


@njit(cache=True, nogil=True)
def _clear(csr: Csr, members: Ints, mean: Floats) -> None:
    """Reset a vector to zero in the columns of a group. Cost: the group's non-zeros."""
    indptr, indices, _ = csr
    for row in members:
        for e in range(indptr[row], indptr[row + 1]):
            mean[indices[e]] = 0.0


@njit(cache=True, nogil=True)
def _best_partner(
    csr: Csr,
    other: Ints,
    norm: int,
    here: Floats,
    there: Floats,
) -> int:
    """Return ``other``'s best swap candidate for a group whose mean is ``here``, by the means.

    Meaning: least distance to that mean minus distance to its own. Shapes: ``there`` is scratch of
    zeros, left as zeros. Cost: three passes over the other group's non-zeros.
    """
    indptr, indices, data = csr
    _add_mean(csr, other, there)
    best, least = -1, np.inf
    for row in other:
        score = 0.0
        for e in range(indptr[row], indptr[row + 1]):
            a, b, x = here[indices[e]], there[indices[e]], data[e]
            if norm == 1:
                score += abs(x - a) - abs(a) - abs(x - b) + abs(b)
            else:
                score += 2.0 * x * (b - a)
        if score < least:
            best, least = row, score
    _clear(csr, other, there)
    return best


@njit(cache=True, nogil=True)
def _is_open(groups: Groups, label: int, home: int, sweep: int) -> bool:
    """Return whether a group may be tried for a row of ``home``: one of the two changed lately."""
    if label < 0 or label == home or groups.n_members[label] == 0:
        return False
    return bool(max(groups.changed[label], groups.changed[home]) >= sweep - 1)


@njit(cache=True, nogil=True)
def _is_any_open(groups: Groups, labels: Ints, home: int, sweep: int) -> bool:
    """Return whether any of the groups may be tried; see `_is_open`."""
    n_open = 0
    for label in labels:
        n_open += _is_open(groups, label, home, sweep)
    return n_open > 0


@njit(cache=True, nogil=True)
def _improve_row(
    csr: Csr,
    norm: int,
    groups: Groups,
    tried: Ints,
    row: int,
    k: int,
    sweep: int,
    scratch: tuple[Floats, Floats, Floats],
) -> bool:
    """Move a row to another group or exchange it with a row there, by the greatest decrease.

    Meaning: returns whether anything changed; groups keep at least k rows. Cost: a few distortions
    for each group tried.
    """
    home = groups.of[row]
    if not _is_any_open(groups, tried, home, sweep):
        return False
    own = groups.members[home, : groups.n_members[home]]
    here, there, mean = scratch
    gain, target, partner = LEAST_GAIN, -1, -1
    new_home, new_target = 0.0, 0.0
    without = _changed_cost(csr, own, row, -1, norm, mean) if own.size > k else np.inf
    _add_mean(csr, own, here)
    for label in tried:
        if not _is_open(groups, label, home, sweep):
            continue
        other = groups.members[label, : groups.n_members[label]]
        now = groups.cost[home] + groups.cost[label]
        if own.size > k and other.size < groups.members.shape[1]:
            with_row = _changed_cost(csr, other, -1, row, norm, mean)
            if now - without - with_row > gain:
                gain, target, partner = now - without - with_row, label, -1
                new_home, new_target = without, with_row
        guest = _best_partner(csr, other, norm, here, there)
        after_home = _changed_cost(csr, own, row, guest, norm, mean)
        if after_home < now - gain:
            after = _changed_cost(csr, other, guest, row, norm, mean)
            if now - after_home - after > gain:
                gain, target, partner = now - after_home - after, label, guest
                new_home, new_target = after_home, after
    _clear(csr, own, here)
    if target < 0:
        return False
    _remove(groups, home, row)
    if partner >= 0:
        # Not appended first: the other group may have no room for one row more.
        _replace(groups, target, partner, row)
        _append(groups, home, partner)
    else:
        _append(groups, target, row)
    groups.cost[home], groups.cost[target] = new_home, new_target
    groups.changed[home], groups.changed[target] = sweep, sweep
    return True


@njit(cache=True, nogil=True)
def _dissolve(
    csr: Csr,
    norm: int,
    groups: Groups,
    near: Matrix,
    label: int,
    sweep: int,
    mean: Floats,
) -> bool:
    """Move each row of a group to where it adds the least distortion, if that lowers the total.

    Meaning: row by row, undone if the total does not fall. Cost: a few distortions per row.
    """
    size = groups.n_members[label]
    own = groups.members[label, :size].copy()
    targets = np.full(size, -1, dtype=np.int64)
    before = np.zeros(size)
    spent = 0.0
    for place in range(size):
        least = np.inf
        for other in near[own[place]]:
            if other < 0 or other == label or groups.n_members[other] == 0:
                continue
            if groups.n_members[other] == groups.members.shape[1]:
                continue
            rest = groups.members[other, : groups.n_members[other]]
            added = _changed_cost(csr, rest, -1, own[place], norm, mean) - groups.cost[other]
            if added < least:
                least, targets[place] = added, other
        spent += least
        if spent > groups.cost[label] - LEAST_GAIN:
            targets[place] = -1
            break
        before[place] = groups.cost[targets[place]]
        groups.cost[targets[place]] += least
        _append(groups, targets[place], own[place])
    if targets[size - 1] >= 0:
        groups.n_members[label], groups.cost[label] = 0, 0.0
        groups.changed[targets] = sweep
        return True
    for place in range(size - 1, -1, -1):
        if targets[place] >= 0:
            groups.n_members[targets[place]] -= 1
            groups.cost[targets[place]] = before[place]
            groups.of[own[place]] = label
    return False


@njit(cache=True, nogil=True)
def _split(
    csr: Csr,
    n_columns: int,
    norm: int,
    groups: Groups,
    label: int,
    k: int,
    sweep: int,
    mean: Floats,
) -> bool:
    """Split a group of 2k rows or more in two where that lowers the total most.

    Meaning: rows are put in a line from the one farthest from the mean to the one farthest from
    that, and every cut that leaves k on either side is tried. Cost: two distortions per cut.
    """
    empty = -1
    for other in range(groups.n_members.size):
        if groups.n_members[other] == 0:
            empty = other
            break
    if empty < 0:
        return False
    own = groups.members[label, : groups.n_members[label]].copy()
    to_first, to_last = np.empty(own.size), np.empty(own.size)
    point = np.zeros(n_columns)
    for row in own:
        for e in range(csr[0][row], csr[0][row + 1]):
            point[csr[1][e]] += csr[2][e] / own.size
    for distance in (to_last, to_first, to_last):
        distances_to(csr[0], csr[1], csr[2], point, own, norm, distance)
        far = own[np.argmax(distance)]
        point[:] = 0.0
        for e in range(csr[0][far], csr[0][far + 1]):
            point[csr[1][e]] += csr[2][e]
    # The third pass measured from the other end of the line: the row farthest from the first end.
    line = own[np.argsort(to_first - to_last, kind="mergesort")]
    least, cut, left, right = groups.cost[label] - LEAST_GAIN, -1, 0.0, 0.0
    for size in range(k, own.size - k + 1):
        first = distortion(csr[0], csr[1], csr[2], line[:size], norm, mean)
        last = distortion(csr[0], csr[1], csr[2], line[size:], norm, mean)
        if first + last < least:
            least, cut, left, right = first + last, size, first, last
    if cut < 0:
        return False
    groups.n_members[label] = 0
    for place in range(line.size):
        _append(groups, label if place < cut else empty, line[place])
    groups.cost[label], groups.cost[empty] = left, right
    groups.changed[label], groups.changed[empty] = sweep, sweep
    return True


@njit(cache=True, nogil=True)
def _sweep(
    csr: Csr,
    n_columns: int,
    norm: int,
    groups: Groups,
    near: Matrix,
    k: int,
    sweep: int,
) -> int:
    """Try every row and every group once; return the number of steps taken.

    Meaning: moves and dissolutions are tried only for groups that changed in this sweep or the one
    before. Cost: that of the trials.
    """
    scratch = (np.zeros(n_columns), np.zeros(n_columns), np.zeros(n_columns))
    n_steps = 0
    for row in range(groups.of.size):
        n_steps += _improve_row(csr, norm, groups, near[row], row, k, sweep, scratch)
    for label in range(groups.n_members.size):
        if groups.n_members[label] >= 2 * k:
            n_steps += _split(csr, n_columns, norm, groups, label, k, sweep, scratch[2])
    for label in range(groups.n_members.size):
        if groups.n_members[label] and groups.changed[label] >= sweep - 1:
            n_steps += _dissolve(csr, norm, groups, near, label, sweep, scratch[2])
    return n_steps
