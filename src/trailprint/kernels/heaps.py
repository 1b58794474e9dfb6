"""Binary heaps in plain arrays.

The **indexed heap** (`sift_up`, `pop`) orders nodes by distance and supports decrease-key:
``heap[base : base + n]`` lists the nodes, ``place[node]`` is each node's position, and several
heaps share the arrays, each from its own ``base`` on. The **bounded heap** (`keep_smallest`) keeps
the smallest few items of a stream. Where neither is needed, kernels use Python's `heapq`.
"""

from __future__ import annotations

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit

SETTLED = -2
"""Place of a node whose distance is final."""
ABSENT = -1
"""Place, or predecessor, of a node not reached yet."""


@njit(cache=True, nogil=True)
def sift_up(dist: Floats, heap: Indices, place: Indices, base: int, k: int) -> None:
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
    """Remove and return the nearest node of a heap of n entries, marked as settled.

    Meaning: the caller decrements n. Cost: O(log n).
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


@njit(cache=True, nogil=True)
def _sift_down_ties(keys: Floats, ties: Ints, items: Ints, size: int) -> None:
    """Sift the root of a max-heap down. Cost: the logarithm of ``size``."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            return
        right = child + 1
        if right < size and (
            keys[right] > keys[child] or (keys[right] == keys[child] and ties[right] > ties[child])
        ):
            child = right
        if keys[place] > keys[child] or (keys[place] == keys[child] and ties[place] >= ties[child]):
            return
        keys[place], keys[child] = keys[child], keys[place]
        ties[place], ties[child] = ties[child], ties[place]
        items[place], items[child] = items[child], items[place]
        place = child


@njit(cache=True, nogil=True)
def keep_smallest(
    keys: Floats, ties: Ints, items: Ints, size: int, key: float, tie: int, item: int
) -> int:
    """Add an item to the ``keys.size`` smallest so far (a max-heap); return the heap's size.

    Meaning: ordered by key, then by tie. Cost: the logarithm of ``keys.size``.
    """
    if size < keys.size:
        place = size
        while place > 0:
            parent = (place - 1) // 2
            if keys[parent] > key or (keys[parent] == key and ties[parent] > tie):
                break
            keys[place], ties[place], items[place] = keys[parent], ties[parent], items[parent]
            place = parent
        keys[place], ties[place], items[place] = key, tie, item
        return size + 1
    if size and (key < keys[0] or (key == keys[0] and tie < ties[0])):
        keys[0], ties[0], items[0] = key, tie, item
        _sift_down_ties(keys, ties, items, size)
    return size
