"""Stays beside those of another tool, on the same fixes; skipped where it is not installed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import trailprint as tp
from trailprint.events.places.fixes import StayOptions
from trailprint.places import to_stays
from trailprint.simulate.gps import GpsOptions, simulate_gps

trackintel = pytest.importorskip("trackintel")
geopandas = pytest.importorskip("geopandas")
MINUTES_OF_A_YEAR = 366 * 24 * 60


@pytest.fixture(scope="module")
def fixes():
    return simulate_gps(GpsOptions(n_users=4)).to_pandas()


def find_theirs(fixes, gap_min):
    times = pd.to_datetime(fixes["start"], utc=True)
    frame = pd.DataFrame({"user_id": fixes["user"], "tracked_at": times})
    points = geopandas.points_from_xy(fixes["lon"], fixes["lat"])
    found = trackintel.Positionfixes(
        geopandas.GeoDataFrame(frame, geometry=points, crs="EPSG:4326")
    )
    rule = {"dist_threshold": 200, "time_threshold": 20, "gap_threshold": gap_min}
    _, stays = found.generate_staypoints(**rule, include_last=True, exclude_duplicate_pfs=False)
    rows = zip(stays["user_id"], stays["started_at"], stays["finished_at"], strict=True)
    return {
        (str(user), start.value, end.value): i for i, (user, start, end) in enumerate(rows)
    }, stays


def find_ours(fixes, gap):
    events = to_stays(tp.read(fixes), StayOptions.parse(f"200m,20min,{gap}"))
    names = '"user"::VARCHAR, epoch_ns("start"), epoch_ns("end"), lat, lon'
    return {row[:3]: row[3:] for row in events.engine.rows(f"SELECT {names} FROM ({events.query})")}


def test_without_a_limit_of_silence_they_are_the_same(fixes):
    ours, (theirs, stays) = find_ours(fixes, "366d"), find_theirs(fixes, MINUTES_OF_A_YEAR)
    assert set(ours) == set(theirs)
    centres = np.array(
        [(stays.geometry.y.iloc[i], stays.geometry.x.iloc[i]) for i in theirs.values()]
    )
    np.testing.assert_allclose([ours[key] for key in theirs], centres, atol=1e-9)


def test_with_one_theirs_are_some_of_ours(fixes):
    """They drop a run before a silence; here it ends with its last fix."""
    ours, (theirs, _) = find_ours(fixes, "24h"), find_theirs(fixes, 24 * 60)
    assert set(theirs) <= set(ours)
