"""Worst case of known places in the order of their visits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import invert, sum_rows
from trailprint.kernels.passes import Pass, run_pass


class Itineraries(NamedTuple):
    """
    All people's visits in order, and where each place occurs in them.

    Person i visits ``place[ptr[i]:ptr[i + 1]]``. Their distinct places are
    ``own[own_ptr[i]:own_ptr[i + 1]]``, ascending; entry e of these occurs at the visits
    ``visit[at[e]:at[e + 1]]``, ascending. ``who[who_ptr[k]:who_ptr[k + 1]]`` were at place k.
    """

    ptr: Ints
    place: Indices
    own_ptr: Ints
    own: Indices
    at: Ints
    visit: Ints
    who_ptr: Ints
    who: Indices


def build_itineraries(ptr: Ints, place: Indices, n_places: int) -> Itineraries:
    """Return people's visits with an index of where each place occurs in them."""
    person = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    order = np.lexsort((np.arange(len(place)), place, person))
    pairs = person[order] * max(n_places, 1) + place[order]
    at = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]])[: len(pairs)])
    own, owner = place[order][at].astype(np.int32), person[order][at]
    own_ptr = np.searchsorted(owner, np.arange(len(ptr))).astype(np.int64)
    who_ptr, who = invert(own_ptr, own, n_places)
    return Itineraries(
        ptr=ptr.astype(np.int64),
        place=place.astype(np.int32),
        own_ptr=own_ptr,
        own=own,
        at=np.append(at, len(place)).astype(np.int64),
        visit=order.astype(np.int64),
        who_ptr=who_ptr,
        who=who,
    )


@njit(cache=True, nogil=True)
def _next_visit(trips: Itineraries, person: int, place: int, after: int) -> int:
    """Return the person's first visit to a place later than visit ``after``, or -1."""
    low, high = trips.own_ptr[person], trips.own_ptr[person + 1]
    e = low + np.searchsorted(trips.own[low:high], place)
    if e == high or trips.own[e] != place:
        return -1
    first, last = trips.at[e], trips.at[e + 1]
    f = first + np.searchsorted(trips.visit[first:last], after, side="right")
    return -1 if f == last else trips.visit[f]


@njit(cache=True, nogil=True)
def _follows(trips: Itineraries, person: int, leader: int) -> bool:
    """Return whether a person's visits contain all of the leader's, in their order."""
    at = trips.ptr[person] - 1
    for e in range(trips.ptr[leader], trips.ptr[leader + 1]):
        at = _next_visit(trips, person, trips.place[e], at)
        if at < 0:
            return False
    return True


@njit(cache=True, nogil=True)
def _count_followers(trips: Itineraries, leader: int, rarest: int) -> int:
    """Count people whose visits contain all of the leader's in order, the leader included."""
    found = 0
    for e in range(trips.who_ptr[rarest], trips.who_ptr[rarest + 1]):
        if _follows(trips, trips.who[e], leader):
            found += 1
    return found


@njit(cache=True, nogil=True)
def _begin(trips: Itineraries, place: int, to: Indices, at: Ints) -> int:
    """List everybody who visits a place, with their first visit; returns how many."""
    first = trips.who_ptr[place]
    n = trips.who_ptr[place + 1] - first
    for c in range(n):
        to[c] = trips.who[first + c]
        at[c] = _next_visit(trips, to[c], place, trips.ptr[to[c]] - 1)
    return n


@njit(cache=True, nogil=True)
def _advance(
    trips: Itineraries, place: int, people: Indices, last: Ints, n: int, to: Indices, at: Ints
) -> int:
    """Keep the candidates who visit a place later, with the earliest such visit; count them."""
    kept = 0
    for c in range(n):
        visit = _next_visit(trips, people[c], place, last[c])
        if visit >= 0:
            to[kept] = people[c]
            at[kept] = visit
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _search(trips: Itineraries, i: int, places: Indices, budget: int, floor: int) -> int:
    """
    Return the fewest people whose visits contain a choice of ``budget`` visits in order.

    Meaning: depth-first search; the next place is any that person i visits later, rarest first; it
    ends once ``floor`` people are left. Cost: two bisections per candidate of each choice.
    """
    best = 2**31
    widest = 0
    for k in range(places.size):
        size = trips.who_ptr[places[k] + 1] - trips.who_ptr[places[k]]
        best, widest = min(best, size), max(widest, size)
    people = np.empty((budget, widest), np.int32)
    last = np.empty((budget, widest), np.int64)
    n = np.zeros(budget, np.int64)
    own = np.full(budget, trips.ptr[i] - 1, np.int64)
    at = np.zeros(budget, np.int64)
    depth = 0
    while depth >= 0 and best > floor:
        if at[depth] == places.size:
            depth -= 1
            continue
        place = places[at[depth]]
        at[depth] += 1
        before = trips.ptr[i] - 1 if depth == 0 else own[depth - 1]
        mine = _next_visit(trips, i, place, before)
        if mine < 0:
            continue
        if depth == 0:
            n[0] = _begin(trips, place, people[0], last[0])
        else:
            n[depth] = _advance(
                trips,
                place,
                people[depth - 1],
                last[depth - 1],
                n[depth - 1],
                people[depth],
                last[depth],
            )
        best = min(best, n[depth])
        own[depth] = mine
        if depth + 1 < budget:
            depth += 1
            at[depth] = 0
    return best


@njit(cache=True, nogil=True)
def _find_fewest(trips: Itineraries, budget: int, low: int, high: int, out: Indices) -> None:
    """Fill out[low:high] with the fewest people that a choice of visits leaves."""
    for i in range(low, high):
        own = trips.own[trips.own_ptr[i] : trips.own_ptr[i + 1]]
        if own.size == 0:
            out[i] = trips.ptr.size - 1
            continue
        size = trips.who_ptr[own + 1] - trips.who_ptr[own]
        places = own[np.argsort(size)]
        floor = 1
        if size.min() > 1:
            floor = _count_followers(trips, i, places[0])
        out[i] = _search(trips, i, places, budget, floor)


def find_fewest_in_order(
    trips: Itineraries, *, budget: int, n_threads: int | None = None
) -> Indices:
    """
    Find the fewest people whose visits contain a choice of a person's visits, in order.

    Returns
    -------
    ndarray of int32
        For each person, the people left by the choice of ``budget`` visits that leaves fewest, the
        person included. Other visits may lie between those that are known.
    """
    out = np.empty(len(trips.ptr) - 1, np.int32)
    work = sum_rows(trips.own_ptr, np.diff(trips.who_ptr)[trips.own]) + np.diff(trips.ptr)
    run_pass(Pass(_find_fewest, (trips,), (budget,), work, out), n_threads)
    return out
