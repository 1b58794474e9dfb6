"""Orient every component so that its scarcer side bids for the nodes of the other.

When rows are scarcer than columns, rows are matched by raising column prices, which then hardly
ever fall, so bounds from a pass over all pairs stay valid. Gains are the same in both orientations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.kernels.csr import gather_rows, list_ranges, row_starts, sum_rows, transpose_csr
from trailprint.kernels.matching.join import Join, swap_sides, with_sides
from trailprint.kernels.matching.reduction import Reduced
from trailprint.kernels.matching.transport import Flows


class Orientation(NamedTuple):
    """Bidders and objects, by node number: those below ``n_rows`` are rows, the others columns."""

    bidders: Ints
    objects: Ints
    n_rows: int


def orient_by_scarcity(reduced: Reduced) -> tuple[Reduced, Orientation]:
    """Return the problem with the scarcer side of every component as its rows.

    ``row_group`` and ``col_group`` are left empty: users belong to the original problem.
    """
    n_rows = reduced.join.n_rows
    flipped = sum_rows(reduced.row_start, reduced.row_size) > sum_rows(
        reduced.col_start, reduced.col_size
    )
    first = reduced.row_start[:-1], n_rows + reduced.col_start[:-1]
    count = np.diff(reduced.row_start), np.diff(reduced.col_start)
    n_bidders, n_objects = np.where(flipped, *count[::-1]), np.where(flipped, *count)
    bidders = list_ranges(np.where(flipped, *first[::-1]), n_bidders)
    objects = list_ranges(np.where(flipped, *first), n_objects)
    orientation = Orientation(bidders, objects, n_rows)
    size = np.concatenate([reduced.row_size, reduced.col_size])
    none = np.zeros(0, np.int64)
    oriented = Reduced(
        join=_orient_join(reduced.join, orientation),
        row_group=none,
        col_group=none,
        row_size=size[bidders],
        col_size=size[objects],
        row_start=row_starts(n_bidders),
        col_start=row_starts(n_objects),
    )
    return oriented, orientation


def initial_prices(orientation: Orientation, col_price: Floats) -> Floats:
    """Return the initial prices of the objects, zero for those that are rows."""
    price = np.concatenate([np.zeros(orientation.n_rows), col_price])
    begin: Floats = price[orientation.objects]
    return begin


def restore_prices(
    orientation: Orientation, bidders: Floats, objects: Floats
) -> tuple[Floats, Floats]:
    """Return the prices of rows and of columns."""
    price = np.empty(bidders.size + objects.size)
    price[orientation.bidders] = bidders
    price[orientation.objects] = objects
    return price[: orientation.n_rows], price[orientation.n_rows :]


def restore_flows(orientation: Orientation, flows: Flows) -> Flows:
    """Return the flows from rows to columns."""
    bidders, objects = orientation.bidders[flows.row], orientation.objects[flows.col]
    row, col = np.minimum(bidders, objects), np.maximum(bidders, objects)
    return Flows(row, col - orientation.n_rows, flows.units)


def _orient_join(join: Join, orientation: Orientation) -> Join:
    """Return the join with bidders as rows and objects as columns."""
    back = swap_sides(join)
    both = (
        np.concatenate([join.row_ptr, join.row_ptr[-1] + back.row_ptr[1:]]),
        np.concatenate([join.row_loc, back.row_loc]),
        np.concatenate([join.row_val, back.row_val]),
    )
    n_locations = join.loc_ptr.size - 1
    by_location = transpose_csr(*gather_rows(both, orientation.objects), n_locations)
    total = np.concatenate([join.row_total, join.col_total])
    totals = (
        (total[orientation.bidders], total[orientation.objects]) if total.size else (total, total)
    )
    rows = gather_rows(both, orientation.bidders)
    return with_sides(join, rows, by_location, orientation.objects.size, *totals)
