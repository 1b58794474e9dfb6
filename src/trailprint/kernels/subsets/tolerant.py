"""Worst case of known places with the approximate frequency of their visits."""

from __future__ import annotations

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.bits import Bits, count_words, set_bit
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import sum_rows, transpose_csr
from trailprint.kernels.passes import Pass, run_pass
from trailprint.kernels.subsets.worst import search


@njit(cache=True, nogil=True, inline="always")
def agrees(own: float, other: float, tolerance: float) -> bool:
    """Return whether a known value lies within the tolerance of another person's value."""
    return other - other * tolerance <= own <= other + other * tolerance


@njit(cache=True, nogil=True)
def _gather(
    keys: Indices,
    values: Floats,
    at_ptr: Ints,
    at_user: Indices,
    at_value: Floats,
    tolerance: float,
    start: Ints,
    end: Ints,
    people: Indices,
) -> None:
    """List the people who agree with each of a person's places, one list after the other."""
    n = 0
    for e in range(keys.size):
        start[e] = n
        for f in range(at_ptr[keys[e]], at_ptr[keys[e] + 1]):
            if agrees(values[e], at_value[f], tolerance):
                people[n] = at_user[f]
                n += 1
        end[e] = n


@njit(cache=True, nogil=True)
def _to_bits(
    start: Ints, end: Ints, people: Indices, dense_from: int, bits: Bits, row: Ints
) -> None:
    """Store each list that is long enough as a row of bits; ``row`` is -1 for the others."""
    n = 0
    for e in range(start.size):
        row[e] = -1
        if end[e] - start[e] >= dense_from:
            bits[n] = 0
            for f in range(start[e], end[e]):
                set_bit(bits[n], people[f])
            row[e] = n
            n += 1


@njit(cache=True, nogil=True)
def _count_agreeing(start: Ints, end: Ints, people: Indices, n_users: int) -> int:
    """Count the people who are in all lists."""
    seen = np.zeros(n_users, np.int32)
    for e in range(start.size):
        for f in range(start[e], end[e]):
            seen[people[f]] += 1
    return int(np.count_nonzero(seen == start.size))


@njit(cache=True, nogil=True)
def _find_fewest(
    ptr: Ints,
    keys: Indices,
    values: Floats,
    at_ptr: Ints,
    at_user: Indices,
    at_value: Floats,
    tolerance: float,
    budget: int,
    dense_from: int,
    low: int,
    high: int,
    out: Indices,
) -> None:
    """Fill out[low:high] with the fewest people that a choice of places leaves."""
    n_users = ptr.size - 1
    for i in range(low, high):
        own = keys[ptr[i] : ptr[i + 1]]
        if own.size == 0:
            out[i] = n_users
            continue
        lengths = at_ptr[own + 1] - at_ptr[own]
        people = np.empty(lengths.sum(), np.int32)
        start = np.empty(own.size, np.int64)
        end = np.empty(own.size, np.int64)
        value = values[ptr[i] : ptr[i + 1]]
        _gather(own, value, at_ptr, at_user, at_value, tolerance, start, end, people)
        order = np.argsort(end - start)
        start, end = start[order], end[order]
        if end[0] - start[0] == 1:
            out[i] = 1
            continue
        n_dense = np.count_nonzero(end - start >= dense_from)
        bits = np.empty((n_dense, count_words(n_users)), np.uint64)
        row = np.empty(own.size, np.int64)
        _to_bits(start, end, people, dense_from, bits, row)
        floor = _count_agreeing(start, end, people, n_users)
        cost = np.ones(own.size, np.int64)
        out[i] = search(start, end, people, row, bits, cost, budget, floor)


def find_fewest_within(
    ptr: Ints,
    keys: Indices,
    values: Floats,
    n_keys: int,
    *,
    tolerance: float,
    budget: int,
    dense_from: int | None = None,
    n_threads: int | None = None,
) -> Indices:
    """
    Find the fewest people who agree with a choice of a person's places and their values.

    Parameters
    ----------
    ptr, keys, values : ndarray
        Person i is at ``keys[ptr[i]:ptr[i + 1]]``, with a value above zero for each.
    tolerance : float
        A known value v agrees with another's value w where ``w - w * tolerance <= v <= w + w *
        tolerance``.
    budget : int
        Places that may be known.

    Returns
    -------
    ndarray of int32
        For each person, the people left by the choice that leaves fewest, the person included.
        Cost: the search, plus one scan of all people at each person's places.
    """
    n_users = len(ptr) - 1
    at_ptr, at_user, at_value = transpose_csr(ptr, keys, values, n_keys)
    out = np.empty(n_users, np.int32)
    dense = max(1, count_words(n_users)) if dense_from is None else dense_from
    work = sum_rows(ptr, np.diff(at_ptr)[keys])
    fixed, fresh = (ptr, keys, values, at_ptr, at_user, at_value), (float(tolerance), budget, dense)
    run_pass(Pass(_find_fewest, fixed, fresh, work, out), n_threads)
    return out
