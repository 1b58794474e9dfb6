"""
A campus that never was: people with weekly timetables, seen at access points.

The sizes and the regularity of ``CampusOptions.paper()`` follow the 2011 paper's log.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.errors import OptionError
from trailprint.simulate.campus_map import CampusMap, draw_map
from trailprint.simulate.campus_people import (
    BLOCK_HOURS,
    BLOCK_LENGTHS,
    HOME,
    N_BLOCKS,
    People,
    beta_around,
    draw_columns,
    draw_people,
)

PAPER_USERS = 4285
_PAPER_ACCESS_POINTS = 1364
_DAY_S = 86_400
_SPREAD = 8.0
"""How alike people are in their regularity."""
#: How often somebody on campus is online in each block, on working days.
_ONLINE = np.array([0.55, 0.65, 0.65, 0.6, 0.65, 0.65, 0.65, 0.7, 0.8])
_WANDERING = 0.25
"""Of the visits off the timetable, those to anywhere at all."""
_FLAPPING = 0.8
"""Mean number of times a device changes over to the neighbour during a visit."""
_OTHER_SIDE = 0.2
"""Of the visits, those where the device takes the neighbour first."""
_OVERNIGHT = 0.5
"""Of the last visits of a day at home, those that last until the morning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampusOptions:
    """
    How large a campus, and how regular its people.

    Attributes
    ----------
    n_users, n_days : int
        People, and days from ``first_day`` on.
    n_access_points : int, optional
        Access points (``building.floor.ap``); by default two for every five people, at least 20.
    regularity : float
        How often people are where their timetable has them, on average.
    conformity : float
        How much of what people do they share with their circle of friends, on average: the more,
        the harder it is to tell them apart.
    min_active_days : int
        Minimum number of days on which everybody comes.
    first_day : datetime.date
        The first day, of whatever weekday.
    seed : int
        Same seed, same campus.
    """

    n_users: int = 300
    n_days: int = 28
    n_access_points: int | None = None
    regularity: float = 0.7
    conformity: float = 0.75
    min_active_days: int = 0
    first_day: dt.date = dt.date(2024, 3, 4)
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("n_users", "n_days", "n_access_points"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"{name} must be at least 1, got {value} instead.")
        for name in ("regularity", "conformity"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(
                    f"{name} must be within 0 and 1, got {getattr(self, name)} instead."
                )
        if not 0 <= self.min_active_days <= self.n_days:
            raise OptionError(
                f"min_active_days must be from 0 to the {self.n_days} days, "
                f"got {self.min_active_days} instead."
            )

    @classmethod
    def paper(cls, n_users: int = PAPER_USERS, *, seed: int = 0) -> CampusOptions:
        """
        One term of the size of the 2011 paper's log after its filter.

        4,285 people on at least 45 of 62 days, 1,364 access points; with fewer people, access
        points in proportion. People conform less than by default: the CRF attack then pinpoints
        about as many as it did in the paper.
        """
        return cls(
            n_users=n_users,
            n_days=62,
            n_access_points=max(1, round(n_users * _PAPER_ACCESS_POINTS / PAPER_USERS)),
            conformity=0.7,
            min_active_days=45,
            first_day=dt.date(2010, 1, 4),
            seed=seed,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Visits:
    """One visit per person, day and block they are online in."""

    user: Ints
    day: Ints
    block: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Records:
    """Associations: who, where, and from when to when in seconds after the first midnight."""

    user: Ints
    location: Ints
    start_s: Floats
    end_s: Floats


def simulate_campus(options: CampusOptions | None = None) -> pa.Table:
    """
    Simulate an association log: user, location, start, end.

    People live in halls, take classes with others of their programme, eat and study where many do,
    and have places of their own. Each block of a day is spent by the timetable, at one of the own
    places, or anywhere; a device near two access points changes over between them, and some stay
    connected overnight. Nobody is at two places at once.
    """
    options = options or CampusOptions()
    random = np.random.default_rng(options.seed)
    visits = _presence(random, options)
    n_access_points = options.n_access_points or max(20, 2 * options.n_users // 5)
    campus = draw_map(random, n_access_points)
    people = draw_people(random, campus, options.n_users, options.conformity)
    location = _destinations(random, options, people, campus, visits)
    is_home = location == people.places[visits.user, HOME]
    records = _associate(random, options, campus, visits, (location, is_home))
    return _log(random, options, campus, records)


def _presence(random: np.random.Generator, options: CampusOptions) -> _Visits:
    """Who is online in which block of which day; weekends are quieter."""
    there = random.random((options.n_users, options.n_days, N_BLOCKS), dtype=np.float32)
    weekend = _weekdays(options) >= 5
    eagerness = random.beta(9, 1.5, options.n_users)[:, None]
    coming = eagerness * np.where(weekend, 0.8, 1.0)
    # The days people are keenest on come first: taking enough of them keeps the least number.
    keys = random.random((options.n_users, options.n_days)) / coming
    rank = np.argsort(np.argsort(keys, axis=1), axis=1)
    comes = (keys < 1) | (rank < options.min_active_days)
    online = there < _ONLINE * np.where(weekend, 0.7, 1.0)[:, None]
    # Coming means being seen: the likeliest block counts on days without any.
    online[:, :, N_BLOCKS - 1] |= ~online.any(axis=2)
    return _Visits(*np.nonzero(online & comes[:, :, None]))


def _weekdays(options: CampusOptions) -> Ints:
    return (options.first_day.weekday() + np.arange(options.n_days)) % 7


def _destinations(
    random: np.random.Generator,
    options: CampusOptions,
    people: People,
    campus: CampusMap,
    visits: _Visits,
) -> Ints:
    """Where each visit goes: by the timetable, to an own place, or anywhere."""
    regular = random.beta(*beta_around(options.regularity, _SPREAD), options.n_users)
    weekday = _weekdays(options)[visits.day]
    planned = people.timetable[visits.user, weekday, visits.block]
    liked = draw_columns(random, people.liking, visits.user)
    fate = random.random(len(visits.user))
    by_plan = fate < regular[visits.user]
    chosen = people.places[visits.user, np.where(by_plan, planned, liked)]
    wandering = ~by_plan & (random.random(len(fate)) < _WANDERING)
    chosen[wandering] = campus.draw(random, people.quarter[visits.user[wandering]])
    return chosen


def _associate(
    random: np.random.Generator,
    options: CampusOptions,
    campus: CampusMap,
    visits: _Visits,
    at: tuple[Ints, NDArray[np.bool_]],
) -> _Records:
    """
    Cut each visit into the associations of a device that changes over and back.

    ``at`` has the access point of each visit and whether that is home.
    """
    location, is_home = at
    start, length = _spans(random, options, visits, is_home)
    n_parts = 1 + random.poisson(_FLAPPING, len(start))
    visit = np.repeat(np.arange(len(start)), n_parts)
    nth = np.arange(len(visit)) - (np.cumsum(n_parts) - n_parts)[visit]
    # A seat may be nearer to the other one: which comes first is drawn for each visit.
    swapped = (random.random(len(start)) < _OTHER_SIDE)[visit] ^ (nth % 2 == 1)
    place = location[visit]
    end = start[visit] + _cut(random, visit, n_parts) * length[visit]
    return _Records(
        user=visits.user[visit],
        location=np.where(swapped, campus.neighbour[place], place),
        start_s=np.where(nth == 0, start[visit], np.roll(end, 1)),
        end_s=end,
    )


def _spans(
    random: np.random.Generator,
    options: CampusOptions,
    visits: _Visits,
    is_home: NDArray[np.bool_],
) -> tuple[Floats, Floats]:
    """When each visit starts and how long it lasts, in seconds: within its block or overnight."""
    block_s = BLOCK_LENGTHS[visits.block] * 3600.0
    start = visits.day * _DAY_S + BLOCK_HOURS[visits.block] * 3600.0
    start = start + random.random(len(start)) * 0.3 * block_s
    length = (0.1 + 0.58 * random.random(len(start))) * block_s
    stays = (visits.block == N_BLOCKS - 1) & is_home
    stays &= random.random(len(start)) < _OVERNIGHT
    length = np.where(stays, 7 * 3600.0 + 1800.0 * random.random(len(start)), length)
    return start, np.minimum(length, options.n_days * _DAY_S - start)


def _cut(random: np.random.Generator, visit: Ints, n_parts: Ints) -> Floats:
    """Where the parts of each visit end, as shares of it."""
    ends = np.cumsum(0.2 + random.standard_exponential(len(visit)))
    last = np.cumsum(n_parts) - 1
    before = np.concatenate(([0.0], ends[last[:-1]]))[visit]
    shares: Floats = (ends - before) / (ends[last][visit] - before)
    return shares


def _log(
    random: np.random.Generator, options: CampusOptions, campus: CampusMap, records: _Records
) -> pa.Table:
    """The records as a table in the order of time, people under drawn numbers."""
    midnight = np.datetime64(options.first_day, "s")
    start = np.floor(records.start_s).astype(np.int64)
    end = np.maximum(np.floor(records.end_s).astype(np.int64), start + 1)
    # Numbers given in a drawn order: a pseudonym tells nothing about its person.
    people = pa.array([f"user{n:05}" for n in random.permutation(options.n_users)])
    order = np.lexsort((records.user, start))
    return pa.table(
        {
            "user": people.take(pa.array(records.user[order])),
            "location": pa.array(campus.names()).take(pa.array(records.location[order])),
            "start": _timestamps(midnight, start[order]),
            "end": _timestamps(midnight, end[order]),
        }
    )


def _timestamps(midnight: np.datetime64, seconds: Ints) -> pa.Array:
    moments = (midnight + seconds.astype("timedelta64[s]")).astype("datetime64[us]")
    return pa.array(moments, pa.timestamp("us", "UTC"))
