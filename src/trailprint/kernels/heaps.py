"""A binary heap of nodes by distance, in plain arrays, that can shorten a distance.

``heap[base : base + n]`` lists nodes, ``place[node]`` says where each stands. Several heaps can
share the arrays, each from its own ``base`` on.
"""

from __future__ import annotations

from numba import njit

from trailprint.kernels.metrics import Floats, Indices

SETTLED = -2
"""Place of a node whose distance is final."""
ABSENT = -1
"""Place, or predecessor, of a node not met yet."""


@njit(cache=True, nogil=True)
def rise(dist: Floats, heap: Indices, place: Indices, base: int, k: int) -> None:
    """Move entry k towards the root until its parent is no farther.

    Meaning: call it after adding an entry at the end or shortening a distance. Cost: O(log n).
    """
    t = heap[base + k]
    d = dist[t]
    while k > 0:
        parent = (k - 1) >> 1
        p = heap[base + parent]
        if dist[p] <= d:
            break
        heap[base + k] = p
        place[p] = k
        k = parent
    heap[base + k] = t
    place[t] = k


@njit(cache=True, nogil=True)
def pop(dist: Floats, heap: Indices, place: Indices, base: int, n: int) -> int:
    """Take the nearest node off a heap of n entries; the caller counts down.

    Meaning: returns the node and marks it settled. Cost: O(log n).
    """
    root = heap[base]
    place[root] = SETTLED
    n -= 1
    if n == 0:
        return int(root)
    t = heap[base + n]
    d = dist[t]
    k = 0
    while True:
        child = 2 * k + 1
        if child >= n:
            break
        if child + 1 < n and dist[heap[base + child + 1]] < dist[heap[base + child]]:
            child += 1
        c = heap[base + child]
        if d <= dist[c]:
            break
        heap[base + k] = c
        place[c] = k
        k = child
    heap[base + k] = t
    place[t] = k
    return int(root)
