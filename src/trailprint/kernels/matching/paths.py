"""Shortest augmenting paths on a transportation problem with prices.

Nodes of two sides have prices and capacities; an edge may carry flow only while it is tight,
``gain - multiplier = price + price``. A search grows alternating paths from one node until it
reaches free capacity, or a node whose price falls to its floor and which can be left unmatched.
Functions take the searching side's `Nodes` as ``own``; searches from columns swap the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.heaps import ABSENT, pop, sift_up

RANK_AFTER = 8
"""Nodes that searches scan, per node, before edges are ranked: few searches never pay for it."""
SOURCE = -3
"""Predecessor of the node a search starts from."""


class Nodes(NamedTuple):
    """One side: prices, free capacity, candidate edges (CSR) and linked lists of flow entries.

    A node whose price has fallen to its ``floor`` is left unmatched; the price falls no further.
    If ``key`` is not empty, a node's edges are sorted by it (`rank_edges`).
    """

    price: Floats
    floor: Floats
    left: Ints
    ptr: Ints
    edge: Indices
    gain: Floats
    key: Floats
    head: Indices
    next: Indices
    node: Indices
    dist: Floats
    pred: Indices
    reached: Indices
    heap: Indices
    place: Indices


class FreeList(NamedTuple):
    """Flow amounts, and a stack of unused flow entries for every component."""

    amount: Ints
    stack: Indices
    top: Ints


@njit(cache=True, nogil=True)
def add_source(own: Nodes, k: int, s: int) -> None:
    """Make a node source number k of the next search."""
    own.reached[k] = s
    own.dist[s] = 0.0
    own.pred[s] = SOURCE


@njit(cache=True, nogil=True)
def rank_edges(own: Nodes, other: Nodes, low: int, high: int) -> None:
    """Sort the edges of nodes low:high by ``key``, their ``gain - price``, greatest first.

    Meaning: as long as no price on the other side falls, the key is an upper bound, and a search
    can leave a node at the first edge that is too long. Cost: O(edges) if nearly sorted, as after a
    few more searches (insertion sort).
    """
    for s in range(low, high):
        first = own.ptr[s]
        for e in range(first, own.ptr[s + 1]):
            t, gain = own.edge[e], own.gain[e]
            key = gain - other.price[t]
            f = e
            while f > first and own.key[f - 1] < key:
                own.key[f] = own.key[f - 1]
                own.edge[f] = own.edge[f - 1]
                own.gain[f] = own.gain[f - 1]
                f -= 1
            own.key[f] = key
            own.edge[f] = t
            own.gain[f] = gain


@njit(cache=True, nogil=True, inline="always")
def _follow(own: Nodes, other: Nodes, t: int, start: int, n_own: int) -> int:
    """Add the own nodes that send flow to t, at t's distance; return how many are now reached."""
    f = other.head[t]
    while f >= 0:
        s = own.node[f]
        if own.pred[s] == ABSENT:
            own.pred[s] = f
            own.dist[s] = other.dist[t]
            own.reached[start + n_own] = s
            n_own += 1
        f = other.next[f]
    return n_own


@njit(cache=True, nogil=True, inline="always")
def _list_reached(other: Nodes, t: int, end: int, heap_end: int, n_heap: int) -> None:
    """Add a node to the ends of the reached list and of the heap."""
    other.reached[end] = t
    other.place[t] = n_heap
    other.heap[heap_end] = t


@njit(cache=True, nogil=True)
def search(
    own: Nodes,
    other: Nodes,
    n_sources: int,
    limit: float,
    may_leave: bool,
    multiplier: float,
    start: int,
    base: int,
) -> tuple[float, int, bool, int, int]:
    """Grow shortest alternating paths from the sources to the nearest end below ``limit``.

    Meaning: the sources are ``own.reached[start : start + n_sources]``; returns (distance, end
    node or -1, whether it is on the other side, own nodes reached, other nodes reached); the
    reached lists begin at ``start`` and ``base``. Cost: O(edges of reached nodes + heap).
    """
    ranked = own.key.size > 0
    n_own = n_sources
    n_other = 0
    n_heap = 0
    done = 0
    best = limit
    end = -1
    across = False
    while True:
        while done < n_own:
            s = own.reached[start + done]
            done += 1
            d = own.dist[s]
            if may_leave and d + own.price[s] - own.floor[s] < best:
                best = d + own.price[s] - own.floor[s]
                end = s
                across = False
            for e in range(own.ptr[s], own.ptr[s + 1]):
                if ranked and d + own.price[s] + multiplier - own.key[e] >= best:
                    break
                t = own.edge[e]
                far = d + max(0.0, own.price[s] + other.price[t] - (own.gain[e] - multiplier))
                if far >= best or far >= other.dist[t]:
                    continue
                if other.place[t] == ABSENT:
                    _list_reached(other, t, base + n_other, base + n_heap, n_heap)
                    n_other += 1
                    n_heap += 1
                other.dist[t] = far
                other.pred[t] = s
                sift_up(other.dist, other.heap, other.place, base, other.place[t])
                if other.left[t] > 0:
                    best = far
                    end = t
                    across = True
        if n_heap == 0 or other.dist[other.heap[base]] >= best:
            return best, end, across, n_own, n_other
        t = pop(other.dist, other.heap, other.place, base, n_heap)
        n_heap -= 1
        n_own = _follow(own, other, t, start, n_own)


@njit(cache=True, nogil=True)
def settle(
    own: Nodes, other: Nodes, best: float, start: int, n_own: int, base: int, n_other: int
) -> None:
    """Update the prices from the distances of a search and clear the distances.

    Meaning: own prices fall, the other side's rise, and edges with flow stay tight.
    Shapes: the reached lists of `search`. Cost: O(nodes reached).
    """
    for k in range(n_own):
        s = own.reached[start + k]
        own.pred[s] = ABSENT
        if own.dist[s] < best:
            own.price[s] = max(own.floor[s], own.price[s] - (best - own.dist[s]))
        own.dist[s] = np.inf
    for k in range(n_other):
        t = other.reached[base + k]
        other.place[t] = ABSENT
        other.pred[t] = ABSENT
        if other.dist[t] < best:
            other.price[t] += best - other.dist[t]
        other.dist[t] = np.inf


@njit(cache=True, nogil=True)
def add_flow(own: Nodes, other: Nodes, free_list: FreeList, c: int, s: int, t: int, n: int) -> None:
    """Send n more units from s to t, on the pair's flow entry or on a new one.

    Meaning: each entry is in a linked list at both ends. Cost: the length of s's list.
    """
    f = own.head[s]
    while f >= 0:
        if other.node[f] == t:
            free_list.amount[f] += n
            return
        f = own.next[f]
    free_list.top[c] -= 1
    f = free_list.stack[free_list.top[c]]
    own.node[f] = s
    other.node[f] = t
    free_list.amount[f] = n
    own.next[f] = own.head[s]
    own.head[s] = f
    other.next[f] = other.head[t]
    other.head[t] = f


@njit(cache=True, nogil=True)
def _unlink(side: Nodes, f: int) -> None:
    """Remove a flow entry from its linked list on one side."""
    s = side.node[f]
    if side.head[s] == f:
        side.head[s] = side.next[f]
        return
    g = side.head[s]
    while side.next[g] != f:
        g = side.next[g]
    side.next[g] = side.next[f]


@njit(cache=True, nogil=True)
def cut_flow(own: Nodes, other: Nodes, free_list: FreeList, c: int, f: int, n: int) -> None:
    """Remove n units from a flow entry; an empty entry returns to the free list."""
    free_list.amount[f] -= n
    if free_list.amount[f] == 0:
        _unlink(own, f)
        _unlink(other, f)
        free_list.stack[free_list.top[c]] = f
        free_list.top[c] += 1


@njit(cache=True, nogil=True)
def augment(
    own: Nodes, other: Nodes, free_list: FreeList, c: int, end: int, across: bool, limit: int
) -> int:
    """Push flow along the path that ends at ``end``; return the units pushed.

    Meaning: as much as the source, the end and the entries on the path allow, at most ``limit``.
    Cost: O(length of the path).
    """
    n = limit
    t = end
    if across:
        n = min(n, other.left[end])
    else:
        n = min(n, free_list.amount[own.pred[end]])
        t = other.node[own.pred[end]]
    s = other.pred[t]
    while own.pred[s] != SOURCE:
        n = min(n, free_list.amount[own.pred[s]])
        s = other.pred[other.node[own.pred[s]]]
    n = min(n, own.left[s])
    own.left[s] -= n
    if across:
        other.left[end] -= n
    else:
        own.left[end] += n
    s = -1 if across else end
    t = end
    while True:
        if s >= 0:
            f = own.pred[s]
            if f == SOURCE:
                return int(n)
            t = other.node[f]
            cut_flow(own, other, free_list, c, f, n)
        s = other.pred[t]
        add_flow(own, other, free_list, c, s, t, n)


@njit(cache=True, nogil=True)
def place_all(
    own: Nodes,
    other: Nodes,
    free_list: FreeList,
    c: int,
    low: int,
    high: int,
    base: int,
    multiplier: float,
    no_price: float,
) -> int:
    """Search from nodes of ``low:high`` with free capacity, priced over ``no_price`` above floor.

    Meaning: afterwards each is matched or its price is at its floor. Returns the number of
    searches. Cost: one search and one path per unit or bundle of units.
    """
    searches = 0
    n_scanned = 0
    if own.key.size > 0:
        # Not known yet: any edge may be the best, so that no search stops early.
        own.key[own.ptr[low] : own.ptr[high]] = np.inf
    for s in range(low, high):
        while own.left[s] > 0 and own.price[s] > own.floor[s] + no_price:
            if own.key.size > 0 and n_scanned >= RANK_AFTER * (high - low):
                # Keys of old prices still hold but say little: they are made again when it pays.
                rank_edges(own, other, low, high)
                n_scanned = 0
            add_source(own, low, s)
            best, end, across, n_own, n_other = search(
                own, other, 1, np.inf, True, multiplier, low, base
            )
            if end != s or across:
                augment(own, other, free_list, c, end, across, own.left[s])
            settle(own, other, best, low, n_own, base, n_other)
            n_scanned += n_own
            searches += 1
    return searches
