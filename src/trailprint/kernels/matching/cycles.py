"""Shortest alternating cycles around an optimal matching.

The residual graph has an arc from a row to every column but its own, whose length is the pair's
slack ``u + v - gain``, and one of length zero from a column back to each row matched to it. Any
other matching of the same size differs by a set of such cycles. Pairs that share nothing have slack
``u + v``: they are modelled by one super-node, at cost u into it and v out of it. Where one side
has a surplus, unmatching a vertex costs its price and matching a free one costs nothing, through
the same super-node. Where both sides have free vertices, as with a fixed size, each side has its
own super-node, and every pair's slack is greater by the multiplier.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.heaps import ABSENT, pop, sift_up
from trailprint.kernels.matching.join import Join, fill_all

BATCH = 32
"""Nodes settled from one end per turn: a function call costs as much as settling a few nodes."""


class Residual(NamedTuple):
    """The residual graph from the rows' side.

    ``u``, ``v``: prices, the multiplier added to one side's. ``edge``, ``slack``: k kept pairs
    per row, least slack first, -1 where there are fewer; any other pair of row i that shares a
    location has slack at least ``rest[i]``. Column j is matched to
    ``flow_row[flow_ptr[j]:flow_ptr[j + 1]]``.
    """

    join: Join
    u: Floats
    v: Floats
    edge: Indices
    slack: Floats
    rest: Floats
    flow_ptr: Ints
    flow_row: Ints


@njit(cache=True, nogil=True)
def super_node_distances(graph: Residual, free: Ints, direct: Floats) -> Floats:
    """Return each column's distance from the super-node.

    Meaning: the least cost of giving a column another partner, or none: its ``direct`` cost
    (infinite where impossible), or a path that starts at a ``free`` row or at another column.
    Shapes: direct and the result one per column. Cost: one pass over all pairs.
    """
    join, u, v = graph.join, graph.u, graph.v
    dist = direct.copy()
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    seen = np.zeros(u.size, np.bool_)
    heap = [(0.0, np.int64(-1))]
    for j in range(v.size):
        if direct[j] < np.inf:
            heapq.heappush(heap, (direct[j], np.int64(j)))
    while len(heap) > 0:
        d, t = heapq.heappop(heap)
        if t >= 0 and d > dist[t]:
            continue
        low = graph.flow_ptr[t] if t >= 0 else 0
        high = graph.flow_ptr[t + 1] if t >= 0 else free.size
        for f in range(low, high):
            a = graph.flow_row[f] if t >= 0 else free[f]
            if seen[a]:
                continue
            seen[a] = True
            n = fill_all(join, a, scratch, touched)
            for k in range(n):
                j = touched[k]
                far = d + max(0.0, u[a] + v[j] - scratch[j])
                scratch[j] = 0.0
                if far < dist[j]:
                    dist[j] = far
                    heapq.heappush(heap, (far, np.int64(j)))
    return dist


class Half(NamedTuple):
    """Scratch space of a search from one end, cleared between searches.

    ``dist``: distances of the far side's nodes; ``meet``: the least of them per matched near node;
    ``seen``: the last search that scanned a near node; ``sizes``: number of nodes reached, and of
    nodes in the heap.
    """

    dist: Floats
    meet: Floats
    seen: Ints
    reached: Indices
    heap: Indices
    place: Indices
    scratch: Floats
    touched: Indices
    sizes: Ints


@njit(cache=True, nogil=True)
def build_half(n_near: int, n_far: int) -> Half:
    """Return scratch space for a search between ``n_near`` and ``n_far`` nodes."""
    return Half(
        np.full(n_far, np.inf),
        np.full(n_near, np.inf),
        np.full(n_near, -1, np.int64),
        np.empty(n_far, np.int32),
        np.empty(n_far, np.int32),
        np.full(n_far, ABSENT, np.int32),
        np.zeros(n_far),
        np.empty(n_far + 1, np.int32),
        np.zeros(2, np.int64),
    )


@njit(cache=True, nogil=True)
def nearest_detour(graph: Residual, i: int, own: int, onward: Floats, half: Half) -> float:
    """Return the least ``slack + onward`` over row i's overlapping columns other than ``own``.

    Meaning: the shortest path that starts with a real pair. Shapes: onward over columns.
    Cost: one row of the pass.
    """
    n = fill_all(graph.join, i, half.scratch, half.touched)
    best = np.inf
    for k in range(n):
        j = half.touched[k]
        slack = max(0.0, graph.u[i] + graph.v[j] - half.scratch[j])
        half.scratch[j] = 0.0
        if j != own:
            best = min(best, slack + onward[j])
    return best


@njit(cache=True, nogil=True)
def search_cycle(
    ahead: Residual,
    back: Residual,
    i: int,
    j: int,
    limit: float,
    most_nodes: int,
    front: Half,
    rear: Half,
) -> tuple[float, bool]:
    """Find the shortest cycle of real pairs through the link (i, j), up to ``limit``.

    Meaning: returns (length or limit, True), or (a lower bound, False) after ``most_nodes`` nodes.
    Shapes: ``ahead`` and ``back`` are the graph from both sides. Cost: bidirectional Dijkstra.
    """
    first = _least_slack(ahead, i, j)
    final = _least_slack(back, j, i)
    complete = True
    best = _scan(back, j, j, i, 0.0, first, 0.0, limit, rear, front)
    best = _scan(ahead, i, i, j, 0.0, final, 0.0, best, front, rear)
    n_nodes = 0
    while front.sizes[1] > 0 and rear.sizes[1] > 0:
        top, rear_top = front.dist[front.heap[0]], rear.dist[rear.heap[0]]
        floor = max(top + rear_top, max(top + final, rear_top + first))
        if floor >= best:
            break
        n_nodes += BATCH
        if n_nodes > most_nodes:
            best = floor
            complete = False
        elif top <= rear_top:
            best = _settle(ahead, i, j, final, rear_top, best, front, rear)
        else:
            best = _settle(back, j, i, first, top, best, rear, front)
    _clear(ahead, front)
    _clear(back, rear)
    return best, complete


@njit(cache=True, nogil=True)
def _least_slack(graph: Residual, i: int, own: int) -> float:
    """Return a lower bound on the slack of row i's pairs other than its own."""
    for k in range(graph.edge.shape[1]):
        if graph.edge[i, k] < 0:
            break
        if graph.edge[i, k] != own:
            return float(graph.slack[i, k])
    return float(graph.rest[i])


@njit(cache=True, nogil=True)
def _clear(graph: Residual, half: Half) -> None:
    """Reset the scratch space after a search."""
    for k in range(half.sizes[0]):
        b = half.reached[k]
        half.dist[b] = np.inf
        half.place[b] = ABSENT
        for f in range(graph.flow_ptr[b], graph.flow_ptr[b + 1]):
            half.meet[graph.flow_row[f]] = np.inf
    half.sizes[:] = 0


@njit(cache=True, nogil=True)
def _settle(
    graph: Residual,
    start: int,
    goal: int,
    final: float,
    other_top: float,
    best: float,
    half: Half,
    other: Half,
) -> float:
    """Settle the nearest nodes of one end and scan their partners; return the best length."""
    for _ in range(BATCH):
        if half.sizes[1] == 0 or half.dist[half.heap[0]] + max(other_top, final) >= best:
            break
        t = pop(half.dist, half.heap, half.place, 0, half.sizes[1])
        half.sizes[1] -= 1
        d = half.dist[t]
        for f in range(graph.flow_ptr[t], graph.flow_ptr[t + 1]):
            a = graph.flow_row[f]
            if half.seen[a] != start:
                best = _scan(graph, a, start, goal, d, final, other_top, best, half, other)
    return best


@njit(cache=True, nogil=True, inline="always")
def _scan(
    graph: Residual,
    a: int,
    start: int,
    goal: int,
    d: float,
    final: float,
    other_top: float,
    best: float,
    half: Half,
    other: Half,
) -> float:
    """Scan the pairs of near node a at distance d; return the length of the best cycle.

    Paths that meet the other end's nodes are completed at once; other nodes are kept only if a
    better cycle through them is possible. Pairs with the goal are skipped: they are handled from
    its end, which is scanned first.
    """
    half.seen[a] = start
    if d + graph.rest[a] + final < best:
        return _scan_whole(graph, a, goal, d, other_top, best, half, other)
    edge, slack, meet = graph.edge[a], graph.slack[a], other.meet
    n = 0
    while n < edge.size and d + slack[n] + final < best:
        if edge[n] != goal:
            best = min(best, d + slack[n] + meet[edge[n]])
        n += 1
    floor = max(final, other_top)
    for k in range(n):
        far = d + slack[k]
        if far + floor >= best:
            break
        if edge[k] != goal and far < half.dist[edge[k]]:
            _reach(graph.flow_ptr, graph.flow_row, edge[k], far, half)
    return best


@njit(cache=True, nogil=True)
def _scan_whole(
    graph: Residual,
    a: int,
    goal: int,
    d: float,
    other_top: float,
    best: float,
    half: Half,
    other: Half,
) -> float:
    """Scan all pairs of a near node, because one that was not kept might matter."""
    n = fill_all(graph.join, a, half.scratch, half.touched)
    for k in range(n):
        b = half.touched[k]
        far = d + max(0.0, graph.u[a] + graph.v[b] - half.scratch[b])
        half.scratch[b] = 0.0
        if b != goal:
            best = min(best, far + other.meet[b])
            if far + other_top < best and far < half.dist[b]:
                _reach(graph.flow_ptr, graph.flow_row, b, far, half)
    return best


@njit(cache=True, nogil=True, inline="always")
def _reach(flow_ptr: Ints, flow_row: Ints, b: int, far: float, half: Half) -> None:
    """Record a shorter distance of a far node."""
    sizes = half.sizes
    if half.place[b] == ABSENT:
        half.reached[sizes[0]] = b
        half.place[b] = sizes[1]
        half.heap[sizes[1]] = b
        sizes += 1
    half.dist[b] = far
    sift_up(half.dist, half.heap, half.place, 0, half.place[b])
    for f in range(flow_ptr[b], flow_ptr[b + 1]):
        half.meet[flow_row[f]] = min(half.meet[flow_row[f]], far)
