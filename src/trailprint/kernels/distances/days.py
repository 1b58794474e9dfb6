"""Distances between the days of one person and all days of others, averaged by person."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.passes import Pass, run_pass


class Days(NamedTuple):
    """
    Sparse vectors, one per day, contiguous for each person.

    Day ``d`` has the values ``val[ptr[d]:ptr[d + 1]]`` in the columns ``col``; person ``i`` owns
    the days ``first[i]:first[i + 1]``.
    """

    ptr: Ints
    col: Indices
    val: Floats
    first: Ints


class DaysByColumn(NamedTuple):
    """The transpose of `Days`: column ``c`` has the days ``day[ptr[c]:ptr[c + 1]]``."""

    ptr: Ints
    day: Indices
    val: Floats
    first: Ints
    squared: Floats


@njit(cache=True, nogil=True)
def _fill_day(own: Days, day: int, other: DaysByColumn, scratch: Floats) -> None:
    """Fill ``scratch`` with squared distances from one day to all others.

    Meaning: ‖a‖² + ‖b‖² − 2 a·b, the last over shared columns only. Shapes: scratch has one entry
    per other day. Cost: one pass over it, plus one step per shared column and other day.
    """
    length = 0.0
    for k in range(own.ptr[day], own.ptr[day + 1]):
        length += own.val[k] * own.val[k]
    for d in range(scratch.size):
        scratch[d] = other.squared[d] + length
    for k in range(own.ptr[day], own.ptr[day + 1]):
        twice = 2.0 * own.val[k]
        for e in range(other.ptr[own.col[k]], other.ptr[own.col[k] + 1]):
            scratch[other.day[e]] -= twice * other.val[e]


@njit(cache=True, nogil=True)
def _fill_rows(
    own: Days, people: Ints, other: DaysByColumn, low: int, high: int, out: Floats
) -> None:
    """Fill rows low:high of the mean distances.

    Meaning: the mean over all pairs of their days; infinite if either person has none. Shapes: out
    is people × others. Cost: days of the people times all other days.
    """
    scratch = np.empty(other.squared.size)
    for r in range(low, high):
        start, stop = own.first[people[r]], own.first[people[r] + 1]
        for day in range(start, stop):
            _fill_day(own, day, other, scratch)
            for j in range(other.first.size - 1):
                total = 0.0
                for d in range(other.first[j], other.first[j + 1]):
                    total += np.sqrt(max(scratch[d], 0.0))
                out[r, j] += total
        for j in range(other.first.size - 1):
            n_pairs = (stop - start) * (other.first[j + 1] - other.first[j])
            out[r, j] = out[r, j] / n_pairs if n_pairs > 0 else np.inf


def mean_day_distances(
    own: Days, people: Ints, other: DaysByColumn, n_threads: int | None = None
) -> Floats:
    """Return the mean Euclidean distance between the days of each of ``people`` and each other."""
    out = np.zeros((people.size, other.first.size - 1))
    work = (own.first[people + 1] - own.first[people]).astype(np.float64)
    work = (work + 1.0) * other.squared.size
    run_pass(Pass(_fill_rows, (own, people, other), (), work, out), n_threads)
    return out
