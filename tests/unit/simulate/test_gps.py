"""The simulated fixes: a city, weeks, bursts, and how identifiable people are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from tests.presence import present

from trailprint.errors import OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.events.places.grid import Box
from trailprint.features.histograms import Histograms
from trailprint.papers.experiment import Context
from trailprint.papers.naini_2016 import gps
from trailprint.papers.naini_2016.matching import METRICS, share_one_by_one, share_right
from trailprint.papers.naini_2016.positions import CITY_BOX, position_sides
from trailprint.simulate.city import CITY_M
from trailprint.simulate.gps import (
    LAT_PER_M,
    LON_PER_M,
    PAPER_USERS,
    SOUTH,
    WEST,
    GpsOptions,
    simulate_gps,
)
from trailprint.simulate.trips import Trips, record_trips

PAPER = {"proposed": 0.584, "l1": 0.513, "cosine": 0.520, "dot": 0.468}
#: None of these was used in tuning.
TEST_SEEDS = range(201, 209)
WEEK = np.timedelta64(7, "D")


def weeks_of(table):
    """Weeks from a Monday on."""
    return ((table["start"].to_numpy() - np.datetime64("2007-04-09")) // WEEK).astype(int)


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


@pytest.fixture(scope="module")
def halves():
    """Test populations: who was where, and whether in the second half of their active weeks."""
    return [read_halves(simulate_gps(GpsOptions(seed=seed))) for seed in TEST_SEEDS]


def read_halves(table):
    """User, metres east and north of the corner, and half of every fix in the city."""
    user, week = table["user"].to_numpy(), weeks_of(table)
    first = np.r_[True, (np.diff(user) != 0) | (np.diff(week) != 0)]
    nth = np.cumsum(first) - 1
    of_user = user[first]
    begin, end = (np.searchsorted(of_user, user, side=side) for side in ("left", "right"))
    is_second = 2 * (nth - begin + 1) > end - begin + 1
    east = (table["lon"].to_numpy() - WEST) / LON_PER_M
    north = (table["lat"].to_numpy() - SOUTH) / LAT_PER_M
    box = Box.parse(CITY_BOX)
    inside = (east >= 0) & (table["lon"].to_numpy() < box.east)
    inside &= (north >= 0) & (table["lat"].to_numpy() < box.north)
    return user[inside], east[inside], north[inside], is_second[inside]


def count_squares(half, cell_m):
    """Both sides' histograms over squares, with numpy only."""
    user, east, north, is_second = half
    n_squares = int(CITY_M // cell_m) + 1
    number = (east // cell_m).astype(np.int64) * n_squares + (north // cell_m).astype(np.int64)
    used, square = np.unique(number, return_inverse=True)
    shape = PAPER_USERS, len(used)
    return tuple(
        Histograms(
            matrix=sparse.csr_array((np.ones(side.sum()), (user[side], square[side])), shape),
            users=pa.array(np.arange(PAPER_USERS)).cast(pa.string()),
            locations=pa.array(np.arange(len(used))).cast(pa.string()),
        )
        for side in (~is_second, is_second)
    )


def mean_share(populations, metric="proposed"):
    """The share identified on the average of populations."""
    context = Context(n_threads=1)
    return np.mean([share_right(context, sides, metric) for sides in populations])


def test_on_average_people_are_as_identifiable_as_in_the_papers_table(halves):
    populations = [count_squares(half, 1_000) for half in halves]
    found = {metric: mean_share(populations, metric) for metric in METRICS}
    assert found["proposed"] == max(found.values())
    assert found["dot"] == min(found.values())
    for metric, paper in PAPER.items():
        assert found[metric] == pytest.approx(paper, abs=0.07)


def test_on_average_squares_of_about_a_hundred_metres_identify_most(halves):
    tiny, hundred, coarse, large = (
        mean_share([count_squares(half, cell_m) for half in halves])
        for cell_m in (10, 100, 1_000, 3_000)
    )
    assert hundred > tiny + 0.02
    assert hundred > coarse + 0.02
    assert coarse > large + 0.1


def test_one_by_one_is_within_what_154_people_can_show_of_the_papers_half(halves):
    context = Context(n_threads=1)
    found = [share_one_by_one(context, count_squares(half, 300)) for half in halves]
    low, high = present(wilson(PAPER_USERS / 2, PAPER_USERS))
    assert low < np.mean(found) < high


def test_on_average_chains_of_places_identify_as_many_as_their_authors_report():
    accuracies, without_place = [], []
    for seed in TEST_SEEDS[:5]:
        context = Context(seed=seed, n_threads=1)
        accuracies.append(present(gps._match_chains(context).accuracy))
        none = [np.diff(side.first_place) == 0 for side in gps.chain_sides(context)]
        without_place.append(np.mean(none[0] | none[1]))
    assert np.mean(accuracies) == pytest.approx(0.45, abs=0.07)
    assert np.mean(without_place) < 0.2


def test_squares_counted_here_are_those_of_the_experiments(halves):
    seed = TEST_SEEDS[0]
    context = Context(seed=seed, n_threads=1)
    for here, there in zip(
        count_squares(halves[0], 1_000), position_sides(context, 1_000.0), strict=True
    ):
        assert sorted(here.totals) == sorted(there.totals)


def test_impossible_sizes_are_refused():
    with pytest.raises(OptionError, match="at least 1"):
        GpsOptions(n_users=0)
