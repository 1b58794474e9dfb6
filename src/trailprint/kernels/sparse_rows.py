"""Sparse rows, their distances, means and nearest neighbours, l1 or squared l2.

With ``f`` the absolute value or the square and ``F(x) = sum of f(x)``, the distance of two rows is
``d(x, y) = F(x) + F(y) + sum over shared columns of f(x - y) - f(x) - f(y)``: the work is that of
the shared columns, and no distance is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

L1 = 1
L2 = 2


class Rows(NamedTuple):
    """Sparse rows, and the same by column: row ``i`` owns ``indptr[i]:indptr[i + 1]``."""

    indptr: Ints
    indices: Indices
    data: Floats
    size: Floats
    column_start: Ints
    column_row: Indices
    column_data: Floats
    norm: int

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.indptr.size - 1)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return int(self.column_start.size - 1)


def build_rows(indptr: Ints, indices: Indices, data: Floats, n_columns: int, norm: int) -> Rows:
    """Add what the kernels need to know of a CSR matrix: each row's size, and its columns."""
    owner = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    order = np.argsort(indices, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(indices, minlength=n_columns))])
    amount = np.abs(data) if norm == L1 else data * data
    return Rows(
        indptr=indptr.astype(np.int64),
        indices=indices.astype(np.int32),
        data=data.astype(np.float64),
        size=np.bincount(owner, amount, indptr.size - 1).astype(np.float64),
        column_start=start.astype(np.int64),
        column_row=owner[order].astype(np.int32),
        column_data=data[order].astype(np.float64),
        norm=norm,
    )


def take_rows(rows: Rows, chosen: Ints) -> Rows:
    """Return some of the rows, in the order given."""
    lengths = np.diff(rows.indptr)[chosen]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = np.repeat(rows.indptr[chosen] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return build_rows(indptr, rows.indices[entries], rows.data[entries], rows.n_columns, rows.norm)


def mean_rows(rows: Rows, group: Ints) -> Rows:
    """Return the mean of each group as a row."""
    n_groups = int(group.max()) + 1
    owner = np.repeat(group, np.diff(rows.indptr))
    key, place = np.unique(owner * rows.n_columns + rows.indices, return_inverse=True)
    total = np.bincount(place, rows.data, key.size)
    of = key // rows.n_columns
    indptr = np.searchsorted(of, np.arange(n_groups + 1)).astype(np.int64)
    mean = total / np.bincount(group, minlength=n_groups)[of]
    column = (key % rows.n_columns).astype(np.int32)
    return build_rows(indptr, column, mean, rows.n_columns, rows.norm)


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
    """Write the distance of each of ``rows`` to a dense ``point`` to ``out``.

    Meaning: l1 or squared l2. Shapes: ``point`` has all columns, ``out`` as many as ``rows``.
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
    """Return each row's distance to the mean of all."""
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

    Meaning: what replacing them by their mean costs. Shapes: ``mean`` is scratch of one zero per
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
    """Return the distortion of each group; groups are numbered from nought, none is empty."""
    ends = np.append(0, np.cumsum(np.bincount(group)))
    order = np.argsort(group, kind="stable")
    found = np.empty(ends.size - 1)
    _distortions(
        (rows.indptr, rows.indices, rows.data), rows.n_columns, rows.norm, order, ends, found
    )
    return found


@njit(cache=True, nogil=True)
def _distortions(
    csr: tuple[Ints, Indices, Floats],
    n_columns: int,
    norm: int,
    order: Ints,
    ends: Ints,
    found: Floats,
) -> None:
    """Write the distortion of ``order[ends[g]:ends[g + 1]]`` for each group g. Cost: its own."""
    mean = np.zeros(n_columns)
    for g in range(found.size):
        found[g] = distortion(csr[0], csr[1], csr[2], order[ends[g] : ends[g + 1]], norm, mean)


@njit(cache=True, nogil=True)
def _sift(keys: Floats, ties: Ints, items: Ints, size: int) -> None:
    """Let the root of a max-heap sink to its place. Cost: the logarithm of ``size``."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            return
        right = child + 1
        if right < size and (
            keys[right] > keys[child] or (keys[right] == keys[child] and ties[right] > ties[child])
        ):
            child = right
        if keys[place] > keys[child] or (keys[place] == keys[child] and ties[place] >= ties[child]):
            return
        keys[place], keys[child] = keys[child], keys[place]
        ties[place], ties[child] = ties[child], ties[place]
        items[place], items[child] = items[child], items[place]
        place = child


@njit(cache=True, nogil=True)
def _keep_smallest(
    keys: Floats, ties: Ints, items: Ints, size: int, key: float, tie: int, item: int
) -> int:
    """Offer an item to the ``keys.size`` smallest so far (a max-heap); return how many there are.

    Meaning: smaller keys first, then smaller ties. Cost: the logarithm of ``keys.size``.
    """
    if size < keys.size:
        place = size
        while place > 0:
            parent = (place - 1) // 2
            if keys[parent] > key or (keys[parent] == key and ties[parent] > tie):
                break
            keys[place], ties[place], items[place] = keys[parent], ties[parent], items[parent]
            place = parent
        keys[place], ties[place], items[place] = key, tie, item
        return size + 1
    if size and (key < keys[0] or (key == keys[0] and tie < ties[0])):
        keys[0], ties[0], items[0] = key, tie, item
        _sift(keys, ties, items, size)
    return size


@njit(cache=True, nogil=True)
def nearest_rows(
    query: tuple[Ints, Indices, Floats],
    query_size: float,
    row: int,
    columns: tuple[Ints, Indices, Floats],
    column_end: Ints,
    sizes: Floats,
    norm: int,
    is_out: Flags,
    itself: int,
    shared: Floats,
    heap: tuple[Floats, Ints, Ints],
) -> int:
    """Find the rows nearest to one query row among those it shares a column with.

    Meaning: the heap keeps the nearest; ties go to the next row after ``row``, in a circle, so
    that equal rows are spread. Rows that are out do not count, and neither does ``itself``.
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
                size = _keep_smallest(
                    heap[0], heap[1], heap[2], size, distance, (other - row) % n, other
                )
    return size
