"""Reduce a matching problem to a smaller, equivalent one.

Users with identical histograms become one node with a capacity, users who cannot overlap fall
into separate components, and both sides are shuffled with the seed, so that the order of the input
has no effect. In a large problem users with the same main place become neighbours, so that a pass
writes to nearby entries of its scratch row and makes better use of the cache.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from trailprint.arrays import Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import Csr, as_csr, gather_rows, label_equal_rows, main_locations
from trailprint.kernels.matching.join import Join, build_join
from trailprint.kernels.matching.metrics import Metric
from trailprint.kernels.matching.parts import take_columns, take_rows

LARGE = 100_000
"""Nodes of a side from which on rows are sorted by place: a scratch row outgrows the cache."""


class Reduced(NamedTuple):
    """A join of distinct histograms, component by component.

    ``row_group``, ``col_group``: each user's node, -1 for a user without data. ``row_size``,
    ``col_size``: users per node. ``row_start``, ``col_start``: component c owns the nodes
    ``row_start[c]:row_start[c + 1]``.
    """

    join: Join
    row_group: Ints
    col_group: Ints
    row_size: Ints
    col_size: Ints
    row_start: Ints
    col_start: Ints


@njit(cache=True, nogil=True)
def _find(parent: Ints, x: int) -> int:
    """Return the representative of x's set (union-find with path halving)."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@njit(cache=True, nogil=True)
def _join_locations(parent: Ints, ptr: Ints, loc: Indices, gate: int) -> None:
    """Merge, for every row, its locations below the gate into one set.

    Meaning: ``parent`` is a union-find forest over locations. Cost: near linear in nnz.
    """
    for i in range(ptr.size - 1):
        if ptr[i] < ptr[i + 1]:
            a = _find(parent, loc[ptr[i]])
            for e in range(ptr[i] + 1, ptr[i + 1]):
                if loc[e] >= gate:
                    break
                b = _find(parent, loc[e])
                if b < a:
                    a, b = b, a
                parent[b] = a


@njit(cache=True, nogil=True)
def _roots(parent: Ints) -> Ints:
    """Return every element's representative."""
    out = np.empty(parent.size, np.int64)
    for x in range(parent.size):
        out[x] = _find(parent, x)
    return out


def reduce_problem(
    released: Csr,
    auxiliary: Csr,
    n_locations: int,
    metric: Metric,
    seed: int,
    gate: int | None = None,
) -> Reduced:
    """Return the problem with identical users merged, split into components, and shuffled.

    Rows must have ascending locations and positive values and, with a ``gate`` (see `build_join`),
    at least one location below it. With a metric whose base depends on totals every pair matters,
    and there is only one component.
    """
    rng = np.random.default_rng(seed)
    sides = [_distinct_rows(as_csr(matrix), rng) for matrix in (released, auxiliary)]
    component = np.zeros(n_locations, np.int64)
    if not metric.uses_totals:
        component = _components([matrix for _, matrix in sides], n_locations, gate)
    n_components = int(component.max(initial=-1)) + 1
    places = n_locations if gate is None else gate
    ordered = [
        _order_rows(label, matrix, component, n_components, _neighbours(matrix, places, rng))
        for label, matrix in sides
    ]
    (row_group, rows, row_start), (col_group, cols, col_start) = ordered
    return Reduced(
        join=build_join(rows, cols, n_locations, metric, gate),
        row_group=row_group,
        col_group=col_group,
        row_size=np.bincount(row_group[row_group >= 0], minlength=rows[0].size - 1),
        col_size=np.bincount(col_group[col_group >= 0], minlength=cols[0].size - 1),
        row_start=row_start,
        col_start=col_start,
    )


def split_largest(reduced: Reduced) -> list[Reduced]:
    """Split off the first component, which has the most entries, from all the others.

    Nodes keep their order; ``row_group`` and ``col_group`` are left empty: users belong to the
    whole problem. With one component, or where every pair matters, nothing is split.
    """
    if reduced.row_start.size <= 2 or reduced.join.row_total.size:
        return [reduced]
    cuts = [0, 1, reduced.row_start.size - 1]
    return [_take_components(reduced, low, high) for low, high in pairwise(cuts)]


def _take_components(reduced: Reduced, low: int, high: int) -> Reduced:
    """Return the problem of components low:high."""
    join, none = reduced.join, np.zeros(0, np.int64)
    row_start, col_start = reduced.row_start[low : high + 1], reduced.col_start[low : high + 1]
    rows, cols = (int(row_start[0]), int(row_start[-1])), (int(col_start[0]), int(col_start[-1]))
    return Reduced(
        join=take_columns(take_rows(join, *rows), *cols),
        row_group=none,
        col_group=none,
        row_size=reduced.row_size[slice(*rows)],
        col_size=reduced.col_size[slice(*cols)],
        row_start=row_start - row_start[0],
        col_start=col_start - col_start[0],
    )


def _distinct_rows(matrix: Csr, rng: np.random.Generator) -> tuple[Ints, Csr]:
    """Label equal rows in a random order and return one row of each label."""
    label = label_equal_rows(*matrix)
    n_labels = int(label.max(initial=-1)) + 1
    shuffle = rng.permutation(n_labels)
    label = np.where(label >= 0, shuffle[label] if n_labels else -1, -1)
    example = np.zeros(n_labels, np.int64)
    example[label[label >= 0]] = np.flatnonzero(label >= 0)
    return label, gather_rows(matrix, example)


def _components(matrices: list[Csr], n_locations: int, gate: int | None) -> Ints:
    """Return each location's component, numbered from the one with the most entries.

    Gated locations connect no users: pairs that share nothing else do not overlap. Locations
    without visits go to the last component: otherwise each would be an empty one of its own.
    """
    parent = np.arange(n_locations)
    for ptr, loc, _ in matrices:
        _join_locations(parent, ptr, loc, n_locations if gate is None else gate)
    root = _roots(parent)
    entries = np.zeros(n_locations, np.int64)
    for _, loc, _ in matrices:
        entries += np.bincount(root[loc], minlength=n_locations)
    if gate is not None:
        entries[gate:] = 0
    number = np.empty(n_locations, np.int64)
    number[np.argsort(-entries, kind="stable")] = np.arange(n_locations)
    ranked: Ints = np.unique(number[root], return_inverse=True)[1]
    last = max(int(np.count_nonzero(entries)) - 1, 0)
    return np.minimum(ranked, last)


def _neighbours(matrix: Csr, n_places: int, rng: np.random.Generator) -> Ints:
    """Return a sort key per row that is equal for rows with the same main place.

    With few rows, all keys are zero. The order of places is drawn separately for each side, so that
    it does not affect ties between the sides.
    """
    n_rows = matrix[0].size - 1
    if n_rows < LARGE:
        return np.zeros(n_rows, np.int64)
    numbers: Ints = rng.permutation(n_places)[main_locations(*matrix, n_places)]
    return numbers


def _order_rows(
    label: Ints, matrix: Csr, component: Ints, n_components: int, neighbours: Ints
) -> tuple[Ints, Csr, Ints]:
    """Sort rows by component and main place, keeping the shuffled order within each."""
    ptr, loc, _ = matrix
    if ptr.size == 1:
        return label, matrix, np.zeros(n_components + 1, np.int64)
    home = component[loc[ptr[:-1]]]
    order = np.lexsort((neighbours, home))
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    start = np.searchsorted(home[order], np.arange(n_components + 1)).astype(np.int64)
    return np.where(label >= 0, place[label], -1), gather_rows(matrix, order), start
