"""The simulated fixes: a city, weeks, bursts, and how identifiable people are."""

from __future__ import annotations

import numpy as np
import pytest

from trailprint.errors import OptionError
from trailprint.papers.experiment import Context
from trailprint.papers.naini_2016_matching import METRICS, share_right
from trailprint.papers.naini_2016_positions import position_sides
from trailprint.simulate.city import CITY_M
from trailprint.simulate.gps import GpsOptions, simulate_gps
from trailprint.simulate.trips import Trips, record_trips

PAPER = {"proposed": 0.584, "l1": 0.513, "cosine": 0.520, "dot": 0.468}
WEEK = np.timedelta64(7, "D")


def weeks_of(table):
    """Weeks from a Monday on."""
    return ((table["start"].to_numpy() - np.datetime64("2007-04-09")) // WEEK).astype(int)


@pytest.fixture(scope="module")
def context():
    return Context(n_threads=2)


def test_one_seed_one_city():
    first, again, other = (simulate_gps(GpsOptions(n_users=5, seed=s)) for s in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_fixes_lie_in_the_box_and_come_in_bursts():
    table = simulate_gps(GpsOptions(n_users=30, seed=4))
    assert 39.72 < table["lat"].to_numpy().min() < table["lat"].to_numpy().max() < 40.09
    assert 116.15 < table["lon"].to_numpy().min() < table["lon"].to_numpy().max() < 116.63
    pause = np.diff(table["start"].to_numpy()) / np.timedelta64(1, "s")
    same = np.diff(table["user"].to_numpy()) == 0
    assert np.median(pause[same]) < 90
    assert (pause[same] > 3600).mean() < 0.05


def test_everybody_has_two_active_weeks_and_about_fifteen_on_average():
    table = simulate_gps(GpsOptions(seed=2))
    pairs = np.unique(table["user"].to_numpy() * 10_000 + weeks_of(table))
    n_weeks = np.bincount(pairs // 10_000)
    assert n_weeks.min() >= 2
    assert n_weeks.mean() == pytest.approx(15.4, abs=3)


def test_a_trip_goes_along_streets_from_door_to_door():
    trips = Trips(
        origin=np.array([[1_100.0, 2_100.0]]),
        destination=np.array([[5_900.0, 7_900.0]]),
        right_turn=np.array([True]),
    )
    fixes = record_trips(np.random.default_rng(0), trips)
    assert fixes.x[0] == pytest.approx(1_100, abs=600)
    assert fixes.y[-1] == pytest.approx(7_900, abs=600)
    assert (np.diff(fixes.after_s) > 0).all()
    assert fixes.x.min() > -1_000
    assert fixes.x.max() < CITY_M + 1_000


def test_people_are_as_identifiable_as_in_the_papers_table(context):
    sides = position_sides(context)
    found = {metric: share_right(context, sides, metric) for metric in METRICS}
    assert found["proposed"] > found["cosine"] >= found["l1"] > found["dot"]
    for metric, paper in PAPER.items():
        assert found[metric] == pytest.approx(paper, abs=0.06)


def test_squares_of_a_moderate_size_identify_most(context):
    tiny, small, moderate, large = (
        share_right(context, position_sides(context, cell_m)) for cell_m in (10, 30, 300, 3_000)
    )
    assert tiny < moderate
    assert small < moderate
    assert large < moderate


def test_impossible_sizes_are_refused():
    with pytest.raises(OptionError, match="at least 1"):
        GpsOptions(n_users=0)
