"""Sparse matrices as three plain arrays (CSR): transpose, sum and select rows, find equal rows.

Row i owns the entries ``ptr[i]:ptr[i + 1]``; its locations are in ascending order. Lists of other
things are stored alike: group g has the members ``ptr[g]:ptr[g + 1]``.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit

Csr: TypeAlias = tuple[Ints, Indices, Floats]
"""(ptr, location, value)"""
Numbers: TypeAlias = npt.NDArray[np.integer | np.bool_]
Values = TypeVar("Values", Ints, Floats)


def row_starts(sizes: Numbers) -> Ints:
    """Return where each row starts, given the rows' sizes, and where the last one ends."""
    starts: Ints = np.concatenate([[0], np.cumsum(sizes)])
    return starts


def sum_rows(ptr: Ints, values: Values) -> Values:
    """Return the sum of each row's values, zero for an empty row."""
    sums = np.concatenate([[0], np.cumsum(values)])[ptr]
    return sums[1:] - sums[:-1]


def list_ranges(first: Ints, sizes: Ints) -> Ints:
    """Return ``sizes[r]`` consecutive numbers from ``first[r]`` on for each r, in this order."""
    starts = row_starts(sizes)
    numbers: Ints = np.repeat(first - starts[:-1], sizes) + np.arange(starts[-1])
    return numbers


def list_groups(group: Numbers, n_groups: int = 0) -> tuple[Ints, Ints]:
    """Return the members of each group, ascending: (ptr, member).

    Groups are numbered from zero, at least up to ``n_groups``.
    """
    ptr = row_starts(np.bincount(group, minlength=n_groups))
    return ptr, np.argsort(group, kind="stable")


@njit(cache=True, nogil=True)
def _transpose(ptr: Ints, loc: Indices, val: Floats, n_locations: int) -> Csr:
    """Transpose a CSR matrix by a counting sort; without values, if ``val`` is empty.

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
    values = np.empty(val.size, np.float64)
    for i in range(ptr.size - 1):
        for e in range(ptr[i], ptr[i + 1]):
            k = place[loc[e]]
            users[k] = i
            if val.size > 0:
                values[k] = val[e]
            place[loc[e]] = k + 1
    return start, users, values


def transpose_csr(ptr: Ints, loc: Indices, val: Floats, n_locations: int) -> Csr:
    """Return the matrix by location: (ptr, user, value), users ascending."""
    result: Csr = _transpose(*as_csr((ptr, loc, val)), n_locations)
    return result


def invert(ptr: Ints, loc: Indices, n_locations: int) -> tuple[Ints, Indices]:
    """Return the users at each location: (ptr, user), users ascending."""
    start, users, _ = transpose_csr(ptr, loc, np.zeros(0), n_locations)
    return start, users


def as_csr(matrix: Csr) -> Csr:
    """Return the arrays with the types that the compiled loops expect, not copied if they are."""
    ptr, loc, val = matrix
    return (
        np.ascontiguousarray(ptr, dtype=np.int64),
        np.ascontiguousarray(loc, dtype=np.int32),
        np.ascontiguousarray(val, dtype=np.float64),
    )


def gather_rows(matrix: Csr, rows: Ints) -> Csr:
    """Return the given rows of a CSR matrix, in the given order."""
    ptr, loc, val = matrix
    sizes = np.diff(ptr)[rows]
    entry = list_ranges(ptr[rows], sizes)
    return row_starts(sizes), loc[entry], val[entry]


@njit(cache=True, nogil=True)
def main_locations(ptr: Ints, loc: Indices, val: Floats, end: int) -> Ints:
    """Find every row's location of greatest value among those below ``end``.

    Meaning: the first in a tie; -1 for a row without such a location. Cost: O(nnz).
    """
    main = np.full(ptr.size - 1, -1, np.int64)
    for i in range(ptr.size - 1):
        most = -np.inf
        for e in range(ptr[i], ptr[i + 1]):
            if loc[e] < end and val[e] > most:
                most = val[e]
                main[i] = loc[e]
    return main


@njit(cache=True, nogil=True)
def _hash_rows(ptr: Ints, loc: Indices, val: Floats) -> Ints:
    """Hash each row's locations and values.

    Meaning: equal rows get equal numbers. Shapes: one per row. Cost: O(nnz).
    """
    bits = val.view(np.uint64)
    out = np.empty(ptr.size - 1, np.uint64)
    for i in range(ptr.size - 1):
        h = np.uint64(0x9E3779B97F4A7C15)
        for e in range(ptr[i], ptr[i + 1]):
            for word in (np.uint64(loc[e] + 1), bits[e]):
                h = (h ^ word) * np.uint64(0xFF51AFD7ED558CCD)
                h ^= h >> np.uint64(32)
        out[i] = h
    return out.view(np.int64)


@njit(cache=True, nogil=True)
def _label_equal(order: Ints, key: Ints, ptr: Ints, loc: Indices, val: Floats) -> Ints:
    """Number rows so that rows share a number if and only if they are equal; -1 for empty rows.

    Meaning: ``order`` sorts ``key``; rows of one key are compared entry by entry. Shapes: one
    per row. Cost: O(nnz) unless keys collide.
    """
    label = np.full(key.size, -1, np.int64)
    n = 0
    for a in range(order.size):
        i = order[a]
        size = ptr[i + 1] - ptr[i]
        if size == 0:
            continue
        b = a - 1
        while b >= 0 and key[order[b]] == key[i] and label[i] < 0:
            k = order[b]
            same = ptr[k + 1] - ptr[k] == size
            for e in range(size):
                if not same:
                    break
                same = loc[ptr[k] + e] == loc[ptr[i] + e] and val[ptr[k] + e] == val[ptr[i] + e]
            if same:
                label[i] = label[k]
            b -= 1
        if label[i] < 0:
            label[i] = n
            n += 1
    return label


def label_equal_rows(ptr: Ints, loc: Indices, val: Floats) -> Ints:
    """Number the distinct rows of a CSR matrix with sorted locations; empty rows get -1."""
    key = _hash_rows(ptr, loc, val)
    labels: Ints = _label_equal(np.argsort(key, kind="stable"), key, ptr, loc, val)
    return labels
