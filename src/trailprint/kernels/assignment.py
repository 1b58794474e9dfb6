"""The best matching of two sets of histograms, with a proof.

Column generation: a few candidate pairs per row are solved exactly; a pass over all pairs looks
for gains above the sum of the prices; what it finds becomes candidates, and so on until nothing
is found. The prices then prove that no matching gains more than their sum.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from trailprint.kernels.fixed_size import solve_size
from trailprint.kernels.lookup import pair_gains
from trailprint.kernels.metrics import Floats, Ints, Metric
from trailprint.kernels.overlap import Join, best_pairs, take_pairs
from trailprint.kernels.reduction import Csr, Reduced, reduce_problem, split_largest
from trailprint.kernels.threads import available_threads, run_parallel
from trailprint.kernels.transport import (
    Flows,
    State,
    add_candidates,
    build_state,
    read_flows,
    solve_candidates,
)
from trailprint.kernels.unshared import fair_prices, unshared_pairs

FIRST_CANDIDATES = 64
MORE_CANDIDATES = 128
UNSHARED_CANDIDATES = 8
WORTH_WAITING = 50_000
"""With fewer rows, waiting for a turn costs more than it saves."""
VIOLATION = 1e-10
"""Violations up to this share of the largest gain are left to the upper bound."""


class Round(NamedTuple):
    """What is known after a round: prices prove that nothing gains more than ``upper_bound``."""

    number: int
    n_violated: int
    total_gain: float
    upper_bound: float


class Solution(NamedTuple):
    """A matching and the prices that prove it.

    ``column``: each row's column or -1; ``gain``: of each row's link; ``u``, ``v``: prices per
    row and column; ``toll``: the price of a pair where the size was fixed, else zero.
    ``upper_bound = sum(u) + sum(v) + size * toll`` bounds the gain of every matching of the size.
    ``solve_seconds`` is the time of the solves alone, without the passes over all pairs.
    """

    column: Ints
    gain: Floats
    u: Floats
    v: Floats
    toll: float
    total_gain: float
    upper_bound: float
    rounds: int
    overlapping_pairs: int
    solve_seconds: float


class _Pricing(NamedTuple):
    """Bounds on the gains of pairs that are not candidates.

    ``loose``: on the gain itself; ``near``: on the gain less the current column price.
    """

    loose: Floats
    near: Floats


Progress = Callable[[Round], None]
_Turn = Callable[[], contextlib.AbstractContextManager[None]]


def solve_assignment(
    released: Csr,
    auxiliary: Csr,
    n_locations: int,
    metric: Metric,
    *,
    size: int | None = None,
    gap: float = 0.0,
    seed: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Match rows of two CSR matrices (ptr, ascending locations, values > 0) for the most gain.

    ``size`` asks for exactly that many pairs; if not given, as many as possible. Users without
    data are never matched, so ``size`` is cut to the smaller number of users with data. ``gap``
    stops as soon as the proven gap is at most this share of the gain. ``seed`` decides between
    equally good matchings: both sides are shuffled before anything else.
    """
    reduced = reduce_problem(released, auxiliary, n_locations, metric, seed)
    return solve_reduced(
        reduced, size=size, gap=gap, seed=seed, n_threads=n_threads, progress=progress
    )


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
    """Solve a problem already reduced; see `solve_assignment`.

    ``start`` are column prices to begin from, one per auxiliary user and not below zero: those of
    a similar problem save work and change nothing but the choice among equals.
    """
    most = int(min(reduced.row_size.sum(), reduced.col_size.sum()))
    wanted = most if size is None else min(size, most)
    begin = fair_prices(reduced.join) if start is None else _per_node(start, reduced)
    parts = [reduced] if wanted < most else split_largest(reduced)
    work = [
        _Work(part, begin[first : first + part.join.n_cols], wanted, most, gap)
        for part, first in zip(parts, _first_columns(parts), strict=True)
    ]
    tell = _Teller(len(parts), progress)
    threads = available_threads() if n_threads is None else n_threads
    turns = _Turns(others_wait=reduced.join.n_rows > WORTH_WAITING)
    tasks = [(work[0], threads, turns.of_largest(), tell.of_part(0))]
    if len(parts) > 1:
        tasks.append((work[1], max(1, threads - 1), turns.of_others(), tell.of_part(1)))
    proved = _join_proofs(run_parallel(_solve_part, tasks, n_threads), parts)
    u, v = _per_user(proved.need, reduced.row_group), _per_user(proved.price, reduced.col_group)
    column = _expand(reduced, proved.flows, wanted, seed)
    gain = _link_gains(reduced, column, n_threads)
    return Solution(
        column,
        gain,
        u,
        v,
        proved.toll,
        proved.total_gain,
        proved.upper_bound,
        proved.rounds,
        proved.overlapping_pairs,
        proved.solve_seconds,
    )


class _Work(NamedTuple):
    """A problem, the prices to begin from, how many pairs of how many are wanted, and a gap."""

    reduced: Reduced
    begin: Floats
    wanted: int
    most: int
    gap: float


class _Proof(NamedTuple):
    """Flows between nodes and the prices that prove them; see `Solution`."""

    flows: Flows
    need: Floats
    price: Floats
    toll: float
    total_gain: float
    upper_bound: float
    rounds: int
    overlapping_pairs: int
    solve_seconds: float


class _Turns:
    """Who may work when: the largest component is solved on one thread, others use what is left.

    While it is priced, on all threads, the others wait if they are to.
    """

    def __init__(self, *, others_wait: bool) -> None:
        self._others_wait = others_wait
        self._room = threading.Event()
        if not others_wait:
            self._room.set()

    @contextlib.contextmanager
    def _largest_solves(self) -> Iterator[None]:
        self._room.set()
        yield
        if self._others_wait:
            self._room.clear()

    @contextlib.contextmanager
    def of_largest(self) -> Iterator[_Turn]:
        """The largest component's turns; when it is done, nobody waits any more."""
        try:
            yield self._largest_solves
        finally:
            self._room.set()

    @contextlib.contextmanager
    def of_others(self) -> Iterator[_Turn]:
        """The others' turns."""
        self._room.wait()
        yield self._others_solve

    @contextlib.contextmanager
    def _others_solve(self) -> Iterator[None]:
        self._room.wait()
        yield
        self._room.wait()


class _Teller:
    """Adds up what the parts of a problem have reached, whichever speaks."""

    def __init__(self, n_parts: int, progress: Progress | None) -> None:
        self._known = [Round(0, 0, 0.0, 0.0)] * n_parts
        self._progress = progress

    def of_part(self, part: int) -> Progress:
        """Who listens to one part."""

        def tell(current: Round) -> None:
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

        return tell


def _solve_part(
    work: _Work,
    n_threads: int,
    turns: contextlib.AbstractContextManager[_Turn],
    tell: Progress,
) -> _Proof:
    """Solve one part, in its turns."""
    with turns as solving:
        return _generate_columns(work, n_threads, solving, tell)


def _generate_columns(work: _Work, n_threads: int, turn: _Turn, tell: Progress) -> _Proof:
    """Solve the candidates, price all pairs, until nothing is violated."""
    reduced, begin, wanted, most, gap = work
    state, pricing, overlapping = _first_candidates(reduced, begin, n_threads)
    tolerance = VIOLATION * max(float(state.rows.gain.max(initial=0.0)), 1e-300)
    toll, rounds, solving = 0.0, 0, 0.0
    while True:
        rounds += 1
        before = state.cols.price.copy()
        with turn():
            solving -= time.perf_counter()
            if wanted < most:
                guess = toll if rounds > 1 else None
                sizes = reduced.row_size, reduced.col_size
                state, toll = solve_size(state, *sizes, wanted, guess, n_threads)
            else:
                solve_candidates(state, 0.0, n_threads)
            solving += time.perf_counter()
        _age_bounds(pricing, reduced.join, before - state.cols.price)
        need, state = _price(reduced, state, pricing, toll, tolerance, n_threads)
        flows = read_flows(state)
        gains = pair_gains(reduced.join, flows.row, flows.col, n_threads)
        total = float(gains @ flows.units)
        price = state.cols.price
        upper = float(need @ reduced.row_size + price @ reduced.col_size + wanted * toll)
        n_violated = int(np.count_nonzero(need > state.rows.price + tolerance))
        tell(Round(rounds, n_violated, total, upper))
        if n_violated == 0 or upper - total <= gap * total:
            return _Proof(flows, need, price, toll, total, upper, rounds, overlapping, solving)


def _first_columns(parts: list[Reduced]) -> list[int]:
    """Where the columns of each part begin."""
    return [0, *np.cumsum([part.join.n_cols for part in parts])[:-1].tolist()]


def _join_proofs(proofs: list[_Proof], parts: list[Reduced]) -> _Proof:
    """Put the parts of a problem together again."""
    if len(proofs) == 1:
        return proofs[0]
    row = np.cumsum([0, *[part.join.n_rows for part in parts]])
    col = _first_columns(parts)
    flows = Flows(
        np.concatenate([p.flows.row + row[i] for i, p in enumerate(proofs)]),
        np.concatenate([p.flows.col + col[i] for i, p in enumerate(proofs)]),
        np.concatenate([p.flows.units for p in proofs]),
    )
    return _Proof(
        flows=flows,
        need=np.concatenate([p.need for p in proofs]),
        price=np.concatenate([p.price for p in proofs]),
        toll=0.0,
        total_gain=sum(p.total_gain for p in proofs),
        upper_bound=sum(p.upper_bound for p in proofs),
        rounds=max(p.rounds for p in proofs),
        overlapping_pairs=sum(p.overlapping_pairs for p in proofs),
        solve_seconds=max(p.solve_seconds for p in proofs),
    )


def _per_node(start: Floats, reduced: Reduced) -> Floats:
    """Give every node of columns the highest price of its users."""
    price = np.zeros(reduced.join.n_cols)
    known = reduced.col_group >= 0
    np.maximum.at(price, reduced.col_group[known], start[known])
    return price


def _first_candidates(
    reduced: Reduced, begin: Floats, n_threads: int | None
) -> tuple[State, _Pricing, int]:
    """Keep each row's best pairs at the prices ``begin``, and count all that overlap."""
    join = reduced.join
    rows = np.arange(join.n_rows)
    state = build_state(reduced.row_size, reduced.col_size, reduced.row_start, reduced.col_start)
    state.cols.price[:] = begin
    first = best_pairs(
        join,
        rows,
        FIRST_CANDIDATES,
        v=state.cols.price,
        col_size=reduced.col_size,
        n_threads=n_threads,
    )
    state = add_candidates(state, rows, first)
    if join.row_total.size and join.n_cols:
        extra, _ = unshared_pairs(join, state.cols.price, UNSHARED_CANDIDATES, n_threads)
        state = add_candidates(state, rows, extra)
    # Prices never fall below zero, so bounds taken at price zero hold for good.
    free = not state.cols.price.any()
    loose = first.bound if free else np.full(rows.size, np.inf)
    near = first.bound.copy() if not free else np.full(rows.size, np.inf)
    return state, _Pricing(loose, near), int(first.overlap @ reduced.row_size)


def _age_bounds(pricing: _Pricing, join: Join, fall: Floats) -> None:
    """Loosen the near bounds by the most the price of a column they overlap has fallen."""
    at_location = _largest(fall[join.loc_user], join.loc_ptr)
    pricing.near[:] += _largest(at_location[join.row_loc], join.row_ptr)


def _largest(values: Floats, ptr: Ints) -> Floats:
    """Return the largest value of each segment, zero if it is empty or all are below zero."""
    out = np.zeros(ptr.size - 1)
    some = np.flatnonzero(np.diff(ptr) > 0)
    if some.size:
        out[some] = np.maximum(np.maximum.reduceat(values, ptr[some]), 0.0)
    return out


def _price(
    reduced: Reduced,
    state: State,
    pricing: _Pricing,
    toll: float,
    tolerance: float,
    n_threads: int | None,
) -> tuple[Floats, State]:
    """Look at all pairs whose bound does not clear them: feasible row prices, more candidates."""
    join = reduced.join
    u, v = state.rows.price, state.cols.price
    need = u.copy()
    bound = np.minimum(pricing.loose, pricing.near) - toll
    rows = np.flatnonzero(bound > u + tolerance)
    # Rows cleared only by the tolerance still owe that much to the proof.
    need = np.maximum(need, np.where(bound > u + tolerance, need, bound))
    if rows.size:
        new = best_pairs(join, rows, MORE_CANDIDATES, v=v, n_threads=n_threads)
        filled = np.arange(MORE_CANDIDATES) < new.kept[:, None]
        keys = np.where(filled, new.gain - v[new.column], -np.inf).max(axis=1) - toll
        need[rows] = np.maximum(need[rows], keys)
        pricing.near[rows] = new.bound
        state = add_candidates(state, rows, new)
    if join.row_total.size and join.n_cols:
        extra, key = unshared_pairs(join, v, UNSHARED_CANDIDATES, n_threads)
        need = np.maximum(need, key - toll)
        rows = np.flatnonzero(key - toll > u + tolerance)
        state = add_candidates(state, rows, take_pairs(extra, rows))
    return need, state


def _per_user(price: Floats, group: Ints) -> Floats:
    """Give every user the price of its node; users without data have none."""
    return np.where(group >= 0, np.append(price, 0.0)[group], 0.0)


def _members(group: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """List users by node in random order, with the start of each node's list."""
    order = np.lexsort((rng.random(group.size), group))
    order = order[group[order] >= 0]
    n = int(group.max(initial=-1)) + 1
    return order, np.searchsorted(group[order], np.arange(n + 1))


def _take(node: Ints, units: Ints, members: Ints, start: Ints) -> Ints:
    """Hand out the members of each node to its flows in turn, one user per unit."""
    order = np.argsort(node, kind="stable")
    done = np.cumsum(units[order]) - units[order]
    first = np.searchsorted(node[order], node[order])
    place = np.empty(node.size, np.int64)
    place[order] = start[node[order]] + done - done[first] if node.size else 0
    within = np.arange(units.sum()) - np.repeat(np.cumsum(units) - units, units)
    taken: Ints = members[np.repeat(place, units) + within]
    return taken


def _expand(reduced: Reduced, flows: Flows, wanted: int, seed: int) -> Ints:
    """Turn flows between nodes into links between users, filled up with pairs that gain nothing."""
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
