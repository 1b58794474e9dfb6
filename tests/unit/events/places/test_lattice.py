"""Cells lie where positions in them are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trailprint as tp
from trailprint.events.places.grid import Box, GridOptions, to_cells
from trailprint.events.places.lattice import Grid

PLACES = st.lists(
    st.tuples(st.floats(-80, 80), st.floats(-170, 170)), min_size=2, max_size=6, unique=True
)
WORLD = Box(-90, -180, 90, 180)
METRES = 111_320


def cells_of(places, cell_m, box=None):
    lat, lon = zip(*places, strict=True)
    table = pa.table({"user": ["u"] * len(lat), "lat": lat, "lon": lon})
    events = to_cells(tp.read(table), GridOptions(cell_m=cell_m, box=box))
    rows = events.engine.rows(f"SELECT location FROM ({events.query})")
    assert events.grid is not None
    return [row[0] for row in rows], events.grid


@settings(max_examples=40, deadline=None)
@given(places=PLACES, cell_m=st.sampled_from([50.0, 1000.0, 20_000.0]))
def test_a_cells_middle_is_in_that_cell(places, cell_m):
    names, grid = cells_of(places, cell_m, WORLD)
    middles = list(zip(*grid.centres(names), strict=True))
    again, _ = cells_of(middles, cell_m, WORLD)
    assert again == names


def test_what_is_published_does_not_reveal_the_edges_of_the_data():
    """Moving every position a little leaves the published grid as it is, or moves it by cells."""
    found = set()
    for shift in np.linspace(0, 1e-3, 7):
        _, grid = cells_of([(46.5 + shift, 6.6 + shift), (46.8 + shift, 6.9 + shift)], 5000.0)
        public = grid.for_public()
        assert public.corner_x % 5000 == pytest.approx(0, abs=1e-6)
        assert public.corner_y % 5000 == pytest.approx(0, abs=1e-6)
        found.add((public.meridian, public.corner_x, public.corner_y))
        (exact_lat, exact_lon), (lat, lon) = grid.centres(["x1_y2"]), public.centres(["x1_y2"])
        assert abs(exact_lat[0] - lat[0]) * METRES <= 2550
        assert abs(exact_lon[0] - lon[0]) * METRES * np.cos(np.radians(46.6)) <= 2700
    assert len(found) <= 2


def test_a_grid_over_a_given_box_is_published_as_it_is():
    _, grid = cells_of([(46.5, 6.6), (46.8, 6.9)], 5000.0, Box(46, 6, 47, 7))
    assert grid.for_public() is grid


def test_a_name_that_is_no_cell_has_no_centre():
    grid = Grid(cell_m=10.0, meridian=6.0, parallel=46.0, corner_x=0.0, corner_y=5e6)
    lat, lon = grid.centres(["cafe", "x0_y0"])
    assert np.isnan([lat[0], lon[0]]).all()
    assert np.isfinite([lat[1], lon[1]]).all()
