"""Cells in metres against lengths and areas known from elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.oracles.stays import haversine_m

from trailprint import read
from trailprint.errors import ColumnError, InputError, OptionError
from trailprint.events.places.grid import (
    Box,
    GridOptions,
    to_cells,
    to_h3,
    to_regions,
    truncate_names,
    within_box,
)
from trailprint.events.places.placing import PlaceOptions, place

#: Kilometres of a degree of latitude and of longitude on WGS 84, from published tables.
DEGREE_KM = {
    0: (110.574, 111.320),
    15: (110.649, 107.550),
    30: (110.852, 96.486),
    45: (111.132, 78.847),
    60: (111.412, 55.800),
    75: (111.618, 28.902),
}


@pytest.fixture
def cells_of(make_events, rows_of):
    """The (x, y) numbers of the cells of points, in the order of the points."""

    def cells(points, cell_m, box=None):
        rows = [(i, lat, lon) for i, (lat, lon) in enumerate(points)]
        events = to_cells(
            make_events(rows, "user", "lat", "lon"), GridOptions(cell_m=cell_m, box=box)
        )
        found = dict(rows_of(events, "user", "location"))
        return [tuple(int(part[1:]) for part in found[i].split("_")) for i in sorted(found)]

    return cells


@pytest.mark.parametrize("latitude", DEGREE_KM)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_degree_is_as_long_as_tables_say(cells_of, latitude, sign):
    lat = sign * latitude
    west, east, south, north = cells_of(
        [(lat, 7.5), (lat, 8.5), (lat - 0.5, 8.0), (lat + 0.5, 8.0)], cell_m=10
    )
    km_north, km_east = DEGREE_KM[latitude]
    assert (east[0] - west[0]) * 10 == pytest.approx(1000 * km_east, abs=21)
    assert (north[1] - south[1]) * 10 == pytest.approx(1000 * km_north, abs=21)


@pytest.mark.parametrize("latitude", [0, 23, 47, 64])
@pytest.mark.parametrize("step", [(0.0, 0.01), (0.01, 0.0), (0.01, 0.01)])
def test_short_distances_equal_the_great_circle(cells_of, latitude, step):
    first = (float(latitude), 8.0)
    second = (first[0] + step[0], first[1] + step[1])
    (x1, y1), (x2, y2) = cells_of([first, second], cell_m=1)
    assert math.hypot(x2 - x1, y2 - y1) == pytest.approx(haversine_m(first, second), rel=0.008)


@pytest.mark.parametrize("latitude", [-50, 0, 60])
def test_cells_cover_equal_areas(engine, latitude):
    """Points of a fine net, weighed by the area each stands for, fill inner cells alike."""
    steps = 400
    i, j = np.divmod(np.arange(steps**2), steps)
    net = pa.table({"user": i, "lat": latitude + i * 0.1 / steps, "lon": 10 + j * 0.2 / steps})
    events = to_cells(read(net, engine=engine), GridOptions(cell_m=1500))
    areas = dict(
        engine.rows(
            f"SELECT location, sum(cos(radians(lat))) FROM ({events.query}) GROUP BY location"
        )
    )
    inner = [areas[cell] for cell in areas if all(near in areas for near in _neighbours(cell))]
    assert len(inner) >= 12
    assert max(inner) / min(inner) < 1.08
    point_m2 = haversine_m((0, 0), (0.1 / steps, 0)) * haversine_m((0, 0), (0, 0.2 / steps))
    assert sum(inner) / len(inner) * point_m2 == pytest.approx(1500**2, rel=0.02)


def _neighbours(cell):
    x, y = (int(part[1:]) for part in cell.split("_"))
    return [f"x{x + i}_y{y + j}" for i in (-1, 0, 1) for j in (-1, 0, 1)]


def test_cells_are_counted_from_the_corner_also_across_the_equator(cells_of):
    found = cells_of([(-10, 5), (0, 5), (10, 5), (10, 25), (0, 25)], cell_m=1000)
    assert min(x for x, _ in found) == 0
    assert min(y for _, y in found) == 0


def test_one_position_is_one_cell(cells_of):
    assert cells_of([(47.4, 8.5), (47.4, 8.5)], cell_m=100) == [(0, 0)] * 2


@pytest.mark.parametrize("corner", [(90, 180), (-90, -180), (90, -180), (0, 0)])
def test_the_corners_of_the_globe_have_cells(cells_of, corner):
    assert cells_of([corner], cell_m=1000) == [(0, 0)]


def test_a_box_leaves_out_what_lies_outside(cells_of):
    box = Box.parse("47,8,48,9")
    assert len(cells_of([(47.5, 8.5), (46.9, 8.5), (47.5, 9.1), (47, 8)], 1000, box)) == 2


def test_a_box_makes_cells_comparable_between_datasets(cells_of):
    box = Box.parse("47,8,48,9")
    alone = cells_of([(47.5, 8.5)], 500, box)
    assert cells_of([(47.5, 8.5), (47.9, 8.1)], 500, box)[:1] == alone


def test_an_empty_box(make_events):
    events = make_events([("a", 47.0, 8.0)], "user", "lat", "lon")
    with pytest.raises(InputError, match="lie in the box"):
        within_box(events, Box.parse("1,1,2,2"))


@pytest.mark.parametrize(
    "text", ["", "x", "1,2,3", "1,2,3,4,5", "nan,1,2,3", "2,2,1,1", "-91,0,1,1"]
)
def test_boxes_that_are_none(text):
    with pytest.raises(OptionError, match="box must be south,west,north,east"):
        Box.parse(text)


@pytest.mark.parametrize("cell_m", [0, -1, math.nan, math.inf, 1e-9])
def test_cells_that_are_none(cell_m):
    with pytest.raises(OptionError, match="cell_m must be"):
        GridOptions(cell_m=cell_m)


def test_a_grid_needs_positions(make_events):
    with pytest.raises(ColumnError, match="needs a column 'lat'"):
        to_cells(make_events([("a", "x")], "user", "location"), GridOptions())


def test_h3(make_events, rows_of):
    h3 = pytest.importorskip("h3")
    events = to_h3(make_events([("a", 47.4, 8.5)], "user", "lat", "lon"), 7)
    assert rows_of(events, "location") == [(h3.latlng_to_cell(47.4, 8.5, 7),)]


@pytest.mark.parametrize("resolution", [-1, 16])
def test_h3_has_sixteen_resolutions(make_events, resolution):
    events = make_events([("a", 47.4, 8.5)], "user", "lat", "lon")
    with pytest.raises(OptionError, match="from 0 to 15"):
        to_h3(events, resolution)


@pytest.fixture
def two_places(make_events):
    return make_events([("a", "SECRET1"), ("b", "SECRET2")], "user", "location")


@pytest.mark.parametrize("separator", [",", "\t"])
def test_regions(write, two_places, rows_of, separator):
    lines = [("region", "location"), ("north", "SECRET1"), ("south", " SECRET2 ")]
    path = write("regions.csv", "\n".join(separator.join(line) for line in lines) + "\n")
    assert rows_of(to_regions(two_places, path), "user", "location") == [
        ("a", "north"),
        ("b", "south"),
    ]


@pytest.mark.parametrize("kind", [dict, pa.table, pd.DataFrame])
def test_regions_may_be_a_table(kind, two_places, rows_of):
    mapping = kind({"location": ["SECRET1", "SECRET2"], "region": ["north", "south"]})
    options = PlaceOptions(regions=mapping)
    assert "SECRET" not in repr(options)
    for events in (to_regions(two_places, mapping), *place([two_places], options)):
        assert rows_of(events, "location") == [("north",), ("south",)]


@pytest.mark.parametrize("wrong", [3, [1], object])
def test_regions_are_a_path_or_a_table(wrong, two_places):
    with pytest.raises(OptionError, match=r"^regions must be a path or a table with columns"):
        PlaceOptions(regions=wrong)
    with pytest.raises(OptionError, match=r"^mapping must be a path or a table with columns"):
        to_regions(two_places, wrong)
    with pytest.raises(ColumnError, match=r"one column location and one column region"):
        to_regions(two_places, {"location": ["SECRET1"]})


def test_regions_of_numbers(write, make_events, rows_of):
    path = write("regions.csv", "location,region\n1,10\n2,10\n")
    events = to_regions(make_events([("a", 1), ("b", 2)], "user", "location"), path)
    assert rows_of(events, "location") == [("10",), ("10",)]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("location,region\nSECRET1,north\n", "1 have none"),
        ("location,region\nSECRET1,north\nSECRET2,\n", "1 have none"),
        ("location,region\nSECRET1,north\nSECRET1,south\nSECRET2,x\n", "1 have several"),
        ("location,area\nSECRET1,north\n", "'region' is missing"),
    ],
)
def test_mappings_that_are_not_whole(write, two_places, content, complaint):
    with pytest.raises(InputError, match=complaint) as caught:
        to_regions(two_places, write("regions.csv", content))
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("levels", "expected"), [(1, ["1", "2"]), (2, ["1.2", "2"]), (9, ["1.2.3", "2"])]
)
def test_truncation(make_events, rows_of, levels, expected):
    events = make_events([("a", "1.2.3"), ("b", "2")], "user", "location")
    assert rows_of(truncate_names(events, levels), "location") == [(name,) for name in expected]


def test_truncation_keeps_something(make_events):
    with pytest.raises(OptionError, match="at least 1 part"):
        truncate_names(make_events([("a", "1.2.3")], "user", "location"), 0)
