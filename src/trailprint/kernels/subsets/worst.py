"""Fewest people who agree with a choice of k points: exact, by branch and bound."""

from __future__ import annotations

import numpy as np

from trailprint.arrays import Indices, Ints
from trailprint.kernels.bits import Bits, and_into, count_common, count_words, has_bit, set_bit
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import list_ranges, row_starts
from trailprint.kernels.passes import Pass, run_pass
from trailprint.kernels.subsets.drawn import count_all
from trailprint.kernels.subsets.postings import Postings, make_scratch, seek, walk_lengths


@njit(cache=True, nogil=True)
def _open_level(
    sets: Bits,
    set_of: Ints,
    cost: Ints,
    first: int,
    candidates: Bits,
    count: int,
    left: int,
    common: Ints,
    gains: Ints,
) -> int:
    """
    Count the people who remain with each further point; return the least count.

    ``common[b]`` people remain with point b, or -1 if it costs more than is left;
    ``gains[r]`` is an upper bound on the people that r points can remove together.
    """
    fewest = count
    gains[: left + 1] = 0
    for b in range(first, set_of.size):
        common[b] = -1
        if cost[b] > left:
            continue
        common[b] = count_common(candidates, sets[set_of[b], : candidates.size])
        fewest = min(fewest, common[b])
        gain = count - common[b]
        for r in range(1, left + 1):
            if gain > gains[r]:
                gain, gains[r] = gains[r], gain
    for r in range(1, left + 1):
        gains[r] += gains[r - 1]
    return fewest


@njit(cache=True, nogil=True)
def _descend(
    sets: Bits,
    set_of: Ints,
    cost: Ints,
    first: int,
    stack: Bits,
    count: int,
    left: int,
    best: int,
    floor: int,
) -> int:
    """
    Return the fewest people who remain with at most ``left`` more points, or ``best`` if less.

    Meaning: depth-first search over the points from ``first`` on; ``stack[0]`` holds the
    candidates. Cost: one row of bits for each node and point that is not pruned.
    """
    n_items = set_of.size
    common = np.empty((left + 1, n_items), np.int64)
    gains = np.empty((left + 1, left + 1), np.int64)
    at = np.empty(left + 1, np.int64)
    size = np.empty(left + 1, np.int64)
    rest = np.empty(left + 1, np.int64)
    depth = 0
    at[0], size[0], rest[0] = first, count, left
    best = min(
        best, _open_level(sets, set_of, cost, first, stack[0], count, left, common[0], gains[0])
    )
    while depth >= 0 and best > floor:
        b = at[depth]
        if b >= n_items - 1 or rest[depth] < 2:
            depth -= 1
            continue
        at[depth] += 1
        n = common[depth, b]
        after = rest[depth] - cost[b]
        if n < 0 or n == size[depth] or after < 1 or n - gains[depth, after] >= best:
            continue
        and_into(stack[depth], sets[set_of[b], : stack.shape[1]], stack[depth + 1])
        depth += 1
        at[depth], size[depth], rest[depth] = b + 1, n, after
        fewest = _open_level(
            sets, set_of, cost, b + 1, stack[depth], n, after, common[depth], gains[depth]
        )
        best = min(best, fewest)
    return best


@njit(cache=True, nogil=True)
def _fill_local(
    start: Ints, end: Ints, users: Indices, row: Ints, bits: Bits, a: int, local: Bits
) -> None:
    """Write, for each point after a, which of the people who have point a have it, as bits."""
    local[:] = 0
    for b in range(a + 1, start.size):
        at = start[b]
        for e in range(start[a], end[a]):
            user = users[e]
            if row[b] >= 0:
                is_there = has_bit(bits[row[b]], user)
            else:
                at = seek(users, at, end[b], user)
                is_there = at < end[b] and users[at] == user
            if is_there:
                set_bit(local[b], e - start[a])


@njit(cache=True, nogil=True)
def search(
    start: Ints,
    end: Ints,
    users: Indices,
    row: Ints,
    bits: Bits,
    cost: Ints,
    budget: int,
    floor: int,
) -> int:
    """
    Return the fewest people who agree with a choice of points that costs at most ``budget``.

    Meaning: ``users[start[b]:end[b]]`` agree with point b, also as ``bits[row[b]]`` if that row is
    not -1; points are sorted by the length of their lists. No choice leaves fewer than ``floor``.
    """
    n_items = start.size
    best = 2**31
    for a in range(n_items):
        if cost[a] <= budget:
            best = min(best, end[a] - start[a])
    every = np.arange(n_items)
    for a in range(n_items - 1):
        left = budget - cost[a]
        if best <= floor:
            break
        if left < 1:
            continue
        size = end[a] - start[a]
        if row[a] >= 0:
            stack = np.empty((left + 1, bits.shape[1]), np.uint64)
            stack[0] = bits[row[a]]
            best = _descend(bits, row, cost, a + 1, stack, size, left, best, floor)
        else:
            local = np.empty((n_items, count_words(size)), np.uint64)
            _fill_local(start, end, users, row, bits, a, local)
            stack = np.zeros((left + 1, local.shape[1]), np.uint64)
            for place in range(size):
                set_bit(stack[0], place)
            best = _descend(local, every, cost, a + 1, stack, size, left, best, floor)
    return best


@njit(cache=True, nogil=True)
def _find_fewest(
    ptr: Ints,
    codes: Indices,
    cost: Indices,
    postings: Postings,
    budget: int,
    low: int,
    high: int,
    out: Indices,
) -> None:
    """Fill out[low:high] with the fewest people that a choice of points leaves."""
    people, words, counts = make_scratch(ptr, postings, low, high)
    for i in range(low, high):
        own = codes[ptr[i] : ptr[i + 1]].astype(np.int64)
        if own.size == 0:
            out[i] = ptr.size - 1
            continue
        size = postings.ptr[own + 1] - postings.ptr[own]
        order = np.argsort(size)
        keys = own[order]
        floor = 1
        if size[order[0]] > 1:
            floor = count_all(keys, keys.size, postings, people, words, counts)
        out[i] = search(
            postings.ptr[keys],
            postings.ptr[keys + 1],
            postings.users,
            postings.row[keys].astype(np.int64),
            postings.bits,
            cost[ptr[i] : ptr[i + 1]].astype(np.int64)[order],
            budget,
            floor,
        )


def find_fewest(
    ptr: Ints,
    codes: Indices,
    cost: Indices,
    postings: Postings,
    *,
    budget: int,
    n_threads: int | None = None,
) -> Indices:
    """
    Find the fewest people who agree with a choice of a person's points.

    Parameters
    ----------
    ptr, codes, cost : ndarray
        Person i may be known by the keys ``codes[ptr[i]:ptr[i + 1]]``; ``cost`` is how many
        points each key uses up.
    postings : Postings
        The people who agree with each key.
    budget : int
        Points that may be known.

    Returns
    -------
    ndarray of int32
        For each person, the number of people left by the choice that leaves fewest, the person
        included. Since further points only ever remove people, "at most" and "exactly" ``budget``
        points give the same result for people with that many.
    """
    out = np.empty(len(ptr) - 1, np.int32)
    fixed = ptr, codes, cost, postings
    # Each point of a person starts a search among the people who have it.
    work = walk_lengths(ptr, codes, postings) * np.diff(ptr)
    run_pass(Pass(_find_fewest, fixed, (budget,), work, out), n_threads)
    return out


def expand_counts(
    ptr: Ints, keys: Indices, counts: Ints, budget: int
) -> tuple[Ints, Indices, Indices]:
    """
    Turn each key with a count into keys for "at least m times", with m up to ``budget``.

    Returns
    -------
    tuple of ndarray
        ptr, codes ``key * budget + m - 1`` and costs m of the points. Knowing m of a person's
        visits to a place costs m points, and agrees with all people who were there that often.
    """
    levels = np.minimum(counts, budget).astype(np.int64)
    cost = list_ranges(np.ones_like(levels), levels)
    codes = np.repeat(keys.astype(np.int64), levels) * budget + cost - 1
    return row_starts(levels)[ptr], codes.astype(np.int32), cost.astype(np.int32)
