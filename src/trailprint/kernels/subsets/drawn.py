"""Random points: how many people agree with the first, first two, first three … points drawn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Indices, Ints
from trailprint.kernels.bits import Bits, and_into
from trailprint.kernels.compiling import njit
from trailprint.kernels.hashing import STEP, mix_bits
from trailprint.kernels.passes import Pass, run_pass
from trailprint.kernels.subsets.postings import (
    Postings,
    intersect,
    keep_set,
    make_scratch,
    walk_lengths,
)

_KEY, _LIST, _WORDS = 0, 1, 2
"""How candidates are stored: as one key's postings, as a list, as bits."""


@njit(cache=True, nogil=True)
def draw_entries(n: int, most: int, state: np.uint64, out: Ints) -> int:
    """
    Draw up to ``most`` of n entries without replacement, in random order; return how many.

    Meaning: the first p of them are p random entries, independent of ``most``. Cost: ``most``
    squared.
    """
    wanted = min(n, most)
    drawn = 0
    while drawn < wanted:
        state += STEP
        at = np.int64(np.float64(mix_bits(state) >> np.uint64(11)) * 2.0**-53 * n)
        is_new = True
        for d in range(drawn):
            if out[d] == at:
                is_new = False
                break
        if is_new:
            out[drawn] = at
            drawn += 1
    return drawn


@njit(cache=True, nogil=True)
def narrow(
    keys: Ints, n: int, postings: Postings, people: Indices, words: Bits, counts: Indices
) -> None:
    """
    Count people who have the first key, the first two, and so on; at least one must have all.

    Meaning: ``counts[t]`` people have ``keys[:t + 1]``. Scratch: ``people`` for a list below
    ``dense_from``, ``words`` for a row of bits. Cost: the shorter list of each step.
    """
    ptr, users, row, bits = postings.ptr, postings.users, postings.row, postings.bits
    held, key = _KEY, keys[0]
    count = ptr[key + 1] - ptr[key]
    counts[0] = count
    for t in range(1, n):
        new = keys[t]
        size = ptr[new + 1] - ptr[new]
        if count == 1 or (held == _KEY and new == key):
            counts[t] = count
            continue
        if held == _KEY:
            short, long = (new, key) if size < count else (key, new)
            if row[short] >= 0:
                count = and_into(bits[row[short]], bits[row[long]], words)
                held = _WORDS
            else:
                count = _filter(users, ptr[short], ptr[short + 1], long, postings, people)
                held = _LIST
        elif held == _LIST:
            if size < count:
                count = intersect(users, ptr[new], ptr[new + 1], people, 0, count, people)
            else:
                count = _filter(people, 0, count, new, postings, people)
        elif row[new] >= 0:
            count = and_into(words, bits[row[new]], words)
        else:
            count = keep_set(users, ptr[new], ptr[new + 1], words, people)
            held = _LIST
        counts[t] = count


@njit(cache=True, nogil=True)
def _filter(
    source: Indices, first: int, last: int, key: int, postings: Postings, out: Indices
) -> int:
    """Write the people of a list who have the key; return their number."""
    if postings.row[key] >= 0:
        return keep_set(source, first, last, postings.bits[postings.row[key]], out)
    low, high = postings.ptr[key], postings.ptr[key + 1]
    return intersect(source, first, last, postings.users, low, high, out)


@njit(cache=True, nogil=True)
def _count_drawn(
    ptr: Ints,
    codes: Indices,
    postings: Postings,
    streams: npt.NDArray[np.uint64],
    seed: int,
    targets: Ints,
    low: int,
    high: int,
    out: Indices,
) -> None:
    """Fill rows low:high of ``out`` with the numbers of candidates after each point drawn."""
    most = out.shape[1]
    people = np.empty(max(postings.dense_from, 1), np.int32)
    words = np.empty(postings.bits.shape[1], np.uint64)
    places = np.empty(most, np.int64)
    n_users = ptr.size - 1
    for r in range(low, high):
        i = targets[r]
        n_own = ptr[i + 1] - ptr[i]
        state = mix_bits(streams[i] + np.uint64(0x632BE59BD9B4E019) * np.uint64(seed + 1))
        n = draw_entries(n_own, most, state, places)
        for d in range(n):
            places[d] = codes[ptr[i] + places[d]]
        if n > 0:
            narrow(places, n, postings, people, words, out[r])
        for t in range(n, most):
            out[r, t] = n_users if n == 0 else out[r, n - 1]


def count_drawn(
    ptr: Ints,
    codes: Indices,
    postings: Postings,
    *,
    most: int,
    seed: int,
    streams: npt.NDArray[np.uint64] | None = None,
    targets: Ints | None = None,
    n_threads: int | None = None,
) -> Indices:
    """
    Draw up to ``most`` points per person and count who agrees with the first 1, 2, … of them.

    Parameters
    ----------
    ptr, codes : ndarray
        Person i has the points ``codes[ptr[i]:ptr[i + 1]]``, as keys of ``postings``; several
        points may have one key where keys are coarser than points.
    postings : Postings
        The people who have each key.
    most : int
        Points to draw; of people with fewer, all points are drawn.
    seed : int
        Seed of the draw.
    streams : ndarray of uint64, optional
        A number that identifies each person; by default their row. The same stream, seed and
        number of points give the same draw.
    targets : ndarray, optional
        People whose points are drawn; by default all.

    Returns
    -------
    ndarray of int32
        Targets × ``most``: how many people agree, the target included. Cost: the shorter list of
        each intersection.
    """
    n_users = len(ptr) - 1
    own = np.arange(n_users, dtype=np.uint64) if streams is None else streams
    rows = np.arange(n_users) if targets is None else targets
    out = np.empty((len(rows), most), np.int32)
    share = most / np.maximum(most, np.diff(ptr))
    work = (walk_lengths(ptr, codes, postings) * share)[rows]
    fixed, fresh = (ptr, codes, postings), (own, seed, rows)
    run_pass(Pass(_count_drawn, fixed, fresh, work, out), n_threads)
    return out


@njit(cache=True, nogil=True)
def count_all(
    keys: Ints, n: int, postings: Postings, people: Indices, words: Bits, counts: Indices
) -> int:
    """Return how many people have all of a person's keys, sorted by their lists' lengths."""
    narrow(keys, n, postings, people, words, counts)
    return counts[n - 1]


@njit(cache=True, nogil=True)
def _count_holders(
    ptr: Ints, codes: Indices, postings: Postings, low: int, high: int, out: Indices
) -> None:
    """Fill out[low:high] with how many people have all of a person's keys."""
    people, words, counts = make_scratch(ptr, postings, low, high)
    for i in range(low, high):
        own = codes[ptr[i] : ptr[i + 1]].astype(np.int64)
        if own.size == 0:
            out[i] = ptr.size - 1
            continue
        order = np.argsort(postings.ptr[own + 1] - postings.ptr[own])
        out[i] = count_all(own[order], own.size, postings, people, words, counts)


def count_holders(
    ptr: Ints, codes: Indices, postings: Postings, *, n_threads: int | None = None
) -> Indices:
    """Return, for each person, how many people have all of their keys, the person included."""
    out = np.empty(len(ptr) - 1, np.int32)
    fixed, work = (ptr, codes, postings), walk_lengths(ptr, codes, postings)
    run_pass(Pass(_count_holders, fixed, (), work, out), n_threads)
    return out
