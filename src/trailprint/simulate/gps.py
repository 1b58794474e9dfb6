"""Simulated position fixes in a city of 39 km × 39 km, in bursts, over years.

Tuned to the 2016 paper's GeoLife experiments: homes in shared compounds, work at a few large
employers, trips along streets, recorded occasionally, with receiver errors. Each recording is a
trip: a burst of fixes on the way and for a while after arrival.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.arguments import check_arguments, check_fields
from trailprint.arrays import Floats, Ints
from trailprint.errors import OptionError
from trailprint.simulate.city import City, build_city, draw_errands, draw_homes, draw_work
from trailprint.simulate.grouped_draws import (
    normalise_groups,
    number_within,
    sample_groups,
    spread_normal,
    vary_shares,
)
from trailprint.simulate.trips import Trips, record_trips

PAPER_USERS = 154

MEAN_WEEKS, WEEKS_SHAPE = 15.4, 0.45
"""Active weeks: at least two, plus a gamma-distributed number."""
MEAN_TRIPS, SIGMA_TRIPS = 3.5, 1.0
"""Recorded trips in an active week, and their spread between people (sigma of the logarithm)."""
MEAN_PLACES = 3.0
"""Mean number of places a person goes to besides home and work."""
HABIT_CONCENTRATION, HALF_CONCENTRATION = 1.0, 5.0
"""Evenness of habits, and their stability between the two halves of a person's weeks."""
MOVE_SHARE = 0.1
"""Share of people who change home while they record, and share who change work."""
ELSEWHERE_SHARE = 0.07
"""Share of trip ends that are anywhere in town."""
ACTIVE_SHARE = 0.5
"""Share of the weeks between a person's first and last that are recorded."""

_WEEK_S = 7 * 86_400
_MONDAY = np.datetime64("2007-04-09T00:00:00", "s")
_CAMPAIGN_WEEKS = 280
#: South-western corner of the city, and degrees per metre there.
SOUTH, WEST = 39.7294, 116.1627
LAT_PER_M, LON_PER_M = 1 / 111_035.0, 1 / 85_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GpsOptions:
    """
    Number of people who carry a receiver.

    Attributes
    ----------
    n_users : int
        Number of people; by default as many as in the paper.
    seed : int
        The same seed gives the same fixes.

    Examples
    --------
    >>> from trailprint.simulate import GpsOptions
    >>> GpsOptions(n_users=5).seed
    0
    """

    n_users: int = PAPER_USERS
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.n_users < 1:
            raise OptionError(f"n_users must be at least 1, got {self.n_users} instead.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lives:
    """
    Where people go: ``place[0]`` before and ``place[1]`` after they move, one row per place.

    A person's rows are contiguous, home first, then work; ``share`` is how often each place is an
    end of a trip, in the first and in the second half of their weeks.
    """

    owner: Ints
    place: tuple[Floats, Floats]
    share: tuple[Floats, Floats]
    moves_after: Floats


@check_arguments()
def simulate_gps(options: GpsOptions | None = None) -> pa.Table:
    """
    Simulate a trajectory log: user, lat, lon, start, sorted by user and time.

    Parameters
    ----------
    options : GpsOptions, optional
        Number of people.

    Examples
    --------
    >>> from trailprint.simulate import GpsOptions, simulate_gps
    >>> simulate_gps(GpsOptions(n_users=5)).column_names
    ['user', 'lat', 'lon', 'start']
    """
    options = options or GpsOptions()
    rng = np.random.default_rng([options.seed, 0])
    city = build_city(rng)
    lives = _draw_lives(rng, city, options.n_users)
    n_weeks = _draw_weeks(rng, options.n_users)
    traveller, nth_week = _draw_trips(rng, n_weeks)
    progress = nth_week / n_weeks[traveller]
    is_second = 2 * (nth_week + 1) > n_weeks[traveller] + 1
    ends = [_draw_ends(rng, city, lives, traveller, progress, is_second) for _ in range(2)]
    right_turn = rng.random(options.n_users) < 0.5
    trips = Trips(origin=ends[0], destination=ends[1], right_turn=right_turn[traveller])
    fixes = record_trips(rng, trips)
    week = _calendar(rng, n_weeks)[_first(n_weeks)[traveller] + nth_week]
    start = _draw_starts(rng, week, fixes.length_s)
    # Pseudonyms are in random order, although nothing here depends on the order of people.
    name = rng.permutation(options.n_users)
    seconds = start[fixes.trip] + fixes.after_s
    order = np.lexsort((seconds, name[traveller[fixes.trip]]))
    when = _MONDAY.astype("datetime64[us]") + (seconds * 1e6).astype("timedelta64[us]")
    return pa.table(
        {
            "user": pa.array(name[traveller[fixes.trip]][order]),
            "lat": pa.array(np.round(SOUTH + fixes.y[order] * LAT_PER_M, 6)),
            "lon": pa.array(np.round(WEST + fixes.x[order] * LON_PER_M, 6)),
            "start": pa.array(
                when[order].astype("datetime64[s]").astype("datetime64[us]"),
                pa.timestamp("us", "UTC"),
            ),
        }
    )


def _draw_lives(rng: np.random.Generator, city: City, n_users: int) -> _Lives:
    owner, rank = number_within(2 + rng.poisson(MEAN_PLACES, n_users))
    is_home, is_work = rank == 0, rank == 1
    place = np.empty((owner.size, 2))
    place[is_home] = draw_homes(rng, city, n_users)
    place[is_work] = draw_work(rng, city, n_users)
    other = rank > 1
    place[other] = draw_errands(rng, city, place[is_home][owner[other]])
    later = place.copy()
    for kind, draw in ((is_home, draw_homes), (is_work, draw_work)):
        rows = np.flatnonzero(kind)
        moved = rows[rng.random(n_users) < MOVE_SHARE]
        later[moved] = draw(rng, city, moved.size)
    weight = rng.standard_gamma(HABIT_CONCENTRATION, owner.size) * np.where(other, 1.0, 1.5)
    habit = HALF_CONCENTRATION * normalise_groups(weight + 1e-9, owner, n_users)
    return _Lives(
        owner=owner,
        place=(place, later),
        share=(vary_shares(rng, habit, owner, n_users), vary_shares(rng, habit, owner, n_users)),
        moves_after=rng.random(n_users),
    )


def _draw_weeks(rng: np.random.Generator, n_users: int) -> Ints:
    """Draw the number of weeks that each person records, at least two."""
    beyond = rng.standard_gamma(WEEKS_SHAPE, n_users) * (MEAN_WEEKS - 1.5) / WEEKS_SHAPE
    return 2 + np.minimum(np.floor(beyond), 100).astype(np.int64)


def _first(n_weeks: Ints) -> Ints:
    """Return where each person's weeks begin in the list of all people's weeks."""
    return np.cumsum(n_weeks) - n_weeks


def _draw_trips(rng: np.random.Generator, n_weeks: Ints) -> tuple[Ints, Ints]:
    """Draw the person and active week of each trip; every active week has at least one."""
    person, nth_week = number_within(n_weeks)
    zeal = np.exp(SIGMA_TRIPS * spread_normal(rng, n_weeks.size) - SIGMA_TRIPS**2 / 2)
    busy = zeal[person] * (MEAN_TRIPS - 1) * rng.standard_exponential(person.size)
    n_trips = 1 + rng.poisson(busy)
    return np.repeat(person, n_trips), np.repeat(nth_week, n_trips)


def _draw_ends(
    rng: np.random.Generator,
    city: City,
    lives: _Lives,
    traveller: Ints,
    progress: Floats,
    is_second: NDArray[np.bool_],
) -> Floats:
    """Draw one end of each trip: one of the person's places, or any in town."""
    choices = [sample_groups(rng, lives.owner, share, traveller) for share in lives.share]
    chosen = np.where(is_second, choices[1], choices[0])
    has_moved = progress >= lives.moves_after[traveller]
    end = np.where(has_moved[:, None], lives.place[1][chosen], lives.place[0][chosen])
    elsewhere = rng.random(traveller.size) < ELSEWHERE_SHARE
    n_elsewhere = np.count_nonzero(elsewhere)
    end[elsewhere] = city.errand[rng.choice(len(city.errand), n_elsewhere, p=city.errand_share)]
    ends: Floats = end
    return ends


def _calendar(rng: np.random.Generator, n_weeks: Ints) -> Ints:
    """Draw the calendar week of each person's active weeks: in order, with gaps between them."""
    person, _ = number_within(n_weeks)
    gap = rng.geometric(ACTIVE_SHARE, person.size)
    along = np.cumsum(gap) - np.repeat(np.cumsum(gap)[_first(n_weeks)], n_weeks)
    last = along[_first(n_weeks) + n_weeks - 1]
    begin = rng.integers(0, np.maximum(1, _CAMPAIGN_WEEKS - last))
    return np.asarray(begin[person] + along, dtype=np.int64)


def _draw_starts(rng: np.random.Generator, week: Ints, length_s: Floats) -> Floats:
    """Draw daytime starts of trips, such that none runs into the next week."""
    day, hour = rng.integers(0, 7, week.size), rng.uniform(6, 22, week.size)
    within = np.clip(86_400.0 * day + 3_600.0 * hour, 0, _WEEK_S - 60 - length_s)
    return np.asarray(week * _WEEK_S + within, dtype=np.float64)
