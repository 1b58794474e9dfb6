"""
A simulated campus: people with weekly timetables, seen at access points.

The sizes and the regularity of ``CampusOptions.paper()`` follow the 2011 paper's log.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.arguments import check_arguments, check_fields
from trailprint.arrays import Ints
from trailprint.errors import OptionError
from trailprint.simulate.campus_map import CampusMap, draw_map
from trailprint.simulate.campus_people import (
    HOME,
    N_BLOCKS,
    People,
    beta_around,
    draw_columns,
    draw_people,
)
from trailprint.simulate.campus_sessions import (
    ANYWHERE,
    DAY_S,
    Records,
    Visits,
    VisitStays,
    associate,
    draw_usual,
)

PAPER_USERS = 4285
_PAPER_ACCESS_POINTS = 1364
_SPREAD = 8.0
"""Concentration of people's regularity around its mean."""
#: Probability that a person on campus is online in each block, on working days.
_ONLINE = np.array([0.55, 0.65, 0.65, 0.6, 0.65, 0.65, 0.65, 0.7, 0.8])
_WANDERING = 0.25
"""Share of the visits off the timetable that go anywhere in the person's part of the campus."""
_SETTLED = 0.27
"""Share of lifelike devices that stay in their owner's room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampusOptions:
    """
    Size of the campus, and regularity of its people.

    Attributes
    ----------
    n_users, n_days : int
        Number of people, and of days from ``first_day``.
    n_access_points : int, optional
        Number of access points (``building.floor.ap``); by default two for every five people, at
        least 20.
    regularity : float
        Mean share of visits in which people follow their timetable.
    conformity : float
        Mean share of their habits that people have in common with their circle of friends: the
        larger, the harder it is to tell them apart.
    min_active_days : int
        Minimum number of days on which each person comes.
    lifelike : bool
        Devices as in real association logs: many never leave their owner's room, stays have a
        usual length for each person and place, and hand-offs to a neighbour are short. By default
        all people move about and stay for any part of a block.
    first_day : datetime.date
        The first day, on any weekday.
    seed : int
        The same seed gives the same campus.

    Examples
    --------
    >>> from trailprint.simulate import CampusOptions
    >>> CampusOptions(n_users=50).n_days
    28
    """

    n_users: int = 300
    n_days: int = 28
    n_access_points: int | None = None
    regularity: float = 0.7
    conformity: float = 0.75
    min_active_days: int = 0
    lifelike: bool = False
    first_day: dt.date = dt.date(2024, 3, 4)
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
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
        Return one term with the size of the 2011 paper's log after its filter.

        4,285 people on at least 45 of 62 days, 1,364 access points; with fewer people, access
        points in proportion. Devices are lifelike, and people conform less than by default: the CRF
        attack then pinpoints about as many people as in the paper.
        """
        return cls(
            n_users=n_users,
            n_days=62,
            n_access_points=max(1, round(n_users * _PAPER_ACCESS_POINTS / PAPER_USERS)),
            conformity=0.5,
            min_active_days=45,
            lifelike=True,
            first_day=dt.date(2010, 1, 4),
            seed=seed,
        )


@check_arguments()
def simulate_campus(options: CampusOptions | None = None) -> pa.Table:
    """
    Simulate an association log: user, location, start, end.

    People live in halls, take classes with others of their programme, eat and study in popular
    places, and have personal places. They spend each block of a day by the timetable, at one of
    their places, or anywhere; a device near two access points switches between them, and some stay
    connected overnight. No person is at two places at once.

    Parameters
    ----------
    options : CampusOptions, optional
        Size of the campus, and regularity of its people.

    Examples
    --------
    >>> from trailprint.simulate import CampusOptions, simulate_campus
    >>> simulate_campus(CampusOptions(n_users=20, n_days=7)).column_names
    ['user', 'location', 'start', 'end']
    """
    options = options or CampusOptions()
    random = np.random.default_rng(options.seed)
    visits = _presence(random, options)
    n_access_points = options.n_access_points or max(20, 2 * options.n_users // 5)
    campus = draw_map(random, n_access_points)
    people = draw_people(
        random, campus, options.n_users, options.conformity, lifelike=options.lifelike
    )
    location, column = _destinations(random, options, people, campus, visits)
    is_settled = _draw_settled(random, options)[visits.user]
    home = people.places[visits.user, HOME]
    location, column = np.where(is_settled, home, location), np.where(is_settled, HOME, column)
    stays = VisitStays(
        location=location,
        is_home=location == home,
        is_still=is_settled,
        usual=draw_usual(random, options.n_users, visits, column) if options.lifelike else None,
    )
    records = associate(random, campus, visits, stays, options.n_days * DAY_S)
    return _log(random, options, campus, records)


def _presence(random: np.random.Generator, options: CampusOptions) -> Visits:
    """Draw who is online in which block of which day; weekends are quieter."""
    there = random.random((options.n_users, options.n_days, N_BLOCKS), dtype=np.float32)
    weekend = _weekdays(options) >= 5
    eagerness = random.beta(9, 1.5, options.n_users)[:, None]
    coming = eagerness * np.where(weekend, 0.8, 1.0)
    # Days on which a person comes most readily rank first: enough of them ensure the minimum.
    keys = random.random((options.n_users, options.n_days)) / coming
    rank = np.argsort(np.argsort(keys, axis=1), axis=1)
    comes = (keys < 1) | (rank < options.min_active_days)
    online = there < _ONLINE * np.where(weekend, 0.7, 1.0)[:, None]
    # A person who comes must be seen: on days without any block, use the likeliest one.
    online[:, :, N_BLOCKS - 1] |= ~online.any(axis=2)
    return Visits(*np.nonzero(online & comes[:, :, None]))


def _weekdays(options: CampusOptions) -> Ints:
    return (options.first_day.weekday() + np.arange(options.n_days)) % 7


def _destinations(
    random: np.random.Generator,
    options: CampusOptions,
    people: People,
    campus: CampusMap,
    visits: Visits,
) -> tuple[Ints, Ints]:
    """
    Draw where each visit goes: by the timetable, to one of the person's places, or anywhere.

    Returns access points, and which of the person's places each is (`ANYWHERE` for none of them).
    """
    regular = random.beta(*beta_around(options.regularity, _SPREAD), options.n_users)
    weekday = _weekdays(options)[visits.day]
    planned = people.timetable[visits.user, weekday, visits.block]
    liked = draw_columns(random, people.liking, visits.user)
    fate = random.random(len(visits.user))
    by_plan = fate < regular[visits.user]
    column = np.where(by_plan, planned, liked)
    wandering = ~by_plan & (random.random(len(fate)) < _WANDERING)
    chosen = people.places[visits.user, column]
    chosen[wandering] = campus.draw(random, people.quarter[visits.user[wandering]])
    return chosen, np.where(wandering, ANYWHERE, column)


def _draw_settled(random: np.random.Generator, options: CampusOptions) -> NDArray[np.bool_]:
    """Draw whose device stays in their room; only lifelike devices do."""
    if not options.lifelike:
        return np.zeros(options.n_users, dtype=bool)
    settled: NDArray[np.bool_] = random.random(options.n_users) < _SETTLED
    return settled


def _log(
    random: np.random.Generator, options: CampusOptions, campus: CampusMap, records: Records
) -> pa.Table:
    """Return the records as a table in time order, with people under random numbers."""
    midnight = np.datetime64(options.first_day, "s")
    start = np.floor(records.start_s).astype(np.int64)
    end = np.maximum(np.floor(records.end_s).astype(np.int64), start + 1)
    # Numbers are given in random order: a pseudonym reveals nothing about its person.
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
