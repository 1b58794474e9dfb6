"""Margins of a matching's links, and the second-best matching.

A link's margin is the loss of total gain in the best matching of the same size without that link;
the least margin is the gap to the second-best matching. If the size is fixed, both sides may have
free users, and then each side has its own super-node (see `cycles`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Floats, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import list_groups
from trailprint.kernels.matching.candidates import best_pairs
from trailprint.kernels.matching.cycles import (
    Half,
    Residual,
    build_half,
    nearest_detour,
    search_cycle,
    super_node_distances,
)
from trailprint.kernels.matching.join import Join, swap_sides
from trailprint.kernels.matching.reduction import Reduced
from trailprint.kernels.passes import Pass, run_pass
from trailprint.kernels.threads import run_parallel

KEPT_PAIRS = 96
MOST_NODES = 256
LONG_SEARCH = 4096
"""Nodes that a search without a limit is expected to visit."""
SEARCH_WORK = float(KEPT_PAIRS * MOST_NODES)
"""Cost of one search, in terms of a pass."""
DIRECT = 1e-12
"""Relative tolerance within which a path through the super-node counts as the direct one."""


class Margins(NamedTuple):
    """Margins of the links.

    ``margin``: per row, NaN where it has no link, infinite where there is no other matching;
    ``at_least``: the search stopped at a limit, and the true margin may be greater.
    ``second_best``: how much less the second-best matching gains; a lower bound if
    ``second_best_at_least``, else exact.
    """

    margin: Floats
    at_least: npt.NDArray[np.bool_]
    second_best: float
    second_best_at_least: bool


class _Found(NamedTuple):
    """Results of the searches for some links; see `Margins`."""

    margin: Floats
    at_least: npt.NDArray[np.bool_]


class _Detours(NamedTuple):
    """Distances to and from the super-nodes, which every link's search needs.

    ``to_super``, ``from_super``: per row and per column; ``to_second``, ``from_second``: the same
    for the columns' super-node where each side has its own, else infinite. With a ``surplus``, the
    super-node also stands for free vertices. Only used without one: ``row_onward``,
    ``col_onward``, distances to and from the super-node, seen from the matched column or row;
    ``loops``, the lengths of the shortest path from super-node to super-node, through row
    ``loop_row``, and of the shortest through another row.
    """

    to_super: Floats
    from_super: Floats
    to_second: Floats
    from_second: Floats
    row_onward: Floats
    col_onward: Floats
    loops: Floats
    loop_row: int
    surplus: bool


@njit(cache=True, nogil=True)
def _super_node_limit(
    ahead: Residual, back: Residual, ways: _Detours, i: int, j: int, front: Half, rear: Half
) -> float:
    """Return the length of the shortest cycle through (i, j) by a super-node or a free vertex."""
    u, v = ahead.u[i], ahead.v[j]
    close = DIRECT * (u + v)
    second = ways.to_second[i] + ways.from_second[j]
    through = min(ways.to_super[i] + ways.from_super[j], second)
    if ways.surplus or through < u + v - close or through == np.inf:
        return float(through)
    # Entering the super-node and leaving it directly to column j is the link itself, so the cycle
    # must begin with a real pair, end with one, or pass the super-node twice.
    first = nearest_detour(ahead, i, j, ways.row_onward, front) + v
    final = nearest_detour(back, j, i, ways.col_onward, rear) + u
    loop = ways.loops[1] if ways.loop_row == i else ways.loops[0]
    return float(min(min(first, final), u + v + loop))


@njit(cache=True, nogil=True)
def _margin_range(
    ahead: Residual,
    back: Residual,
    ways: _Detours,
    links: Ints,
    cap: float,
    most_nodes: int,
    low: int,
    high: int,
    out: _Found,
) -> None:
    """Find the margins of links low:high.

    Meaning: ``links`` are (row, column) nodes of one user each. Cost: one bounded search per link.
    """
    front = build_half(ahead.u.size, ahead.v.size)
    rear = build_half(back.u.size, back.v.size)
    for k in range(low, high):
        i, j = links[k, 0], links[k, 1]
        limit = min(cap, _super_node_limit(ahead, back, ways, i, j, front, rear))
        found, complete = search_cycle(ahead, back, i, j, limit, most_nodes, front, rear)
        out.margin[k] = found
        out.at_least[k] = not complete or (found >= cap and cap < np.inf)


def link_margins(
    reduced: Reduced,
    column: Ints,
    u: Floats,
    v: Floats,
    *,
    multiplier: float = 0.0,
    cap: float = np.inf,
    most_nodes: int = MOST_NODES,
    n_threads: int | None = None,
) -> Margins:
    """Return the margin of every link of an optimal matching of its size.

    ``column``, ``u``, ``v`` and ``multiplier`` are the matching and its prices, per user and per
    pair, as returned by `solve_reduced`. Searches stop at a margin of ``cap`` or after
    ``most_nodes`` nodes; the lower bound reached is then reported as "at least".
    """
    linked = np.flatnonzero(column >= 0)
    pairs = np.column_stack([reduced.row_group[linked], reduced.col_group[column[linked]]])
    ahead, back, ways = _prepare(reduced, pairs, u, v, multiplier, n_threads)
    margin = np.zeros(linked.size)
    at_least = np.zeros(linked.size, np.bool_)
    # A user with an identical double can be exchanged for it at no cost: margin zero.
    single = np.flatnonzero(
        (reduced.row_size[pairs[:, 0]] == 1) & (reduced.col_size[pairs[:, 1]] == 1)
    )
    found = _search_links(ahead, back, ways, pairs[single], cap, most_nodes, n_threads)
    margin[single], at_least[single] = found
    # Only links whose margin might be the least are searched to the end.
    least = float(margin[~at_least].min(initial=cap))
    open_links = np.flatnonzero(at_least & (margin < least))
    if open_links.size:
        every = np.iinfo(np.int64).max
        again = _search_links(ahead, back, ways, pairs[open_links], cap, every, n_threads)
        margin[open_links], at_least[open_links] = again
    per_row = np.full(column.size, np.nan)
    per_row[linked] = margin
    unsure = np.zeros(column.size, np.bool_)
    unsure[linked] = at_least
    second = float(margin.min(initial=np.inf))
    return Margins(per_row, unsure, second, bool(at_least[margin == second].all() and margin.size))


def _search_links(
    ahead: Residual,
    back: Residual,
    ways: _Detours,
    links: Ints,
    cap: float,
    most_nodes: int,
    n_threads: int | None,
) -> _Found:
    """Return the margins of all the given links."""
    n_links = links.shape[0]
    out = _Found(np.zeros(n_links), np.zeros(n_links, np.bool_))
    work = np.full(n_links, SEARCH_WORK * min(most_nodes, LONG_SEARCH) / MOST_NODES)
    fixed, fresh = (ahead, back, ways), (links, cap, most_nodes)
    run_pass(Pass(_margin_range, fixed, fresh, work, out), n_threads)
    return out


def _prepare(
    reduced: Reduced, pairs: Ints, u: Floats, v: Floats, multiplier: float, n_threads: int | None
) -> tuple[Residual, Residual, _Detours]:
    """Build the residual graph from both sides and the distances to the super-nodes."""
    join = reduced.join
    node_u = _node_prices(u, reduced.row_group, join.n_rows)
    node_v = _node_prices(v, reduced.col_group, join.n_cols)
    free_rows = np.flatnonzero(np.bincount(pairs[:, 0], minlength=join.n_rows) < reduced.row_size)
    free_cols = np.flatnonzero(np.bincount(pairs[:, 1], minlength=join.n_cols) < reduced.col_size)
    # Each pair pays the multiplier once, so it is added to the prices of a side without free users.
    with_u, with_v = (
        (node_u, node_v + multiplier) if free_rows.size else (node_u + multiplier, node_v)
    )
    ahead = _residual(join, with_u, with_v, pairs, n_threads)
    back = _residual(swap_sides(join), with_v, with_u, pairs[:, ::-1], n_threads)
    if free_rows.size and free_cols.size:
        prices = node_u, node_v, multiplier
        ways = _two_super_nodes(ahead, back, pairs, prices, (free_rows, free_cols), n_threads)
    else:
        ways = _one_super_node(ahead, back, pairs, (free_rows, free_cols), n_threads)
    return ahead, back, ways


def _one_super_node(
    ahead: Residual, back: Residual, pairs: Ints, free: tuple[Ints, Ints], n_threads: int | None
) -> _Detours:
    """Return distances to and from the super-node where at most one side has free users."""
    u, v = ahead.u, ahead.v
    free_rows, free_cols = free
    # A vertex reaches the super-node directly if all pairs that share nothing gain the same, or if
    # its own side has a surplus, so that it may stay unmatched.
    alike = ahead.join.row_total.size == 0
    tasks = [
        (ahead, free_rows, v if alike or free_cols.size else np.full(v.size, np.inf)),
        (back, free_cols, u if alike or free_rows.size else np.full(u.size, np.inf)),
    ]
    from_super, to_super = run_parallel(super_node_distances, tasks, n_threads)
    row_onward = _nearest(to_super, pairs[:, 1], pairs[:, 0], v.size)
    col_onward = _nearest(from_super, pairs[:, 0], pairs[:, 1], u.size)
    loops = col_onward + u
    order = np.argsort(loops, kind="stable")[:2]
    return _Detours(
        to_super=to_super,
        from_super=from_super,
        to_second=np.full(u.size, np.inf),
        from_second=np.full(v.size, np.inf),
        row_onward=row_onward,
        col_onward=col_onward,
        loops=np.append(loops[order], [np.inf, np.inf])[:2],
        loop_row=int(order[0]) if order.size else -1,
        surplus=bool(free_cols.size or free_rows.size),
    )


def _two_super_nodes(
    ahead: Residual,
    back: Residual,
    pairs: Ints,
    prices: tuple[Floats, Floats, float],
    free: tuple[Ints, Ints],
    n_threads: int | None,
) -> _Detours:
    """Return distances to and from both super-nodes where both sides have free users.

    A shortest path passes each super-node at most once, so it is enough to search from each
    super-node without the other and to add the distances between them; ``from_super`` and
    ``from_second`` are the distances from the last super-node on the path. Two free users gain zero
    or more together, so from the rows' super-node to the columns' it is at most the multiplier.
    Pairs that share nothing cost ``u + multiplier + v``, no less than the path through both
    super-nodes, and need no arcs of their own.
    """
    u, v, multiplier = prices
    free_rows, free_cols = free
    none = np.zeros(0, np.int64)
    tasks = [
        (ahead, free_rows, np.full(v.size, np.inf)),
        (ahead, none, v),
        (back, none, u),
        (back, free_cols, np.full(u.size, np.inf)),
    ]
    from_rows, from_cols, to_rows, to_cols = run_parallel(super_node_distances, tasks, n_threads)
    across = min(multiplier, float(from_rows[free_cols].min()))
    # The reverse, from the columns' super-node to the rows': the cheapest link to remove.
    undo = float((from_cols[pairs[:, 1]] + u[pairs[:, 0]]).min(initial=np.inf))
    return _Detours(
        to_super=np.minimum(to_rows, to_cols + undo),
        from_super=from_rows,
        to_second=np.minimum(to_cols, to_rows + across),
        from_second=from_cols,
        row_onward=np.zeros(0),
        col_onward=np.zeros(0),
        loops=np.zeros(0),
        loop_row=-1,
        surplus=True,
    )


def _node_prices(price: Floats, group: Ints, n_nodes: int) -> Floats:
    """Return the price of each node, which all of its users share."""
    out = np.zeros(n_nodes)
    out[group[group >= 0]] = price[group >= 0]
    return out


def _nearest(distance: Floats, node: Ints, partner: Ints, n_nodes: int) -> Floats:
    """Return the least distance among each node's matched partners."""
    out = np.full(n_nodes, np.inf)
    np.minimum.at(out, node, distance[partner])
    return out


def _residual(join: Join, u: Floats, v: Floats, pairs: Ints, n_threads: int | None) -> Residual:
    """Return the residual graph of a join from its rows' side."""
    best = best_pairs(
        join, np.arange(join.n_rows), KEPT_PAIRS, v=v, every=True, n_threads=n_threads
    )
    filled = np.arange(KEPT_PAIRS) < best.kept[:, None]
    slack = np.maximum(0.0, u[:, None] + v[best.column] - best.gain) if v.size else best.gain
    slack = np.where(filled, slack, np.inf)
    order = np.argsort(slack, axis=1, kind="stable")
    links = np.unique(pairs, axis=0) if pairs.size else pairs
    flow_ptr, by_col = list_groups(links[:, 1], join.n_cols)
    return Residual(
        join=join,
        u=u,
        v=v,
        edge=np.take_along_axis(np.where(filled, best.column, -1), order, axis=1),
        slack=np.take_along_axis(slack, order, axis=1),
        rest=np.maximum(0.0, u - best.bound),
        flow_ptr=flow_ptr,
        flow_row=links[by_col, 0],
    )
