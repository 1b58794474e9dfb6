"""Sparse rows: their distances (l1 or squared l2), means and nearest neighbours.

With ``f`` the absolute value or the square and ``F(x) = sum of f(x)``, the distance of two rows is
``d(x, y) = F(x) + F(y) + sum over shared columns of f(x - y) - f(x) - f(y)``: only shared columns
cost work, and no distance is stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Flags, Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import Csr, gather_rows, list_groups, transpose_csr
from trailprint.kernels.heaps import keep_smallest

L1 = 1
L2 = 2


class Rows(NamedTuple):
    """Sparse rows, by row and by column: row ``i`` owns ``indptr[i]:indptr[i + 1]``."""

    indptr: Ints
    indices: Indices
    data: Floats
    size: Floats
    column_start: Ints
    column_row: Indices
    column_data: Floats
    norm: int

    @property
    def csr(self) -> Csr:
        """The matrix by row."""
        return self.indptr, self.indices, self.data

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.indptr.size - 1)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.column_start.size - 1)


def build_rows(indptr: Ints, indices: Indices, data: Floats, n_columns: int, norm: int) -> Rows:
    """Return a CSR matrix with what the kernels need: each row's size, and the transpose."""
    owner = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    amount = np.abs(data) if norm == L1 else data * data
    column_start, column_row, column_data = transpose_csr(indptr, indices, data, n_columns)
    return Rows(
        indptr=indptr.astype(np.int64),
        indices=indices.astype(np.int32),
        data=data.astype(np.float64),
        size=np.bincount(owner, amount, indptr.size - 1).astype(np.float64),
        column_start=column_start,
        column_row=column_row,
        column_data=column_data,
        norm=norm,
    )


def take_rows(rows: Rows, chosen: Ints) -> Rows:
    """Return the chosen rows, in the order given."""
    return build_rows(*gather_rows(rows.csr, chosen), rows.n_columns, rows.norm)


def mean_rows(rows: Rows, group: Ints) -> Rows:
    """Return the mean of each group as a row."""
    means = _mean_groups(rows.csr, rows.n_columns, *list_groups(group))
    return build_rows(*means, rows.n_columns, rows.norm)


@njit(cache=True, nogil=True)
def _mean_groups(csr: Csr, n_columns: int, ptr: Ints, member: Ints) -> Csr:
    """Return the means of the groups ``member[ptr[g]:ptr[g + 1]]`` as CSR, columns ascending.

    Meaning: rows are summed in the order given. Cost: sorting the non-zeros, group by group.
    """
    indptr, indices, data = csr
    start = np.zeros(ptr.size, np.int64)
    columns = np.empty(indices.size, np.int32)
    means = np.empty(indices.size)
    total = np.zeros(n_columns)
    is_new = np.ones(n_columns, np.bool_)
    n = 0
    for g in range(ptr.size - 1):
        first = n
        for row in member[ptr[g] : ptr[g + 1]]:
            for e in range(indptr[row], indptr[row + 1]):
                c = indices[e]
                total[c] += data[e]
                if is_new[c]:
                    is_new[c] = False
                    columns[n] = c
                    n += 1
        columns[first:n].sort()
        for place in range(first, n):
            c = columns[place]
            means[place] = total[c] / (ptr[g + 1] - ptr[g])
            total[c] = 0.0
            is_new[c] = True
        start[g + 1] = n
    return start, columns[:n].copy(), means[:n].copy()


@njit(cache=True, nogil=True, inline="always")
def magnitude(x: float, norm: int) -> float:
    """Return ``|x|`` or ``x * x``. Shapes: scalars. Cost: constant."""
    return abs(x) if norm == 1 else x * x


@njit(cache=True, nogil=True)
def add_row(
    indptr: Ints, indices: Indices, data: Floats, row: int, scale: float, out: Floats
) -> None:
    """Add ``scale`` times a row to a dense vector. Cost: the row's non-zeros."""
    for e in range(indptr[row], indptr[row + 1]):
        out[indices[e]] += scale * data[e]


@njit(cache=True, nogil=True)
def distances_to(
    indptr: Ints,
    indices: Indices,
    data: Floats,
    point: Floats,
    rows: Ints,
    norm: int,
    out: Floats,
) -> None:
    """Write the distances from ``rows`` to a dense ``point`` into ``out``.

    Meaning: l1 or squared l2. Shapes: ``point`` has all columns, ``out`` one entry per row.
    Cost: the non-zeros of ``rows`` and one pass over ``point``.
    """
    whole = 0.0
    for value in point:
        whole += magnitude(value, norm)
    for place in range(rows.size):
        distance = whole
        for e in range(indptr[rows[place]], indptr[rows[place] + 1]):
            c = point[indices[e]]
            distance += magnitude(data[e] - c, norm) - magnitude(c, norm)
        out[place] = distance


def distances_to_mean(rows: Rows) -> Floats:
    """Return each row's distance to the mean of all rows."""
    mean = np.bincount(rows.indices, rows.data, rows.n_columns) / max(rows.n_rows, 1)
    out = np.empty(rows.n_rows)
    everybody = np.arange(rows.n_rows)
    distances_to(rows.indptr, rows.indices, rows.data, mean, everybody, rows.norm, out)
    return out


@njit(cache=True, nogil=True)
def distortion(
    indptr: Ints,
    indices: Indices,
    data: Floats,
    members: Ints,
    norm: int,
    mean: Floats,
) -> float:
    """Return the sum of the members' distances to their mean.

    Meaning: the loss from replacing them by their mean. Shapes: ``mean`` is scratch of one zero per
    column, left as zeros. Cost: three passes over the members' non-zeros.
    """
    for row in members:
        add_row(indptr, indices, data, row, 1.0 / members.size, mean)
    total, whole = 0.0, 0.0
    for row in members:
        for e in range(indptr[row], indptr[row + 1]):
            c = mean[indices[e]]
            total += magnitude(data[e] - c, norm) - magnitude(c, norm)
    for row in members:
        for e in range(indptr[row], indptr[row + 1]):
            whole += magnitude(mean[indices[e]], norm)
            mean[indices[e]] = 0.0
    return total + members.size * whole


def group_distortions(rows: Rows, group: Ints) -> Floats:
    """Return the distortion of each group; groups are numbered from zero, without gaps."""
    ptr, member = list_groups(group)
    found = np.empty(ptr.size - 1)
    _distortions(rows.csr, rows.n_columns, rows.norm, ptr, member, found)
    return found


@njit(cache=True, nogil=True)
def _distortions(
    csr: Csr,
    n_columns: int,
    norm: int,
    ptr: Ints,
    member: Ints,
    found: Floats,
) -> None:
    """Write the distortion of each group ``member[ptr[g]:ptr[g + 1]]``. Cost: see `distortion`."""
    mean = np.zeros(n_columns)
    for g in range(found.size):
        found[g] = distortion(csr[0], csr[1], csr[2], member[ptr[g] : ptr[g + 1]], norm, mean)


@njit(cache=True, nogil=True)
def nearest_rows(
    query: Csr,
    query_size: float,
    row: int,
    columns: Csr,
    column_end: Ints,
    sizes: Floats,
    norm: int,
    is_out: Flags,
    itself: int,
    shared: Floats,
    heap: tuple[Floats, Ints, Ints],
) -> int:
    """Find the rows nearest to one query row among those it shares a column with.

    Meaning: the heap keeps the nearest, and its size is returned; ties go to the next row after
    ``row``, cyclically, to spread equal rows. Rows in ``is_out`` and ``itself`` are skipped.
    Shapes: ``shared`` is scratch of one zero per row, left as zeros. Cost: the columns' entries.
    """
    indptr, indices, data = query
    start, owner, values = columns
    n = sizes.size
    for e in range(indptr[row], indptr[row + 1]):
        own = data[e]
        base = magnitude(own, norm)
        for c in range(start[indices[e]], column_end[indices[e]]):
            shared[owner[c]] += magnitude(own - values[c], norm) - base - magnitude(values[c], norm)
    size = 0
    for e in range(indptr[row], indptr[row + 1]):
        for c in range(start[indices[e]], column_end[indices[e]]):
            other = owner[c]
            gain = shared[other]
            shared[other] = 0.0
            if gain != 0.0 and other != itself and not is_out[other]:
                distance = query_size + sizes[other] + gain
                size = keep_smallest(
                    heap[0], heap[1], heap[2], size, distance, (other - row) % n, other
                )
    return size
