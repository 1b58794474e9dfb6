"""Bids for columns before any search: cheap steps that settle most rows.

A free row takes its best column, raises the column's price by what it is worth more than the
row's second best, and sets whoever had it free, who bids in turn. Prices stay feasible and flows
tight throughout, so that searches can go on from there.
"""

from __future__ import annotations

from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.paths import FreeList, Nodes, add_flow, cut_flow

BIDS_PER_ROW = 8


@njit(cache=True, nogil=True)
def _best_two(rows: Nodes, cols: Nodes, i: int, multiplier: float) -> tuple[float, float, int]:
    """Return the worth of row i's best and second-best column, at least zero, and the best."""
    best, second, column = rows.floor[i], rows.floor[i], -1
    for e in range(rows.ptr[i], rows.ptr[i + 1]):
        worth = rows.gain[e] - multiplier - cols.price[rows.edge[e]]
        if worth > best:
            best, second, column = worth, best, rows.edge[e]
        elif worth > second:
            second = worth
    return best, second, column


@njit(cache=True, nogil=True)
def _bid(
    rows: Nodes,
    cols: Nodes,
    free_list: FreeList,
    c: int,
    i: int,
    multiplier: float,
    tight: float,
) -> int:
    """Let the free single row i bid; returns the row it displaced, or -1.

    Meaning: nodes of several users, and ties for a taken column, are left to the searches. Cost:
    O(candidates of the row).
    """
    best, second, j = _best_two(rows, cols, i, multiplier)
    rows.price[i] = best
    if best <= rows.floor[i] + tight:
        return -1
    f = cols.head[j]
    displaced = -1
    if f >= 0 or cols.left[j] > 1:
        if cols.left[j] > 0:
            second = best
        elif cols.next[f] >= 0 or free_list.amount[f] > 1 or best - second <= tight:
            return -1
        else:
            displaced = rows.node[f]
            cut_flow(rows, cols, free_list, c, f, 1)
            rows.left[displaced] += 1
            cols.left[j] += 1
    rows.price[i] = second
    cols.price[j] += best - second
    rows.left[i] -= 1
    cols.left[j] -= 1
    add_flow(rows, cols, free_list, c, i, j, 1)
    return displaced


@njit(cache=True, nogil=True)
def bid_rows(
    rows: Nodes,
    cols: Nodes,
    free_list: FreeList,
    c: int,
    low: int,
    high: int,
    multiplier: float,
    tight: float,
) -> None:
    """Let the free single rows of ``low:high`` bid, and those they displace, within a limit."""
    left = BIDS_PER_ROW * (high - low)
    for first in range(low, high):
        i = first
        while i >= 0 and rows.left[i] == 1 and rows.head[i] < 0 and left > 0:
            i = _bid(rows, cols, free_list, c, i, multiplier, tight)
            left -= 1
