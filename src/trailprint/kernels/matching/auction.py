"""Auction: cheap bids that match most rows before any path search.

A free row takes its best column, raises that column's price by its advantage over the row's
second-best column, and frees the row that held it, which bids in turn. Prices stay feasible and
flows tight throughout, so that searches can continue from there.
"""

from __future__ import annotations

from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.paths import FreeList, Nodes, add_flow, cut_flow

BIDS_PER_ROW = 8


@njit(cache=True, nogil=True)
def _best_two(rows: Nodes, cols: Nodes, i: int, multiplier: float) -> tuple[float, float, int]:
    """Return row i's best and second-best profit, each at least its floor, and its best column.

    Meaning: the profit of a column is gain minus multiplier minus price.
    """
    best, second, column = rows.floor[i], rows.floor[i], -1
    for e in range(rows.ptr[i], rows.ptr[i + 1]):
        profit = rows.gain[e] - multiplier - cols.price[rows.edge[e]]
        if profit > best:
            best, second, column = profit, best, rows.edge[e]
        elif profit > second:
            second = profit
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
    """Let the free row i, of capacity one, bid; return the row it displaced, or -1.

    Meaning: columns held for several users, and ties for a taken column, are left to the searches.
    Cost: O(candidates of the row).
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
    """Let the free rows of capacity one in ``low:high``, and those they displace, bid.

    Meaning: at most `BIDS_PER_ROW` bids per row on average.
    """
    left = BIDS_PER_ROW * (high - low)
    for first in range(low, high):
        i = first
        while i >= 0 and rows.left[i] == 1 and rows.head[i] < 0 and left > 0:
            i = _bid(rows, cols, free_list, c, i, multiplier, tight)
            left -= 1
