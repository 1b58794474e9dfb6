"""Shorten trails until each one equals k trails, or until k people were at all of its places.

Leaving out the fewest visits is hard for either (a matching problem with k = 2, a covering problem
with greater k), so both algorithms are greedy. *Equal*: all people start with an empty trail;
repeatedly a group adds the place that most of its members share, and those without it form a
separate group. *Within*: each of these trails is extended by the place that most of the people who
were at all places on it share, as long as k of them do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Flags, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import invert
from trailprint.kernels.threads import run_parallel, split_evenly


class _People(NamedTuple):
    """Trails by person and by place, and an order of the people: a group is a range of ``order``.

    ``ptr``, ``loc``: places of each person; ``at_ptr``, ``at``: people of each place; ``where``
    is the inverse of ``order``; ``kept`` marks the visits that stay; ``n_with``: number of members
    of the current group who have each place that is not yet kept.
    """

    ptr: Ints
    loc: Indices
    at_ptr: Ints
    at: Indices
    order: Ints
    where: Ints
    kept: Flags
    n_with: Ints


def _start(ptr: Ints, loc: Indices, n_locations: int) -> _People:
    """Return the initial state: one group of all people, no visit kept."""
    ptr, loc = ptr.astype(np.int64), loc.astype(np.int32)
    at_ptr, at = invert(ptr, loc, n_locations)
    order = np.arange(ptr.size - 1, dtype=np.int64)
    kept = np.zeros(loc.size, np.bool_)
    return _People(ptr, loc, at_ptr, at, order, order.copy(), kept, np.zeros(n_locations, np.int64))


@njit(cache=True, nogil=True)
def _count(people: _People, low: int, high: int, change: int, seen: Indices) -> int:
    """Add ``change`` to ``n_with`` for every visit not kept of the people at low:high.

    Meaning: lists places counted for the first time in ``seen``; returns how many.
    """
    n_seen = 0
    for n in range(low, high):
        i = people.order[n]
        for e in range(people.ptr[i], people.ptr[i + 1]):
            if not people.kept[e]:
                k = people.loc[e]
                if change > 0 and people.n_with[k] == 0:
                    seen[n_seen] = k
                    n_seen += 1
                people.n_with[k] += change
    return n_seen


@njit(cache=True, nogil=True)
def _keep(people: _People, low: int, high: int, k: int) -> None:
    """Keep the visits to place k of the people at low:high, who all have it."""
    for n in range(low, high):
        i = people.order[n]
        e = people.ptr[i] + np.searchsorted(people.loc[people.ptr[i] : people.ptr[i + 1]], k)
        people.kept[e] = True


@njit(cache=True, nogil=True)
def _keep_common(people: _People, low: int, high: int, seen: Indices, n_seen: int) -> bool:
    """Keep the places that all members of a group have; return whether there was one."""
    found = False
    for s in range(n_seen):
        k = seen[s]
        if people.n_with[k] == high - low:
            _keep(people, low, high, k)
            people.n_with[k] = 0
            found = True
    return found


@njit(cache=True, nogil=True)
def _shortfall(n_rest: int, least: int, shares: bool) -> int:
    """Return how many must stay so that the rest is a group; zero if they share nothing yet."""
    if not shares or n_rest == 0 or n_rest >= least:
        return 0
    return least - n_rest


@njit(cache=True, nogil=True)
def _choose(
    people: _People, size: int, least: int, shares: bool, seen: Indices, n_seen: int
) -> tuple[int, int]:
    """Find the place that most people of a group can add, the lowest number in a tie, or -1.

    Meaning: moves places that too few have to the end of ``seen``, since counts only fall; returns
    the place and how many are before those.
    """
    best, gain, n_left = -1, 0, 0
    for s in range(n_seen):
        k = seen[s]
        n = people.n_with[k]
        if n < least:
            continue
        seen[n_left], seen[s] = k, seen[n_left]
        n_left += 1
        n -= _shortfall(size - n, least, shares)
        if n >= least and (n > gain or (n == gain and k < best)):
            best, gain = k, n
    return best, n_left


@njit(cache=True, nogil=True)
def _swap(people: _People, a: int, b: int) -> None:
    """Swap two people in the order."""
    i, j = people.order[a], people.order[b]
    people.order[a], people.order[b] = j, i
    people.where[i], people.where[j] = b, a


@njit(cache=True, nogil=True)
def _is_shorter(people: _People, i: int, j: int) -> bool:
    """Return whether i has fewer places than j, or as many and the lower number."""
    own, other = people.ptr[i + 1] - people.ptr[i], people.ptr[j + 1] - people.ptr[j]
    return own < other or (own == other and i < j)


@njit(cache=True, nogil=True)
def _gather(people: _People, low: int, high: int, k: int, least: int, shares: bool) -> int:
    """Move the people of low:high who add place k to the front; return where they end.

    Meaning: if the rest would be too few, those with the fewest places stay with them.
    """
    middle = low
    for a in range(people.at_ptr[k], people.at_ptr[k + 1]):
        n = people.where[people.at[a]]
        if low <= n < high:
            _swap(people, n, middle)
            middle += 1
    for _ in range(_shortfall(high - middle, least, shares)):
        last = low
        for n in range(low + 1, middle):
            if _is_shorter(people, people.order[n], people.order[last]):
                last = n
        middle -= 1
        _swap(people, last, middle)
    return middle


@njit(cache=True, nogil=True)
def _group(people: _People, least: int, group: Ints) -> int:
    """Split all people into groups whose members keep the same places; return the group count.

    Meaning: fills ``group``, -1 for people who keep nothing. Cost: each split reads the visits of
    those split off and the list of the place; there are at most people / least splits.
    """
    n_people = people.order.size
    seen = np.empty(people.n_with.size, np.int32)
    waiting = np.empty((n_people + 1, 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, n_people, 0
    n_waiting, n_groups = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        low, high = waiting[n_waiting, 0], waiting[n_waiting, 1]
        shares = waiting[n_waiting, 2] == 1
        n_met = _count(people, low, high, 1, seen)
        n_seen = n_met
        while low < high:
            if (shares or high - low >= least) and _keep_common(people, low, high, seen, n_seen):
                shares = True
            k, n_seen = _choose(people, high - low, least, shares, seen, n_seen)
            if k < 0:
                break
            middle = _gather(people, low, high, k, least, shares)
            _count(people, low, middle, -1, seen)
            _keep(people, low, middle, k)
            waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2] = low, middle, 1
            n_waiting += 1
            low = middle
        for s in range(n_met):
            people.n_with[seen[s]] = 0
        for n in range(low, high):
            group[people.order[n]] = n_groups if shares else -1
        if shares and low < high:
            n_groups += 1
    return n_groups


def group_alike(ptr: Ints, loc: Indices, n_locations: int, k: int) -> tuple[Flags, Ints]:
    """
    Leave out visits so that every remaining trail is shared by k people or more.

    Meaning: returns a flag per visit kept, and each person's group, -1 for an empty trail.
    """
    people = _start(ptr, loc, n_locations)
    group = np.full(people.order.size, -1, np.int64)
    _group(people, k, group)
    return people.kept, group


@njit(cache=True, nogil=True)
def _everywhere(people: _People, i: int, mark: Flags, out: Ints) -> int:
    """List the people who were at all places of i's kept trail.

    Meaning: returns how many; ``mark`` is scratch, all False, and left so.
    """
    rarest, n_kept = -1, 0
    for e in range(people.ptr[i], people.ptr[i + 1]):
        k = people.loc[e]
        if people.kept[e]:
            mark[k] = True
            n_kept += 1
            here = people.at_ptr[k + 1] - people.at_ptr[k]
            if rarest < 0 or here < people.at_ptr[rarest + 1] - people.at_ptr[rarest]:
                rarest = k
    n_out = 0
    if rarest >= 0:
        for a in range(people.at_ptr[rarest], people.at_ptr[rarest + 1]):
            j, n_shared = people.at[a], 0
            for e in range(people.ptr[j], people.ptr[j + 1]):
                n_shared += mark[people.loc[e]]
            if n_shared == n_kept:
                out[n_out] = j
                n_out += 1
    for e in range(people.ptr[i], people.ptr[i + 1]):
        mark[people.loc[e]] = False
    return n_out


@njit(cache=True, nogil=True)
def _next_place(people: _People, i: int, among: Ints, least: int, count: Ints) -> int:
    """Return i's visit, not yet kept, whose place most of ``among`` have, or -1.

    Meaning: at least ``least`` of them; the first in a tie; ``count`` is scratch of zeros, left as
    zeros.
    """
    for n in range(among.size):
        for e in range(people.ptr[among[n]], people.ptr[among[n] + 1]):
            count[people.loc[e]] += 1
    best, most = -1, least - 1
    for e in range(people.ptr[i], people.ptr[i + 1]):
        if not people.kept[e] and count[people.loc[e]] > most:
            best, most = e, count[people.loc[e]]
    for n in range(among.size):
        for e in range(people.ptr[among[n]], people.ptr[among[n] + 1]):
            count[people.loc[e]] = 0
    return best


@njit(cache=True, nogil=True)
def _most_visited(people: _People, i: int, least: int) -> int:
    """Return i's visit whose place most people have, at least ``least``; or -1."""
    best, most = -1, least - 1
    for e in range(people.ptr[i], people.ptr[i + 1]):
        here = people.at_ptr[people.loc[e] + 1] - people.at_ptr[people.loc[e]]
        if here > most:
            best, most = e, here
    return best


@njit(cache=True, nogil=True)
def _filter(people: _People, among: Ints, n_among: int, k: int) -> int:
    """Keep those of ``among`` who have place k; return how many."""
    n_left = 0
    for n in range(n_among):
        j = among[n]
        own = people.loc[people.ptr[j] : people.ptr[j + 1]]
        e = np.searchsorted(own, k)
        if e < own.size and own[e] == k:
            among[n_left] = j
            n_left += 1
    return n_left


@njit(cache=True, nogil=True)
def _extend(people: _People, least: int, low: int, high: int) -> None:
    """Add visits to the trails of low:high while ``least`` people were at all places on them.

    Cost: for each visit added, the trails of the people who were at all places before.
    """
    mark = np.zeros(people.n_with.size, np.bool_)
    count = np.zeros(people.n_with.size, np.int64)
    among = np.empty(people.order.size, np.int64)
    for i in range(low, high):
        n_among = _everywhere(people, i, mark, among)
        if n_among == 0:
            e = _most_visited(people, i, least)
            if e < 0:
                continue
            people.kept[e] = True
            n_among = _everywhere(people, i, mark, among)
        while True:
            e = _next_place(people, i, among[:n_among], least, count)
            if e < 0:
                break
            people.kept[e] = True
            n_among = _filter(people, among, n_among, people.loc[e])


def extend_within(
    ptr: Ints,
    loc: Indices,
    n_locations: int,
    k: int,
    kept: Flags,
    n_threads: int | None = None,
) -> Flags:
    """
    Add visits to ``kept`` while k people or more, by all their visits, were at all its places.

    Meaning: returns one flag per visit; none is removed. People count for their own trail.
    """
    people = _start(ptr, loc, n_locations)._replace(kept=kept.copy())
    chunks = split_evenly(np.diff(people.ptr))
    run_parallel(_extend, [(people, k, low, high) for low, high in chunks], n_threads)
    return people.kept
