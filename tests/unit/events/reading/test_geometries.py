"""
Columns of geometry become positions, whichever library made them.

Each test is tried on an imitation of what geopandas offers, and on geopandas where it is
installed.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd
import pytest

import trailprint as tp
from trailprint.errors import ColumnError, SourceError
from trailprint.events.reading.frames import plain_frame

DAYS = pd.date_range("2024-03-01", periods=4, tz="UTC")
LON, LAT = np.array([6.5, 6.6, 6.5, 6.7]), np.array([46.5, 46.6, 46.5, 46.4])


class GeometryDtype(pd.api.extensions.ExtensionDtype):
    name = "geometry"
    type = object

    @classmethod
    def construct_array_type(cls):
        return GeometryArray


class GeometryArray(pd.api.extensions.ExtensionArray):
    """A column pandas calls geometry, and Arrow cannot read: (kind, x, y), or None."""

    dtype = GeometryDtype()

    def __init__(self, values, crs=None):
        self.values = np.empty(len(values), dtype=object)
        self.values[:] = values
        self.crs = crs

    @classmethod
    def _from_sequence(cls, scalars, *, dtype=None, copy=False):
        return cls(list(scalars))

    def __getitem__(self, item):
        found = self.values[item]
        return GeometryArray(found, self.crs) if isinstance(found, np.ndarray) else found

    def __len__(self):
        return len(self.values)

    def isna(self):
        return np.array([value is None for value in self.values])

    def copy(self):
        return GeometryArray(self.values.copy(), self.crs)

    @property
    def nbytes(self):
        return self.values.nbytes

    @property
    def geom_type(self):
        return np.array([None if value is None else value[0] for value in self.values])

    @property
    def x(self):
        return self._part(1)

    @property
    def y(self):
        return self._part(2)

    def _part(self, place):
        if any(value is not None and value[0] != "Point" for value in self.values):
            raise ValueError("x attribute access only provided for Point geometries")
        return np.array([np.nan if value is None else value[place] for value in self.values])

    def to_crs(self, system):
        assert system == 4326
        moved = [(kind, x / 1e5, y / 1e5) for kind, x, y in self.values]
        return GeometryArray(moved, system)


def imitate(kinds, crs=None):
    scale = 1 if crs is None else 1e5
    shapes = zip(kinds, LON * scale, LAT * scale, strict=True)
    return GeometryArray([None if kind is None else (kind, x, y) for kind, x, y in shapes], crs)


def make_real(kinds, crs=None):
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.points_from_xy(LON, LAT, crs=4326)
    wide = geopandas.GeoSeries(points).to_crs(2056).buffer(50).to_crs(4326).array
    shapes = {"Point": points, "Polygon": wide}
    made = [None if kind is None else shapes[kind][i] for i, kind in enumerate(kinds)]
    column = geopandas.GeoSeries(made, crs=4326)
    return column.array if crs is None else column.to_crs(crs).array


MAKERS = {"imitation": imitate}
if importlib.util.find_spec("geopandas") is not None:
    MAKERS["geopandas"] = make_real


@pytest.fixture(params=MAKERS)
def geometry(request):
    return MAKERS[request.param]


def frame(column, name="geometry", **columns) -> pd.DataFrame:
    """As trackintel keeps position fixes: user_id, tracked_at and a geometry."""
    fixes = {"user_id": ["a", "b", "c", "d"], "tracked_at": DAYS, name: column}
    return pd.DataFrame({**fixes, **columns})


@pytest.mark.parametrize("name", ["geometry", "geom", "where"])
def test_points_are_positions_whatever_their_column_is_called(geometry, name):
    plain = plain_frame(frame(geometry(["Point"] * 4), name))
    assert list(plain.columns) == ["user_id", "tracked_at", "lat", "lon"]
    np.testing.assert_allclose(plain[["lon", "lat"]], np.column_stack([LON, LAT]))
    found = tp.inspect(frame(geometry(["Point"] * 4), name))
    assert (found.users, found.locations, found.first) == (4, 3, "2024-03-01")


def test_points_of_a_map_in_metres_become_degrees(geometry):
    plain = plain_frame(frame(geometry(["Point"] * 4, crs=2056)))
    np.testing.assert_allclose(plain[["lon", "lat"]], np.column_stack([LON, LAT]), atol=1e-6)


def test_a_missing_geometry_is_a_bad_row(geometry):
    reading = tp.ReadOptions(allow_bad_rows=True)
    events = tp.read(frame(geometry(["Point", None, "Point", "Point"])), reading)
    assert events.count() == 3
    assert events.tally.bad == {"missing or unreadable position": 1}


def test_areas_are_no_positions_but_may_have_locations(geometry):
    areas = geometry(["Point", "Polygon", "Polygon", None])
    with pytest.raises(SourceError, match="must be points, but some are lines or areas"):
        tp.read(frame(areas))
    named = frame(areas, location_id=["x", "y", "x", "y"])
    assert tp.inspect(named).locations == 2


def test_positions_in_columns_come_first(geometry):
    plain = plain_frame(frame(geometry(["Polygon"] * 4), lat=LAT, lon=LON + 1))
    assert list(plain["lon"]) == list(LON + 1)


def test_two_geometries_of_a_plain_frame_are_not_guessed_at(geometry):
    points = geometry(["Point"] * 4)
    with pytest.raises(SourceError, match="one geometry, but 2 columns"):
        tp.read(frame(points, other=points))


def test_a_stored_geometry_says_what_to_do():
    stored = frame([b"\x01"] * 4)
    with pytest.raises(ColumnError, match="open it with geopandas"):
        tp.read(stored)


def test_flows_have_no_people():
    flows = pd.DataFrame({"origin": ["x", "y"], "destination": ["y", "x"], "flow": [3, 4]})
    with pytest.raises(ColumnError, match="no people"):
        tp.read(flows)


def test_a_stop_of_scikit_mobility_ends():
    stops = pd.DataFrame({"uid": [1, 2], "datetime": DAYS[:2], "lat": LAT[:2], "lng": LON[:2]})
    events = tp.read(stops.assign(leaving_datetime=DAYS[:2] + pd.Timedelta(hours=2)))
    assert {"start", "end"} <= events.columns
