"""A campus whose timetables differ by weekday: Mondays and Tuesdays of two weeks, starts only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from trailprint.arguments import check_arguments, check_fields
from trailprint.arrays import Ints
from trailprint.errors import OptionError

#: Numbers of people present before nine on both Mondays, before ten on both Mondays, and before
#: ten on both Mondays and both Tuesdays (2013 paper, Table I).
N_BY_NINE, N_BY_TEN, N_BOTH_DAYS = 1154, 2174, 1047
N_ACCESS_POINTS = 934
COHORT_SIZE = 18
ROOMS_A_DAY = 3
ELSEWHERE_SHARE, NEIGHBOUR_SHARE = 0.1, 0.12
MEDIAN_VISITED, SIGMA_VISITED = 9.0, 0.95
BLIP_S = 60.0
_ACCESS_POINTS_A_BUILDING = 23
_FIRST_MONDAY = np.datetime64("2012-03-05T00:00:00", "s")
_DAYS = np.array([0, 1, 7, 8])  # Monday and Tuesday of two weeks.
_HOUR_S, _DAY_S = 3600, 86_400
#: When hall, room, lunch, room and room begin; the first begins when a person arrives.
_BEGINS_S = np.array([8, 10, 12, 13, 15]) * _HOUR_S
_ENDS_S = np.array([10, 12, 13, 15, 17]) * _HOUR_S
_HALL, _LUNCH, _ROOMS = 0, 2, [1, 3, 4]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekdayCampusOptions:
    """
    Number of people.

    Attributes
    ----------
    n_users : int
        People present before ten on both Mondays; 2,174 as in the paper. Smaller groups keep the
        paper's proportions.
    seed : int
        The same seed gives the same campus.

    Examples
    --------
    >>> from trailprint.simulate import WeekdayCampusOptions
    >>> WeekdayCampusOptions().n_users
    2174
    """

    n_users: int = N_BY_TEN
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.n_users < 1:
            raise OptionError(f"n_users must be at least 1, got {self.n_users} instead.")


@check_arguments()
def simulate_weekday_campus(options: WeekdayCampusOptions | None = None) -> pa.Table:
    """
    Simulate a start-only association log: user, location, start.

    People of one cohort share six rooms. Each person spends Mondays in three of them and Tuesdays
    in the others, and the choice differs between people: single days distinguish people, their sum
    does not.

    Parameters
    ----------
    options : WeekdayCampusOptions, optional
        Number of people.

    Examples
    --------
    >>> from trailprint.simulate import WeekdayCampusOptions, simulate_weekday_campus
    >>> simulate_weekday_campus(WeekdayCampusOptions(n_users=20)).column_names
    ['user', 'location', 'start']
    """
    options = options or WeekdayCampusOptions()
    random = np.random.default_rng(options.seed)
    rooms, hall = _timetables(random, options.n_users)
    places = _places(random, rooms, hall)
    arrival = _arrivals(random, options.n_users)
    user, day, second, location = _records(random, places, arrival)
    start = _FIRST_MONDAY + (_DAYS[day] * _DAY_S + second).astype("timedelta64[s]")
    order = np.lexsort((user, start))
    # Numbers are given in random order: a pseudonym reveals nothing about its person.
    people = pa.array([f"device{n:05}" for n in random.permutation(options.n_users)])
    names = pa.array([f"ap{n:04}" for n in range(N_ACCESS_POINTS)])
    return pa.table(
        {
            "user": people.take(pa.array(user[order])),
            "location": names.take(pa.array(location[order])),
            "start": pa.array(start[order].astype("datetime64[us]"), pa.timestamp("us", "UTC")),
        }
    )


def _timetables(random: np.random.Generator, n_users: int) -> tuple[Ints, Ints]:
    """Draw each person's rooms by weekday (Monday, Tuesday) and block, and their cohort's hall."""
    n_cohorts = max(1, round(n_users / COHORT_SIZE))
    n_buildings = -(-N_ACCESS_POINTS // _ACCESS_POINTS_A_BUILDING)
    popularity = np.arange(1.0, n_buildings + 1) ** -0.5
    building = random.choice(
        n_buildings, (n_cohorts, 2 * ROOMS_A_DAY + 1), p=popularity / popularity.sum()
    )
    within = random.integers(0, _ACCESS_POINTS_A_BUILDING, building.shape)
    room = np.minimum(building * _ACCESS_POINTS_A_BUILDING + within, N_ACCESS_POINTS - 1)
    cohort = random.integers(0, n_cohorts, n_users)
    shuffled = random.permuted(room[cohort, 1:], axis=1)
    return shuffled.reshape(n_users, 2, ROOMS_A_DAY), room[cohort, 0]


def _places(random: np.random.Generator, rooms: Ints, hall: Ints) -> Ints:
    """Draw where each person spends the blocks of each of the four days."""
    n_users = len(rooms)
    planned = rooms[:, [0, 1, 0, 1]]
    drifts = random.random(planned.shape) < NEIGHBOUR_SHARE
    planned = np.where(drifts, (planned + 1) % N_ACCESS_POINTS, planned)
    away = random.random(planned.shape) < ELSEWHERE_SHARE
    planned = np.where(away, _popular(random, planned.shape), planned)
    places = np.empty((n_users, len(_DAYS), len(_BEGINS_S)), dtype=np.int64)
    places[:, :, _LUNCH] = _popular(random, (n_users, len(_DAYS)))
    places[:, :, _ROOMS] = planned
    places[:, :, _HALL] = hall[:, None]
    return places


def _popular(random: np.random.Generator, shape: tuple[int, ...]) -> Ints:
    weights = np.arange(1.0, N_ACCESS_POINTS + 1) ** -0.8
    spread = np.random.default_rng(0).permutation(N_ACCESS_POINTS)
    return spread[random.choice(N_ACCESS_POINTS, shape, p=weights / weights.sum())]


def _arrivals(random: np.random.Generator, n_users: int) -> Ints:
    """
    Draw when each person arrives on each of the four days, in seconds after midnight.

    The shares of people who arrive before nine or ten are the paper's.
    """
    by_nine = round(n_users * N_BY_NINE / N_BY_TEN)
    both = round(n_users * N_BOTH_DAYS / N_BY_TEN)
    early = random.integers(8 * _HOUR_S, 9 * _HOUR_S, (n_users, len(_DAYS)))
    later = random.integers(9 * _HOUR_S + 1, 10 * _HOUR_S, (n_users, len(_DAYS)))
    late = random.integers(10 * _HOUR_S + 1, 12 * _HOUR_S, (n_users, len(_DAYS)))
    comes_early = np.arange(n_users) < by_nine
    arrival = np.where(comes_early[:, None] | (random.random(early.shape) < 0.3), early, later)
    # People who do not arrive before nine on both Mondays arrive later on the first.
    arrival[~comes_early, 0] = later[~comes_early, 0]
    is_late = random.permutation(n_users) >= both
    arrival[is_late, 1] = late[is_late, 1]
    return arrival


def _records(
    random: np.random.Generator, places: Ints, arrival: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Draw a record at the start of each block, and short hops to nearby access points and back."""
    n_users, n_days, n_blocks = places.shape
    begins = np.broadcast_to(_BEGINS_S, places.shape).copy()
    begins[:, :, 0] = arrival
    begins[:, :, 1:] += random.integers(0, 600, (n_users, n_days, n_blocks - 1))
    begins = np.maximum(begins, arrival[:, :, None] + np.minimum(np.arange(n_blocks), 1))
    user, day, block = np.indices(places.shape).reshape(3, -1)
    restless = random.lognormal(np.log(MEDIAN_VISITED), SIGMA_VISITED, n_users)
    n_blips = random.poisson(np.maximum(restless - n_blocks, 0.2)[user] / n_blocks)
    which = np.repeat(np.arange(len(user)), n_blips)
    first = begins.reshape(-1)[which]
    room_left = np.maximum(_ENDS_S[block[which]] - first, 1)
    away = (first + 1 + random.random(len(which)) * room_left).astype(np.int64)
    back = away + 1 + random.exponential(BLIP_S, len(which)).astype(np.int64)
    home = places.reshape(-1)
    nearby = home[which] // _ACCESS_POINTS_A_BUILDING * _ACCESS_POINTS_A_BUILDING
    nearby = nearby + random.integers(0, _ACCESS_POINTS_A_BUILDING, len(which))
    return (
        np.concatenate([user, user[which], user[which]]),
        np.concatenate([day, day[which], day[which]]),
        np.concatenate([begins.reshape(-1), away, back]),
        np.concatenate([home, np.minimum(nearby, N_ACCESS_POINTS - 1), home[which]]),
    )
