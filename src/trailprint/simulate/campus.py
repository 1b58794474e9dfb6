"""A campus that never was: people with weekly timetables, seen at access points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.errors import OptionError

_BLOCK_S = 7200
_BLOCKS = np.arange(7, 23, 2)  # A visit may start at seven, at nine, … at nine in the evening.
_DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class CampusOptions:
    """
    How large a campus, and how regular its people.

    Attributes
    ----------
    n_users, n_days, n_access_points : int
        People, days from a Monday on, and access points (``building.floor.ap``).
    regularity : float
        How often people are where their timetable has them.
    seed : int
        Same seed, same campus.
    """

    n_users: int = 300
    n_days: int = 28
    n_access_points: int = 240
    regularity: float = 0.75
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("n_users", "n_days", "n_access_points"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} must be at least 1, got {getattr(self, name)} instead.")
        if not 0 <= self.regularity <= 1:
            raise OptionError(f"regularity must be within 0 and 1, got {self.regularity} instead.")


def simulate_campus(options: CampusOptions | None = None) -> pa.Table:
    """
    Simulate an association log: user, location, start, end.

    Each person has a home and five places drawn by popularity, and a weekly timetable of them;
    each two-hour block of a day is spent by the timetable, at one of the own places, or anywhere.
    """
    options = options or CampusOptions()
    random = np.random.default_rng(options.seed)
    places = _places(random, options)
    timetable = random.integers(0, places.shape[1], (options.n_users, 7, len(_BLOCKS)))
    user, day, block = _presence(random, options)
    chosen = places[user, timetable[user, day % 7, block]]
    fate = random.random(len(user))
    own = places[user, random.integers(0, places.shape[1], len(user))]
    chosen = np.where(fate < options.regularity, chosen, own)
    anywhere = fate > 1 - 0.4 * (1 - options.regularity)
    chosen[anywhere] = _popular(random, options, int(anywhere.sum()))
    return _log(random, options, (user, day, block, chosen))


def _presence(
    random: np.random.Generator, options: CampusOptions
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Who is on campus in which block of which day; weekends are quiet."""
    eagerness = random.beta(6, 2, options.n_users)[:, None]
    weekend = np.isin(np.arange(options.n_days) % 7, (5, 6))
    comes = random.random((options.n_users, options.n_days)) < eagerness * np.where(weekend, 0.4, 1)
    there = random.random((options.n_users, options.n_days, len(_BLOCKS))) < 0.7
    user, day, block = np.nonzero(there & comes[:, :, None])
    return user, day, block


def _places(random: np.random.Generator, options: CampusOptions) -> NDArray[np.int64]:
    """Each person's home and five other places, popular ones more often."""
    n_own = min(6, options.n_access_points)
    # Gumbel keys: the largest of log-weight plus noise are a draw without replacement.
    keys = np.log(_popularity(options)) + random.gumbel(
        size=(options.n_users, options.n_access_points)
    )
    return np.argsort(-keys, axis=1)[:, :n_own]


def _popularity(options: CampusOptions) -> NDArray[np.float64]:
    return np.arange(1.0, options.n_access_points + 1) ** -0.7


def _popular(random: np.random.Generator, options: CampusOptions, n: int) -> NDArray[np.int64]:
    weights = _popularity(options)
    return random.choice(options.n_access_points, n, p=weights / weights.sum())


def _log(
    random: np.random.Generator,
    options: CampusOptions,
    visits: tuple[NDArray[np.int64], ...],
) -> pa.Table:
    user, day, block, chosen = visits
    monday = np.datetime64("2024-03-04T00:00:00", "s")
    late = random.integers(0, 1500, len(user))
    length = random.integers(600, _BLOCK_S - 1500, len(user))
    start = monday + (day * _DAY_S + _BLOCKS[block] * 3600 + late).astype("timedelta64[s]")
    names = pa.array([f"{n // 24 + 1}.{n // 8 % 3 + 1}.{n % 8 + 1}" for n in _all(options)])
    # Numbers given in a drawn order: a pseudonym tells nothing about its person.
    people = pa.array([f"user{n:05}" for n in random.permutation(options.n_users)])
    order = np.lexsort((user, start))
    table = pa.table(
        {
            "user": people.take(pa.array(user)),
            "location": names.take(pa.array(chosen)),
            "start": pa.array(start.astype("datetime64[us]"), pa.timestamp("us", "UTC")),
            "end": pa.array(
                (start + length.astype("timedelta64[s]")).astype("datetime64[us]"),
                pa.timestamp("us", "UTC"),
            ),
        }
    )
    return table.take(pa.array(order))


def _all(options: CampusOptions) -> range:
    return range(options.n_access_points)
