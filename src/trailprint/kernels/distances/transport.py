"""Earth mover's distance between pairs of histograms, with ground distances capped at a reach.

``s = max(0, 1 - distance / reach)`` is the nearness of two places, and ``gain = max sum of flow *
s`` over all flows from one histogram to the other. One minus the gain is the earth mover's distance
with ground distance ``min(distance / reach, 1)``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Floats, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import Csr
from trailprint.kernels.passes import Pass, run_pass

EARTH_M = 6_371_008.8
"""Mean radius of the Earth in metres."""


class Ground(NamedTuple):
    """Places of locations, as points on the unit sphere (nan: unknown), and the reach in metres."""

    place: Floats
    reach_m: float


@njit(cache=True, nogil=True)
def nearness(ground: Ground, a: int, b: int) -> float:
    """Return the nearness of two locations.

    Meaning: one for the same location; zero from the reach on and where a place is unknown.
    Shapes: scalars. Cost: one square root and one arcsine.
    """
    if a == b:
        return 1.0
    squared = 0.0
    for k in range(3):
        step = ground.place[a, k] - ground.place[b, k]
        squared += step * step
    if not squared >= 0.0:
        return 0.0
    arc = 2.0 * math.asin(min(1.0, math.sqrt(squared) / 2.0))
    return max(0.0, 1.0 - EARTH_M * arc / ground.reach_m)


@njit(cache=True, nogil=True)
def _shortest_path(
    near: Floats, flow: Floats, left: Floats, u: Floats, v: Floats, source: int, before: Ints
) -> int:
    """Find the cheapest path from a row to a column with room, and update the prices.

    Meaning: Dijkstra with the costs ``1 - near`` reduced by the prices; the last column, for mass
    left unsent, costs one and always has room. Shapes: rows x columns; ``before`` gets each
    column's row, then each row's column. Cost: rows times columns.
    """
    n, m = near.shape
    to_row, to_col = np.full(n, np.inf), np.full(m, np.inf)
    row_done, col_done = np.zeros(n, np.bool_), np.zeros(m, np.bool_)
    row, reached = source, 0.0
    to_row[source] = 0.0
    while True:
        row_done[row] = True
        for b in range(m):
            cost = reached + max(0.0, 1.0 - near[row, b] - u[row] - v[b])
            if not col_done[b] and cost < to_col[b]:
                to_col[b], before[b] = cost, row
        row = -1
        while row < 0:
            a, b = _nearest(to_row, row_done), _nearest(to_col, col_done)
            if a >= 0 and to_row[a] <= to_col[b]:
                row, reached = a, to_row[a]
                break
            reached = to_col[b]
            if left[b] > 0.0:
                _raise_prices(u, v, to_row, to_col, reached)
                return b
            col_done[b] = True
            for a in range(n):
                if not row_done[a] and flow[a, b] > 0.0 and reached < to_row[a]:
                    to_row[a], before[m + a] = reached, b


@njit(cache=True, nogil=True)
def _nearest(distance: Floats, done: npt.NDArray[np.bool_]) -> int:
    """Return the open node with the least finite distance, or -1. Cost: nodes."""
    best = -1
    for x in range(distance.size):
        if not done[x] and distance[x] < np.inf and (best < 0 or distance[x] < distance[best]):
            best = x
    return best


@njit(cache=True, nogil=True)
def _raise_prices(u: Floats, v: Floats, to_row: Floats, to_col: Floats, reached: float) -> None:
    """Update prices: reduced costs stay non-negative, and zero along the path. Cost: nodes."""
    for a in range(u.size):
        u[a] += max(0.0, reached - to_row[a])
    for b in range(v.size):
        v[b] -= max(0.0, reached - to_col[b])


@njit(cache=True, nogil=True)
def _most_gain(near: Floats, supply: Floats, left: Floats) -> float:
    """Return the greatest gain of sending ``supply`` to columns with room ``left``.

    Meaning: successive shortest paths; the last column, with nearness zero, takes mass left unsent.
    Shapes: rows x columns; both amounts are used up. Cost: about one path per row and column.
    """
    n, m = near.shape
    flow = np.zeros((n, m))
    u, v = np.zeros(n), np.zeros(m)
    before = np.empty(n + m, np.int64)
    for source in range(n):
        while supply[source] > 0.0:
            end = _shortest_path(near, flow, left, u, v, source, before)
            amount = min(supply[source], left[end])
            b = end
            while before[b] != source:
                a = before[b]
                b = before[m + a]
                amount = min(amount, flow[a, b])
            b = end
            while True:
                a = before[b]
                flow[a, b] += amount
                if a == source:
                    break
                b = before[m + a]
                flow[a, b] -= amount
            supply[source] -= amount
            left[end] -= amount
    gain = 0.0
    for a in range(n):
        for b in range(m):
            gain += flow[a, b] * near[a, b]
    return gain


@njit(cache=True, nogil=True)
def _compare(own: Csr, i: int, other: Csr, j: int, ground: Ground) -> float:
    """Return the gain of one pair; places of i that are out of reach of all of j's are skipped.

    Shapes: rows of two CSR matrices whose rows sum to one. Cost: the product of their numbers of
    places, times about their sum where places are within reach.
    """
    first, last = own[0][i], own[0][i + 1]
    start, stop = other[0][j], other[0][j + 1]
    near = np.zeros((last - first, stop - start + 1))
    supply, n = np.empty(last - first), 0
    for a in range(first, last):
        is_near = False
        for b in range(start, stop):
            near[n, b - start] = nearness(ground, own[1][a], other[1][b])
            is_near |= near[n, b - start] > 0.0
        if is_near:
            supply[n] = own[2][a]
            n += 1
    if n == 0:
        return 0.0
    left = np.full(stop - start + 1, np.inf)
    left[: stop - start] = other[2][start:stop]
    near[:n, stop - start] = 0.0
    return _most_gain(near[:n], supply[:n], left)


@njit(cache=True, nogil=True)
def _fill_rows(own: Csr, other: Csr, ground: Ground, low: int, high: int, out: Floats) -> None:
    """Fill rows low:high of the gains. Shapes: out is own x other rows. Cost: see `_compare`."""
    for i in range(low, high):
        for j in range(out.shape[1]):
            out[i, j] = _compare(own, i, other, j, ground)


def transport_gains(own: Csr, other: Csr, ground: Ground, n_threads: int | None = None) -> Floats:
    """Return the gain of every pair of rows; rows of both sides sum to one."""
    out = np.zeros((own[0].size - 1, other[0].size - 1))
    work = np.diff(own[0]).astype(np.float64)
    run_pass(Pass(_fill_rows, (own, other, ground), (), work, out), n_threads)
    return out
