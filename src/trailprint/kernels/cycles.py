"""Shortest alternating cycles around an optimal matching.

The residual graph has an arc from a row to every column but its own, as long as the pair's slack
``u + v - gain``, and one of length zero from a column back to each row matched to it. A different
matching of the same size is a set of such cycles. Pairs that share nothing have slack ``u + v``:
they pass through one hub, at the price u into it and v out of it. Where one side has a surplus,
leaving a vertex out costs its price and taking a free one in costs nothing: the same hub.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numba import njit

from trailprint.kernels.metrics import Floats, Indices, Ints
from trailprint.kernels.overlap import Join, fill_all


class Residual(NamedTuple):
    """The residual graph from the rows' side.

    ``edge``, ``slack``: k kept pairs per row, nearest first, -1 where there are fewer; any other
    pair of row i that shares a location has slack at least ``rest[i]``. Column j is matched to
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
def hub_distances(graph: Residual, free: Ints, direct: bool) -> Floats:
    """Return each column's distance from the hub.

    Meaning: the least cost of giving a column another partner, or none: ``direct`` at its price,
    or on a path from a ``free`` row. Shapes: one per column. Cost: one pass over all pairs.
    """
    join, u, v = graph.join, graph.u, graph.v
    dist = v.copy() if direct else np.full(v.size, np.inf)
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    seen = np.zeros(u.size, np.bool_)
    heap = [(0.0, np.int64(-1))]
    if direct:
        for j in range(v.size):
            heapq.heappush(heap, (v[j], np.int64(j)))
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
    """Scratch space of a search from one end, clear between searches.

    ``dist``: over the far side's nodes; ``seen``: the last search that scanned a near node.
    """

    dist: Floats
    seen: Ints
    reached: Indices
    scratch: Floats
    touched: Indices


@njit(cache=True, nogil=True)
def build_half(n_near: int, n_far: int) -> Half:
    """Allocate scratch space."""
    return Half(
        np.full(n_far, np.inf),
        np.full(n_near, -1, np.int64),
        np.empty(n_far, np.int32),
        np.zeros(n_far),
        np.empty(n_far + 1, np.int32),
    )


@njit(cache=True, nogil=True)
def nearest_detour(graph: Residual, i: int, own: int, onward: Floats, half: Half) -> float:
    """Return the least ``slack + onward`` over row i's overlapping columns but its own.

    Meaning: the shortest way that starts with a real pair. Shapes: onward over columns.
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

    Meaning: (length or limit, True), or (a lower bound, False) after ``most_nodes`` nodes.
    Shapes: the same graph from both sides. Cost: Dijkstra from both ends until they meet.
    """
    best = limit
    first = _least_slack(ahead, i, j)
    final = _least_slack(back, j, i)
    heap = [(0.0, np.int64(-1))]
    rear_heap = [(0.0, np.int64(-1))]
    n_front = 0
    n_rear = 0
    n_nodes = 0
    complete = True
    best, n_rear = _settle(back, j, i, first, 0.0, best, n_rear, rear_heap, rear, front)
    best, n_front = _settle(ahead, i, j, final, 0.0, best, n_front, heap, front, rear)
    while len(heap) > 0 and len(rear_heap) > 0:
        top, rear_top = heap[0][0], rear_heap[0][0]
        if top + rear_top >= best or top + final >= best or rear_top + first >= best:
            break
        n_nodes += 1
        if n_nodes > most_nodes:
            best = min(best, max(top + rear_top, max(top + final, rear_top + first)))
            complete = False
            break
        if top <= rear_top:
            best, n_front = _settle(
                ahead, i, j, final, rear_top, best, n_front, heap, front, rear
            )
        else:
            best, n_rear = _settle(
                back, j, i, first, top, best, n_rear, rear_heap, rear, front
            )
    for k in range(n_front):
        front.dist[front.reached[k]] = np.inf
    for k in range(n_rear):
        rear.dist[rear.reached[k]] = np.inf
    return best, complete


@njit(cache=True, nogil=True)
def _least_slack(graph: Residual, i: int, own: int) -> float:
    """Return a lower bound on the slack of row i's pairs other than its own."""
    for k in range(graph.edge.shape[1]):
        if graph.edge[i, k] < 0:
            break
        if graph.edge[i, k] != own:
            return graph.slack[i, k]
    return graph.rest[i]


@njit(cache=True, nogil=True)
def _settle(
    graph: Residual,
    start: int,
    goal: int,
    final: float,
    other_top: float,
    best: float,
    n_reached: int,
    heap: list[tuple[float, int]],
    half: Half,
    other: Half,
) -> tuple[float, int]:
    """Settle the nearest node of one end: (best cycle, nodes reached)."""
    d, t = heapq.heappop(heap)
    if t >= 0 and d > half.dist[t]:
        return best, n_reached
    low = graph.flow_ptr[t] if t >= 0 else 0
    high = graph.flow_ptr[t + 1] if t >= 0 else 1
    for f in range(low, high):
        a = graph.flow_row[f] if t >= 0 else start
        if half.seen[a] == start:
            continue
        half.seen[a] = start
        whole = d + graph.rest[a] + final < best
        n = graph.edge.shape[1]
        if whole:
            # A pair that was not kept might matter: look at the whole row.
            n = fill_all(graph.join, a, half.scratch, half.touched)
        for k in range(n):
            b = half.touched[k] if whole else graph.edge[a, k]
            if whole:
                far = d + max(0.0, graph.u[a] + graph.v[b] - half.scratch[b])
                half.scratch[b] = 0.0
            else:
                far = d + graph.slack[a, k]
            if far + final >= best and not whole:
                break
            # Pairs with the goal are met from its own end, which has been looked at first.
            if b != goal and far + final < best:
                best, n_reached = _reach(
                    graph, b, far, other_top, best, n_reached, heap, half, other
                )
    return best, n_reached


@njit(cache=True, nogil=True)
def _reach(
    graph: Residual,
    b: int,
    far: float,
    other_top: float,
    best: float,
    n_reached: int,
    heap: list[tuple[float, int]],
    half: Half,
    other: Half,
) -> tuple[float, int]:
    """Note a far node's distance: (best cycle, nodes reached).

    What the other end has settled is met here and now; beyond that, only nodes from which a
    better cycle is possible are remembered.
    """
    if far >= half.dist[b]:
        return best, n_reached
    for f in range(graph.flow_ptr[b], graph.flow_ptr[b + 1]):
        best = min(best, far + other.dist[graph.flow_row[f]])
    if far + other_top < best:
        if half.dist[b] == np.inf:
            half.reached[n_reached] = b
            n_reached += 1
        half.dist[b] = far
        heapq.heappush(heap, (far, np.int64(b)))
    return best, n_reached
