"""Turn every component so that its scarcer side asks and the other is asked.

When rows are scarcer than columns, rows settle by raising the columns' prices and hardly a price
ever falls; what a pass over all pairs has found then stays true. Gains are the same both ways.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.kernels.metrics import Floats, Ints
from trailprint.kernels.overlap import Join, swap_sides, transpose_csr, with_sides
from trailprint.kernels.reduction import Reduced, gather_rows
from trailprint.kernels.transport import Flows


class Facing(NamedTuple):
    """Which nodes ask and which are asked: below ``n_rows`` they are rows, from there columns."""

    asking: Ints
    asked: Ints
    n_rows: int


def face_scarce(reduced: Reduced) -> tuple[Reduced, Facing]:
    """Return the problem with the scarcer side of every component as its rows.

    ``row_group`` and ``col_group`` are left out, for users stay with the problem as it was.
    """
    n_rows = reduced.join.n_rows
    turned = _units(reduced.row_size, reduced.row_start) > _units(
        reduced.col_size, reduced.col_start
    )
    first = reduced.row_start[:-1], n_rows + reduced.col_start[:-1]
    count = np.diff(reduced.row_start), np.diff(reduced.col_start)
    asking, row_start = _list_nodes(np.where(turned, *first[::-1]), np.where(turned, *count[::-1]))
    asked, col_start = _list_nodes(np.where(turned, *first), np.where(turned, *count))
    facing = Facing(asking, asked, n_rows)
    size = np.concatenate([reduced.row_size, reduced.col_size])
    none = np.zeros(0, np.int64)
    faced = Reduced(
        join=_turn_join(reduced.join, facing),
        row_group=none,
        col_group=none,
        row_size=size[asking],
        col_size=size[asked],
        row_start=row_start,
        col_start=col_start,
    )
    return faced, facing


def begin_prices(facing: Facing, col_price: Floats) -> Floats:
    """Return the prices of the nodes that are asked, zero where those are rows."""
    price = np.concatenate([np.zeros(facing.n_rows), col_price])
    begin: Floats = price[facing.asked]
    return begin


def face_back_prices(facing: Facing, asking: Floats, asked: Floats) -> tuple[Floats, Floats]:
    """Return the prices of rows and of columns."""
    price = np.empty(asking.size + asked.size)
    price[facing.asking] = asking
    price[facing.asked] = asked
    return price[: facing.n_rows], price[facing.n_rows :]


def face_back_flows(facing: Facing, flows: Flows) -> Flows:
    """Return the flows from rows to columns."""
    asking, asked = facing.asking[flows.row], facing.asked[flows.col]
    row, col = np.minimum(asking, asked), np.maximum(asking, asked)
    return Flows(row, col - facing.n_rows, flows.units)


def _units(size: Ints, start: Ints) -> Ints:
    """Count the users of each component."""
    units: Ints = np.diff(np.concatenate([[0], np.cumsum(size)])[start])
    return units


def _list_nodes(first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """List ``count[c]`` nodes from ``first[c]`` on for each component, and where each begins."""
    start = np.concatenate([[0], np.cumsum(count)])
    return np.repeat(first - start[:-1], count) + np.arange(start[-1]), start


def _turn_join(join: Join, facing: Facing) -> Join:
    """Return the join of asking rows and asked columns."""
    back = swap_sides(join)
    both = (
        np.concatenate([join.row_ptr, join.row_ptr[-1] + back.row_ptr[1:]]),
        np.concatenate([join.row_loc, back.row_loc]),
        np.concatenate([join.row_val, back.row_val]),
    )
    n_locations = join.loc_ptr.size - 1
    by_location = transpose_csr(*gather_rows(both, facing.asked), n_locations)
    total = np.concatenate([join.row_total, join.col_total])
    totals = (total[facing.asking], total[facing.asked]) if total.size else (total, total)
    turned = with_sides(join, gather_rows(both, facing.asking), by_location, *totals)
    return turned._replace(n_cols=facing.asked.size)
