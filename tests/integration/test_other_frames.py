"""Frames of geopandas, trackintel and scikit-mobility themselves, where they are installed."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.presence import present

import trailprint as tp
from trailprint.simulate.gps import GpsOptions, simulate_gps

AUDIT = tp.AuditOptions(attacks="histogram", time_limit_s=0.001)


@pytest.fixture(scope="module")
def fixes() -> pd.DataFrame:
    found = simulate_gps(GpsOptions(n_users=8)).to_pandas()
    return found.assign(start=pd.to_datetime(found["start"], utc=True))


def halves(frame, fixes):
    """Two sides, cut at each person's median time, each with an index of its own."""
    early = fixes["start"] <= fixes.groupby("user")["start"].transform("median")
    return [frame[side].reset_index(drop=True) for side in (early, ~early)]


def check_all(sides, plain):
    """Every function takes both sides, and finds what it finds in plain columns."""
    released, auxiliary = sides
    assert tp.inspect(released) == tp.inspect(plain[0])
    found, expected = tp.match(released, auxiliary), tp.match(*plain)
    assert present(found.risk) == present(expected.risk)
    assert tp.audit(released, auxiliary, AUDIT).to_dict()["headline"]["sentence"]


def to_geometry(fixes):
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.points_from_xy(fixes["lon"], fixes["lat"])
    frame = pd.DataFrame({"user_id": fixes["user"], "tracked_at": fixes["start"]})
    return geopandas.GeoDataFrame(frame, geometry=points, crs=4326)


def to_plain(fixes):
    names = {"user": "user_id", "start": "tracked_at"}
    return halves(fixes[["user", "start", "lat", "lon"]].rename(columns=names), fixes)


def test_a_frame_of_geopandas(fixes):
    check_all(halves(to_geometry(fixes), fixes), to_plain(fixes))


def test_another_geometry_and_another_map(fixes):
    (side, _), (plain, _) = halves(to_geometry(fixes), fixes), to_plain(fixes)
    renamed = side.rename_geometry("where")
    wide = renamed.assign(around=renamed.geometry.to_crs(32650).buffer(10))
    expected = tp.inspect(plain)
    for frame in (renamed, wide, side.to_crs(32650), side.rename(columns={"geometry": "gone"})):
        assert tp.inspect(frame).locations == expected.locations


def test_position_fixes_and_stay_points_of_trackintel(fixes):
    trackintel = pytest.importorskip("trackintel")
    sides = halves(to_geometry(fixes), fixes)
    check_all(list(map(trackintel.Positionfixes, sides)), to_plain(fixes))
    rule = {"dist_threshold": 200, "time_threshold": 20, "gap_threshold": 24 * 60}
    positions = trackintel.Positionfixes(sides[0])
    with_stays, stays = positions.generate_staypoints(**rule, include_last=True)
    assert {"start", "end", "lat", "lon"} <= tp.read(stays).columns
    assert tp.read(stays).count() == len(stays)
    near = {"epsilon": 100, "num_samples": 1, "agg_level": "dataset"}
    located, locations = stays.generate_locations(**near)
    assert tp.inspect(located).locations == located["location_id"].nunique()
    assert {"lat", "lon"} <= tp.read(locations).columns
    _, legs = with_stays.generate_triplegs(stays, gap_threshold=600)
    with pytest.raises(tp.TrailprintError, match="lines or areas"):
        tp.read(legs)


def test_frames_of_scikit_mobility(fixes):
    skmob = pytest.importorskip("skmob")
    named = fixes[["user", "start", "lat", "lon"]].assign(start=fixes["start"].dt.tz_localize(None))
    given = {"latitude": "lat", "longitude": "lon", "datetime": "start", "user_id": "user"}
    sides = [skmob.TrajDataFrame(side, **given) for side in halves(named, fixes)]
    assert {"uid", "datetime", "lat", "lng"} <= set(sides[0].columns)
    check_all(sides, [pd.DataFrame(side) for side in sides])
    detection = pytest.importorskip("skmob.preprocessing.detection")
    stops = detection.stay_locations(sides[0], leaving_time=True)
    assert {"start", "end", "lat", "lon"} <= tp.read(stops).columns


def test_flows_of_scikit_mobility_have_no_people():
    skmob, geopandas = pytest.importorskip("skmob"), pytest.importorskip("geopandas")
    squares = geopandas.points_from_xy([6.5, 6.6], [46.5, 46.6]).buffer(0.05)
    tiles = geopandas.GeoDataFrame({"tile_ID": ["0", "1"]}, geometry=squares, crs=4326)
    counted = {"origin": ["0", "1"], "destination": ["1", "0"], "flow": [3, 4]}
    with pytest.raises(tp.TrailprintError, match="no people"):
        tp.read(skmob.FlowDataFrame(counted, tessellation=tiles))
