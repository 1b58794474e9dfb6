"""The state of a matching in progress: prices, flows and the candidate pairs kept so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import Csr, row_starts, sum_rows, transpose_csr
from trailprint.kernels.heaps import ABSENT
from trailprint.kernels.matching.auction import bid_rows
from trailprint.kernels.matching.candidates import BestPairs
from trailprint.kernels.matching.paths import FreeList, Nodes, add_flow, cut_flow, place_all
from trailprint.kernels.threads import count_chunks, run_parallel, split_evenly

WORTH_A_BLOCK = 2_000.0
"""Fewest candidate pairs worth a block of their own."""
TIGHT = 1e-13
"""Slack, relative to the largest gain, up to which an edge counts as tight."""


class State(NamedTuple):
    """Both sides of a transportation problem, its flow entries and its components.

    ``tight`` is the slack up to which an edge counts as tight.
    """

    rows: Nodes
    cols: Nodes
    free_list: FreeList
    row_start: Ints
    col_start: Ints
    tight: float


class Flows(NamedTuple):
    """Units sent from row nodes to column nodes."""

    row: Ints
    col: Ints
    units: Ints


def _build_side(size: Ints, n_entries: int) -> Nodes:
    """Return a side without candidates: prices zero, all capacity free."""
    n = size.size
    return Nodes(
        price=np.zeros(n),
        floor=np.zeros(n),
        left=size.astype(np.int64),
        ptr=np.zeros(n + 1, np.int64),
        edge=np.zeros(0, np.int32),
        gain=np.zeros(0),
        key=np.zeros(0),
        head=np.full(n, -1, np.int32),
        next=np.full(n_entries, -1, np.int32),
        node=np.full(n_entries, -1, np.int32),
        dist=np.full(n, np.inf),
        pred=np.full(n, ABSENT, np.int32),
        reached=np.zeros(n, np.int32),
        heap=np.zeros(n, np.int32),
        place=np.full(n, ABSENT, np.int32),
    )


def build_state(row_size: Ints, col_size: Ints, row_start: Ints, col_start: Ints) -> State:
    """Return the empty matching of a problem with the given capacities and components."""
    # Every entry carries at least one unit, so a component never needs more entries than this.
    n_units = np.minimum(sum_rows(row_start, row_size), sum_rows(col_start, col_size))
    n = int(n_units.sum())
    free_list = FreeList(
        amount=np.zeros(n, np.int64),
        stack=np.arange(n, dtype=np.int32),
        top=np.cumsum(n_units),
    )
    rows, cols = _build_side(row_size, n), _build_side(col_size, n)
    return State(rows, cols, free_list, row_start, col_start, TIGHT)


def copy_state(state: State) -> State:
    """Copy prices and flows; the candidate edges are shared, since their order is temporary."""
    rows, cols = (
        side._replace(
            price=side.price.copy(),
            left=side.left.copy(),
            head=side.head.copy(),
            next=side.next.copy(),
            node=side.node.copy(),
        )
        for side in (state.rows, state.cols)
    )
    amount, stack, top = state.free_list
    free_list = FreeList(amount.copy(), stack.copy(), top.copy())
    return state._replace(rows=rows, cols=cols, free_list=free_list)


@njit(cache=True, nogil=True)
def _keep_new(ptr: Ints, edge: Indices, rows: Ints, new: BestPairs, n_cols: int) -> None:
    """Reduce each list of pairs to those that its row does not have yet.

    Meaning: ``new`` is changed in place. Cost: O(entries of the rows and lists).
    """
    owner = np.full(n_cols, -1, np.int64)
    for r in range(rows.size):
        i = rows[r]
        for e in range(ptr[i], ptr[i + 1]):
            owner[edge[e]] = i
        kept = 0
        for s in range(new.kept[r]):
            j = new.column[r, s]
            if owner[j] != i:
                new.column[r, kept] = j
                new.gain[r, kept] = new.gain[r, s]
                kept += 1
        new.kept[r] = kept


@njit(cache=True, nogil=True)
def _append(ptr: Ints, edge: Indices, gain: Floats, rows: Ints, new: BestPairs) -> Csr:
    """Append pairs to the rows of a CSR matrix.

    Meaning: row ``rows[r]`` gets the first ``new.kept[r]`` pairs of r. Cost: O(all entries).
    """
    more = np.zeros(ptr.size, np.int64)
    for r in range(rows.size):
        more[rows[r] + 1] = new.kept[r]
    start = ptr + np.cumsum(more)
    edges = np.empty(start[-1], np.int32)
    gains = np.empty(start[-1])
    for i in range(ptr.size - 1):
        n = ptr[i + 1] - ptr[i]
        edges[start[i] : start[i] + n] = edge[ptr[i] : ptr[i + 1]]
        gains[start[i] : start[i] + n] = gain[ptr[i] : ptr[i + 1]]
    for r in range(rows.size):
        n = new.kept[r]
        end = start[rows[r] + 1]
        edges[end - n : end] = new.column[r, :n]
        gains[end - n : end] = new.gain[r, :n]
    return start, edges, gains


def _by_column(rows: Ints, new: BestPairs, n_cols: int) -> Csr:
    """Return new pairs by column: (ptr, row, gain), rows ascending because ``rows`` are."""
    is_kept = np.arange(new.column.shape[1]) < new.kept[:, None]
    ptr, nth, gain = transpose_csr(
        row_starts(new.kept), new.column[is_kept], new.gain[is_kept], n_cols
    )
    return ptr, rows.astype(np.int32)[nth], gain


@njit(cache=True, nogil=True)
def _merge_columns(
    ptr: Ints, edge: Indices, gain: Floats, more_ptr: Ints, more: Indices, more_gain: Floats
) -> Csr:
    """Merge two matrices by column with ascending rows into one of the same form.

    Meaning: the same as a transpose of the whole matrix. Cost: O(all entries), read and written
    sequentially, where a transpose would write to memory at random.
    """
    start = ptr + more_ptr
    edges = np.empty(start[-1], np.int32)
    gains = np.empty(start[-1])
    for j in range(ptr.size - 1):
        a, b = ptr[j], more_ptr[j]
        for at in range(start[j], start[j + 1]):
            if b == more_ptr[j + 1] or (a < ptr[j + 1] and edge[a] < more[b]):
                edges[at], gains[at] = edge[a], gain[a]
                a += 1
            else:
                edges[at], gains[at] = more[b], more_gain[b]
                b += 1
    return start, edges, gains


def add_candidates(state: State, rows: Ints, new: BestPairs) -> State:
    """Return the state with more candidate pairs; those that its rows already have are dropped.

    ``rows`` must be ascending; ``new`` is shortened in place.
    """
    side, columns = state.rows, state.cols
    _keep_new(side.ptr, side.edge, rows, new, columns.price.size)
    if not new.kept.any():
        return state
    ptr, edge, gain = _append(side.ptr, side.edge, side.gain, rows, new)
    turned = _by_column(rows, new, columns.price.size)
    col_ptr, col_edge, col_gain = _merge_columns(columns.ptr, columns.edge, columns.gain, *turned)
    return state._replace(
        rows=side._replace(ptr=ptr, edge=edge, gain=gain, key=np.zeros(edge.size)),
        cols=columns._replace(ptr=col_ptr, edge=col_edge, gain=col_gain),
        tight=TIGHT * max(1.0, float(gain.max(initial=0.0))),
    )


@njit(cache=True, nogil=True)
def _lift_rows(state: State, c: int, multiplier: float) -> None:
    """Raise row prices until they are feasible and release flow that is no longer tight.

    Meaning: afterwards prices are feasible on all candidates of component c and every flow is
    tight. Cost: O(candidates of the component).
    """
    rows, cols, free_list, row_start, _, tight = state
    for i in range(row_start[c], row_start[c + 1]):
        feasible = rows.floor[i]
        for e in range(rows.ptr[i], rows.ptr[i + 1]):
            feasible = max(feasible, rows.gain[e] - multiplier - cols.price[rows.edge[e]])
        if feasible <= rows.price[i] + tight:
            rows.price[i] = max(feasible, rows.price[i])
            continue
        rows.price[i] = feasible
        while rows.head[i] >= 0:
            f = rows.head[i]
            n = free_list.amount[f]
            rows.left[i] += n
            cols.left[cols.node[f]] += n
            cut_flow(rows, cols, free_list, c, f, n)


@njit(cache=True, nogil=True)
def _place_tight(state: State, c: int, multiplier: float) -> None:
    """Send flow over tight candidates to free columns, without a search.

    Meaning: a greedy start that leaves prices unchanged. Cost: O(candidates of component c).
    """
    rows, cols, free_list, row_start, _, tight = state
    for i in range(row_start[c], row_start[c + 1]):
        if rows.price[i] <= 0.0:
            continue
        for e in range(rows.ptr[i], rows.ptr[i + 1]):
            if rows.left[i] == 0:
                break
            j = rows.edge[e]
            n = min(rows.left[i], cols.left[j])
            if n > 0 and rows.price[i] + cols.price[j] <= rows.gain[e] - multiplier + tight:
                rows.left[i] -= n
                cols.left[j] -= n
                add_flow(rows, cols, free_list, c, i, j, n)


@njit(cache=True, nogil=True)
def _solve_range(state: State, low: int, high: int, multiplier: float) -> int:
    """Solve components low:high on their candidates, from the current prices.

    Meaning: afterwards prices are feasible on candidates, flows tight, and free nodes at their
    floor price. Cost: shortest augmenting paths; returns their number.
    """
    rows, cols, free_list, row_start, col_start, tight = state
    searches = 0
    for c in range(low, high):
        _lift_rows(state, c, multiplier)
        _place_tight(state, c, multiplier)
        r, s, t, w = row_start[c], row_start[c + 1], col_start[c], col_start[c + 1]
        bid_rows(rows, cols, free_list, c, r, s, multiplier, tight)
        searches += place_all(rows, cols, free_list, c, r, s, t, multiplier, tight)
        searches += place_all(cols, rows, free_list, c, t, w, r, multiplier, tight)
    return searches


def solve_candidates(state: State, multiplier: float = 0.0, n_threads: int | None = None) -> int:
    """Solve every component on its candidates in place; return the number of searches.

    ``multiplier`` is subtracted from every gain, so that only pairs of greater gain are matched.
    """
    work = np.diff(state.rows.ptr[state.row_start]).astype(np.float64)
    chunks = split_evenly(work**1.5, count_chunks(float(work.sum()), WORTH_A_BLOCK))
    tasks = [(state, low, high, multiplier) for low, high in chunks]
    return sum(run_parallel(_solve_range, tasks, n_threads))


def read_flows(state: State) -> Flows:
    """Return the flow entries in use, sorted by row and column."""
    used = np.flatnonzero(state.free_list.amount > 0)
    row = state.rows.node[used].astype(np.int64)
    col = state.cols.node[used].astype(np.int64)
    order = np.lexsort((col, row))
    return Flows(row[order], col[order], state.free_list.amount[used][order])


@njit(cache=True, nogil=True)
def _add_gains(rows: Nodes, row: Ints, col: Ints, units: Ints) -> float:
    """Return the total gain of flows, from the candidates' gains. Cost: the rows' candidates."""
    total = 0.0
    for f in range(row.size):
        for e in range(rows.ptr[row[f]], rows.ptr[row[f] + 1]):
            if rows.edge[e] == col[f]:
                total += units[f] * rows.gain[e]
                break
    return total


def add_gains(state: State, flows: Flows) -> float:
    """Return the total gain of all flows, up to rounding, without reading the join."""
    return float(_add_gains(state.rows, flows.row, flows.col, flows.units))
