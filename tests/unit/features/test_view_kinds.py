"""Cells that share what they hold with their neighbours, by their definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trailprint as tp
from trailprint.events.places.grid import GridOptions, extent, to_cells
from trailprint.features.view_kinds import NearbyCells
from trailprint.features.views import build_view_pair

VIEW = NearbyCells(name="nearby", title="", needs=frozenset({"lat", "lon"}), cell_m=300.0)
POINTS = st.lists(
    st.tuples(st.integers(0, 2), st.floats(47.0, 47.02), st.floats(8.0, 8.02)),
    min_size=1,
    max_size=12,
)


def as_events(points):
    user, lat, lon = zip(*points, strict=True)
    return tp.read(pa.table({"user": user, "lat": lat, "lon": lon}))


def spread(events, frame):
    """What each person has in each cell: sixteenths of each event, from the names of cells."""
    placed = to_cells(events, GridOptions(cell_m=300.0), frame=frame)
    amounts: Counter[tuple[str, int, int]] = Counter()
    for user, cell in placed.engine.connection.sql(
        f'SELECT "user", location FROM ({placed.query})'
    ).fetchall():
        column, row = (int(part[1:]) for part in cell.split("_"))
        for east in (-1, 0, 1):
            for north in (-1, 0, 1):
                share = (2 - abs(east)) * (2 - abs(north))
                amounts[str(user), column + east, row + north] += share
    return amounts


def test_cells_are_not_finer_than_those_of_either_side():
    fine = as_events([(0, 47.0, 8.0)])
    coarse = to_cells(fine, GridOptions(cell_m=1000.0))
    assert VIEW.lacks((fine, fine)) is None
    for sides in ((fine, coarse), (coarse, fine)):
        assert VIEW.lacks(sides) == "finer than the cells of 1000 m that the data is on"


@settings(max_examples=25, deadline=None)
@given(POINTS, POINTS)
def test_a_cell_shares_with_its_neighbours(released, auxiliary):
    sides = as_events(released), as_events(auxiliary)
    frame = extent(sides)
    for events, table in zip(sides, VIEW.count(*sides), strict=True):
        band = table["band"].to_numpy()
        row = np.floor_divide(band + 2**31, 2**32)
        keys = zip(table["user"].to_pylist(), (band - row * 2**32), row, strict=True)
        found = {
            (str(u), int(x), int(y)): n
            for (u, x, y), n in zip(keys, table["n"].to_pylist(), strict=True)
        }
        assert found == dict(spread(events, frame))


def test_neighbours_overlap_and_strangers_do_not():
    lat = [47.0, 47.0027, 47.0054, 47.01]
    people = as_events([(i, x, 8.0) for i, x in enumerate(lat)])
    rows = build_view_pair(people, people, ["nearby-300m"])[0].matrices[0].toarray()
    common = [np.minimum(rows[0], row).sum() for row in rows]
    assert common[0] == pytest.approx(1.0)
    assert common[0] > common[1] > common[2] > common[3] == 0
