"""Optimal matching of two sets of histograms, with a proof.

The problem is reduced, oriented by scarcity and, if as many links as possible are wanted, split
into its largest component and the rest; each part is solved by column generation (`pricing`). The
largest component's searches take one thread, the rest use the others. The prices then prove that
no matching gains more than their sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.kernels.csr import list_ranges
from trailprint.kernels.matching.disjoint import fair_prices
from trailprint.kernels.matching.join import Join, least_block, row_work
from trailprint.kernels.matching.lookup import pair_gains
from trailprint.kernels.matching.orientation import (
    initial_prices,
    orient_by_scarcity,
    restore_flows,
    restore_prices,
)
from trailprint.kernels.matching.pricing import Progress, ProvenFlows, Round, Work, generate_columns
from trailprint.kernels.matching.reduction import Reduced, split_largest
from trailprint.kernels.matching.transport import Flows
from trailprint.kernels.threads import N_CHUNKS, run_together


class Solution(NamedTuple):
    """A matching and the prices that prove it.

    ``column``: each row's column or -1; ``gain``: of each row's link; ``u``, ``v``: prices per row
    and column; ``multiplier``: the price of a pair if the size was fixed, else zero.
    ``upper_bound = sum(u) + sum(v) + size * multiplier`` bounds the gain of every matching of that
    size. ``solve_seconds`` is the solving time alone, without the passes over all pairs.
    """

    column: Ints
    gain: Floats
    u: Floats
    v: Floats
    multiplier: float
    total_gain: float
    upper_bound: float
    rounds: int
    overlapping_pairs: int
    solve_seconds: float


def solve_reduced(
    reduced: Reduced,
    *,
    size: int | None = None,
    gap: float = 0.0,
    seed: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
    start: Floats | None = None,
) -> Solution:
    """Return a matching of greatest gain of a reduced problem.

    ``size`` is the number of pairs (default: as many as possible). Users without data are never
    matched, so ``size`` is limited to the smaller number of users with data. The solver stops once
    the proven gap is at most the share ``gap`` of the gain. ``seed`` draws links within nodes of
    identical people and links without gain; nodes were shuffled by `reduce_problem`.

    ``start`` are initial column prices, one non-negative number per auxiliary user: those of a
    similar problem (a warm start) save work and only affect the choice among equal optima.
    """
    most = int(min(reduced.row_size.sum(), reduced.col_size.sum()))
    wanted = most if size is None else min(size, most)
    oriented, orientation = orient_by_scarcity(reduced)
    if start is None:
        begin = fair_prices(oriented.join)
    else:
        begin = initial_prices(orientation, _per_node(start, reduced))
    n_threads = _threads_worth(oriented.join, n_threads)
    parts = [oriented] if wanted < most else split_largest(oriented)
    work = [
        Work(part, begin[first : first + part.join.n_cols], wanted, most, gap)
        for part, first in zip(parts, _first_columns(parts), strict=True)
    ]
    reports = _ProgressSum(len(parts), progress)
    tasks = [(one, n_threads, reports.of_part(k)) for k, one in enumerate(work)]
    proved = _join_proofs(run_together(generate_columns, tasks, n_threads), parts)
    row_price, col_price = restore_prices(orientation, proved.row_price, proved.col_price)
    column = _expand(reduced, restore_flows(orientation, proved.flows), wanted, seed)
    gain = _link_gains(reduced, column, n_threads)
    return Solution(
        column,
        gain,
        _per_user(row_price, reduced.row_group),
        _per_user(col_price, reduced.col_group),
        proved.multiplier,
        proved.total_gain,
        proved.upper_bound,
        proved.rounds,
        proved.overlapping_pairs,
        proved.solve_seconds,
    )


def _threads_worth(join: Join, n_threads: int | None) -> int | None:
    """Return one thread for a problem of few terms, else ``n_threads``."""
    least = least_block(join)
    is_small = least is not None and row_work(join).sum() < N_CHUNKS / 2 * least
    return 1 if is_small else n_threads


class _ProgressSum:
    """Combines the progress of a problem's parts into one report."""

    def __init__(self, n_parts: int, progress: Progress | None) -> None:
        self._known = [Round(0, 0, 0.0, 0.0)] * n_parts
        self._progress = progress

    def of_part(self, part: int) -> Progress:
        """Return the progress callback of one part."""

        def report(current: Round) -> None:
            self._known[part] = current
            if self._progress is None or not all(known.number for known in self._known):
                return
            known = self._known
            self._progress(
                Round(
                    max(one.number for one in known),
                    sum(one.n_violated for one in known),
                    sum(one.total_gain for one in known),
                    sum(one.upper_bound for one in known),
                )
            )

        return report


def _first_columns(parts: list[Reduced]) -> list[int]:
    """Return the first column of each part."""
    return [0, *np.cumsum([part.join.n_cols for part in parts])[:-1].tolist()]


def _join_proofs(proofs: list[ProvenFlows], parts: list[Reduced]) -> ProvenFlows:
    """Return the proven flows of a whole problem from those of its parts."""
    if len(proofs) == 1:
        return proofs[0]
    row = np.cumsum([0, *[part.join.n_rows for part in parts]])
    col = _first_columns(parts)
    flows = Flows(
        np.concatenate([p.flows.row + row[i] for i, p in enumerate(proofs)]),
        np.concatenate([p.flows.col + col[i] for i, p in enumerate(proofs)]),
        np.concatenate([p.flows.units for p in proofs]),
    )
    return ProvenFlows(
        flows=flows,
        row_price=np.concatenate([p.row_price for p in proofs]),
        col_price=np.concatenate([p.col_price for p in proofs]),
        multiplier=0.0,
        total_gain=sum(p.total_gain for p in proofs),
        upper_bound=sum(p.upper_bound for p in proofs),
        rounds=max(p.rounds for p in proofs),
        overlapping_pairs=sum(p.overlapping_pairs for p in proofs),
        solve_seconds=max(p.solve_seconds for p in proofs),
    )


def _per_node(start: Floats, reduced: Reduced) -> Floats:
    """Return each column node's price: the highest of its users."""
    price = np.zeros(reduced.join.n_cols)
    known = reduced.col_group >= 0
    np.maximum.at(price, reduced.col_group[known], start[known])
    return price


def _per_user(price: Floats, group: Ints) -> Floats:
    """Return each user's price, that of their node; zero for users without data."""
    return np.where(group >= 0, np.append(price, 0.0)[group], 0.0)


def _members(group: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the users of each node, in random order, and the start of each node's list."""
    order = np.lexsort((rng.random(group.size), group))
    order = order[group[order] >= 0]
    n = int(group.max(initial=-1)) + 1
    return order, np.searchsorted(group[order], np.arange(n + 1))


def _take(node: Ints, units: Ints, members: Ints, start: Ints) -> Ints:
    """Return the users that flows take from their nodes, one member per unit, in turn."""
    order = np.argsort(node, kind="stable")
    done = np.cumsum(units[order]) - units[order]
    first = np.searchsorted(node[order], node[order])
    place = np.empty(node.size, np.int64)
    place[order] = start[node[order]] + done - done[first] if node.size else 0
    taken: Ints = members[list_ranges(place, units)]
    return taken


def _expand(reduced: Reduced, flows: Flows, wanted: int, seed: int) -> Ints:
    """Return each row user's link from flows between nodes, filled up with pairs of no gain."""
    rng = np.random.default_rng([seed, 1])
    row_members, row_start = _members(reduced.row_group, rng)
    col_members, col_start = _members(reduced.col_group, rng)
    column = np.full(reduced.row_group.size, -1, np.int64)
    rows = _take(flows.row, flows.units, row_members, row_start)
    cols = _take(flows.col, flows.units, col_members, col_start)
    column[rows] = cols
    free_rows = rng.permutation(np.setdiff1d(row_members, rows, assume_unique=True))
    free_cols = rng.permutation(np.setdiff1d(col_members, cols, assume_unique=True))
    n = max(0, min(wanted - rows.size, free_rows.size, free_cols.size))
    column[free_rows[:n]] = free_cols[:n]
    return column


def _link_gains(reduced: Reduced, column: Ints, n_threads: int | None) -> Floats:
    """Return the gain of every row's link, zero where it has none."""
    gain = np.zeros(column.size)
    linked = np.flatnonzero(column >= 0)
    rows, cols = reduced.row_group[linked], reduced.col_group[column[linked]]
    gain[linked] = pair_gains(reduced.join, rows, cols, n_threads)
    return gain
