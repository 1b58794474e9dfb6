"""Worst case of known places with the proportions of their visits."""

from __future__ import annotations

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import sum_rows, transpose_csr
from trailprint.kernels.passes import Pass, run_pass
from trailprint.kernels.subsets.postings import seek
from trailprint.kernels.subsets.tolerant import agrees


@njit(cache=True, nogil=True)
def _extend(
    place: int,
    depth: int,
    users: Indices,
    values: Floats,
    n: int,
    at_ptr: Ints,
    at_user: Indices,
    at_value: Floats,
    out_users: Indices,
    out_values: Floats,
) -> int:
    """
    Keep the candidates who were at one more place, with their values at all chosen places.

    Meaning: ``values[c, :depth]`` are those of candidate c, ``out_values[c, :depth + 1]`` those of
    the c-th one kept. With depth 0 all people at the place are candidates. Cost: the shorter list.
    """
    first, last = at_ptr[place], at_ptr[place + 1]
    kept = 0
    if depth == 0:
        for f in range(first, last):
            out_users[kept] = at_user[f]
            out_values[kept, 0] = at_value[f]
            kept += 1
        return kept
    at = first
    for c in range(n):
        at = seek(at_user, at, last, users[c])
        if at == last:
            break
        if at_user[at] == users[c]:
            out_users[kept] = users[c]
            out_values[kept, :depth] = values[c, :depth]
            out_values[kept, depth] = at_value[at]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _count_proportional(
    own: Floats, values: Floats, n: int, size: int, tolerance: float, most: int
) -> int:
    """Count candidates whose values have the same proportions as the person's, up to ``most``."""
    largest = own[:size].max()
    found = 0
    for c in range(n):
        other = values[c, :size].max()
        is_alike = True
        for q in range(size):
            if not agrees(own[q] / largest, values[c, q] / other, tolerance):
                is_alike = False
                break
        if is_alike:
            found += 1
            if found >= most:
                break
    return found


@njit(cache=True, nogil=True)
def _search(
    keys: Ints,
    value: Floats,
    at_ptr: Ints,
    at_user: Indices,
    at_value: Floats,
    size: int,
    tolerance: float,
    widest: int,
) -> int:
    """
    Return the fewest people over all choices of exactly ``size`` places.

    Meaning: depth-first search over places in the order given, until one person is left;
    ``widest`` is the longest list. Cost: one scan of the candidates for each choice of places.
    """
    n_items = keys.size
    users = np.empty((size, widest), np.int32)
    values = np.empty((size, widest, size), np.float64)
    n = np.empty(size, np.int64)
    at = np.empty(size, np.int64)
    own = np.empty(size, np.float64)
    best = 2**31
    depth = 0
    at[0] = 0
    while depth >= 0 and best > 1:
        e = at[depth]
        if e > n_items - (size - depth):
            depth -= 1
            continue
        at[depth] += 1
        above = max(depth - 1, 0)
        own[depth] = value[e]
        n[depth] = _extend(
            keys[e],
            depth,
            users[above],
            values[above],
            n[above],
            at_ptr,
            at_user,
            at_value,
            users[depth],
            values[depth],
        )
        if depth == size - 1:
            found = _count_proportional(own, values[depth], n[depth], size, tolerance, best)
            best = min(best, found)
        else:
            depth += 1
            at[depth] = e + 1
    return best


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
    low: int,
    high: int,
    out: Indices,
) -> None:
    """Fill out[low:high] with the fewest people that a choice of places leaves."""
    for i in range(low, high):
        own = keys[ptr[i] : ptr[i + 1]].astype(np.int64)
        if own.size == 0:
            out[i] = ptr.size - 1
            continue
        length = at_ptr[own + 1] - at_ptr[own]
        order = np.argsort(length)
        size = min(budget, own.size)
        value = values[ptr[i] : ptr[i + 1]][order]
        # A choice has at most as many candidates as the list of its first place is long.
        widest = length.max()
        out[i] = _search(own[order], value, at_ptr, at_user, at_value, size, tolerance, widest)


def find_fewest_proportional(
    ptr: Ints,
    keys: Indices,
    values: Floats,
    n_keys: int,
    *,
    tolerance: float,
    budget: int,
    n_threads: int | None = None,
) -> Indices:
    """
    Find the fewest people who agree with a choice of a person's places and their proportions.

    Within a choice each value is divided by the largest one, for the person and for all others,
    and the quotients must agree within the tolerance (`agrees`). With a tolerance above zero an
    additional place can admit people whom fewer places had ruled out, so choices have exactly
    ``budget`` places, or all places of a person with fewer.

    Returns
    -------
    ndarray of int32
        For each person, the people left by the choice that leaves fewest, the person included.
    """
    at_ptr, at_user, at_value = transpose_csr(ptr, keys, values, n_keys)
    out = np.empty(len(ptr) - 1, np.int32)
    work = sum_rows(ptr, np.diff(at_ptr)[keys])
    fixed, fresh = (ptr, keys, values, at_ptr, at_user, at_value), (float(tolerance), budget)
    run_pass(Pass(_find_fewest, fixed, fresh, work, out), n_threads)
    return out
