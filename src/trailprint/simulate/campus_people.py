"""The people of a campus: where they live, which classes they take, what they like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.simulate.campus_map import HALL, OTHER, SHARED, TEACHING, CampusMap

#: Start hour and length in hours of each block of a day.
BLOCK_HOURS = np.array([7, 9, 11, 12, 14, 16, 18, 20, 22])
BLOCK_LENGTHS = np.array([2, 2, 1, 2, 2, 2, 2, 2, 2])
N_BLOCKS = len(BLOCK_HOURS)
_CLASS_BLOCKS = np.array([1, 2, 4, 5])
_LUNCH, _EVENING, _LAST = 3, 6, 8
#: Classes meet on Monday, Wednesday and Friday, or on Tuesday and Thursday.
_CLASS_DAYS = np.array([[1, 0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0, 0]], dtype=bool)
_PEOPLE_PER_PROGRAMME = 40
_CLASSES_PER_PROGRAMME = 6
_CLASSES_TAKEN = 3
_PEOPLE_PER_CIRCLE = 6
_SPREAD = 4.0
_DAILY = 0.7
"""Share of the blocks of a lifelike week that are the same on every day."""

#: Columns of ``People.places``; classes and then personal places follow.
HOME, MEAL, STUDY, FIRST_CLASS = range(4)
N_PERSONAL = 3
N_PLACES = FIRST_CLASS + _CLASSES_TAKEN + N_PERSONAL
_LIKINGS = np.array([2.0, 0.6, 0.6, *[0.2] * _CLASSES_TAKEN, *[0.5] * N_PERSONAL])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """
    The fixed traits of each person.

    Attributes
    ----------
    places : ndarray of int64, (n_users, N_PLACES)
        Their access points: home, where they eat and study, classes, personal places.
    timetable : ndarray of int64, (n_users, 7, N_BLOCKS)
        Which of their places they plan for each block of the week.
    liking : ndarray of float64, (n_users, N_PLACES)
        How often they go to each place without a plan; rows sum to one.
    quarter : ndarray of int64, (n_users,)
        The part of the campus they stay in.
    """

    places: Ints
    timetable: Ints
    liking: Floats
    quarter: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Housing:
    """The quarter and the hall of each programme, and whether people are lifelike."""

    quarter: Ints
    hall: Ints
    is_lifelike: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Traits:
    """Traits of people or of circles: places, classes, likings, and weeks without classes."""

    places: Ints
    taken: Ints
    liking: Floats
    free: Ints


def draw_people(
    random: np.random.Generator,
    campus: CampusMap,
    n_users: int,
    conformity: float,
    *,
    lifelike: bool = False,
) -> People:
    """
    Draw people who share halls, classes and habits with others, and so resemble them.

    The people of a programme take three of its six classes, and many of them live in one hall.
    Programmes have circles of friends. Each person takes a share of their traits from their circle,
    on average ``conformity``; the others are their own. With ``lifelike``, most blocks are the same
    on every day, a hall belongs to one programme, and people who live elsewhere live in another
    programme's hall: a campus with few people then has as many people per home access point as a
    full one.
    """
    n_programmes = max(campus.n_quarters, round(n_users / _PEOPLE_PER_PROGRAMME))
    n_circles = max(n_programmes, round(n_users / _PEOPLE_PER_CIRCLE))
    quarter = np.arange(n_programmes) % campus.n_quarters
    hall = campus.building[campus.draw(random, quarter, HALL)]
    if lifelike:
        hall = _even_halls(random, campus, quarter)
    housing = _Housing(quarter, hall, lifelike)
    circle = random.integers(0, n_circles, n_users)
    programme = (np.arange(n_circles) % n_programmes)[circle]
    shared = _draw_traits(random, campus, housing, np.arange(n_circles) % n_programmes)
    own = _draw_traits(random, campus, housing, programme)
    conforms = random.beta(*beta_around(conformity, _SPREAD), n_users)
    traits = _mix(random, own, shared, circle, conforms)
    rooms = campus.draw(random, np.repeat(quarter, _CLASSES_PER_PROGRAMME), TEACHING)
    days, blocks = _class_times(random, n_programmes)
    places, timetable = traits.places, traits.free
    places[:, FIRST_CLASS : FIRST_CLASS + _CLASSES_TAKEN] = rooms[traits.taken]
    for nth in range(_CLASSES_TAKEN):
        user, weekday = np.nonzero(_CLASS_DAYS[days[traits.taken[:, nth]]])
        timetable[user, weekday, blocks[traits.taken[user, nth]]] = FIRST_CLASS + nth
    return People(
        places=places, timetable=timetable, liking=traits.liking, quarter=quarter[programme]
    )


def beta_around(mean: float, spread: float) -> tuple[float, float]:
    """Return parameters of a Beta distribution with this mean; smaller ``spread`` is wider."""
    return spread * mean + 1e-9, spread * (1 - mean) + 1e-9


def _draw_traits(
    random: np.random.Generator, campus: CampusMap, housing: _Housing, programme: Ints
) -> _Traits:
    """Draw traits for each entry of ``programme``."""
    quarter = housing.quarter[programme]
    n = len(programme)
    places = np.empty((n, N_PLACES), dtype=np.int64)
    places[:, HOME] = _homes(random, campus, housing, programme)
    places[:, MEAL] = campus.draw(random, quarter, SHARED)
    places[:, STUDY] = campus.draw(random, quarter, SHARED)
    places[:, -N_PERSONAL:] = campus.draw(random, np.repeat(quarter[:, None], N_PERSONAL, axis=1))
    liking = random.gamma(_LIKINGS, size=(n, N_PLACES)) + 1e-9
    liking /= liking.sum(axis=1, keepdims=True)
    taken = _classes(random, programme)
    free = _free_weeks(random, liking)
    if housing.is_lifelike:
        free = _repeat_days(random, free)
    return _Traits(places, taken, liking, free)


def _mix(
    random: np.random.Generator, own: _Traits, shared: _Traits, circle: Ints, conforms: Floats
) -> _Traits:
    """Take each trait at random from the circle or from the person's own."""

    def either(mine: Ints, ours: Ints) -> Ints:
        is_shared = random.random(mine.shape) < conforms.reshape(-1, *[1] * (mine.ndim - 1))
        return np.where(is_shared, ours[circle], mine)

    return _Traits(
        places=either(own.places, shared.places),
        taken=either(own.taken, shared.taken),
        liking=conforms[:, None] * shared.liking[circle] + (1 - conforms[:, None]) * own.liking,
        free=either(own.free, shared.free),
    )


def _homes(
    random: np.random.Generator, campus: CampusMap, housing: _Housing, programme: Ints
) -> Ints:
    """Draw homes: half in the programme's hall, the others in any hall of the quarter."""
    if housing.is_lifelike:
        # Programmes are assigned to quarters in turn, so these steps stay in one quarter.
        n_quarters = campus.n_quarters
        n_alike = -(-(len(housing.hall) - housing.quarter[programme]) // n_quarters)
        step = (random.random(len(programme)) * n_alike).astype(np.int64)
        apart = _rooms(random, campus, housing.hall[housing.quarter[programme] + step * n_quarters])
    else:
        apart = campus.draw(random, housing.quarter[programme], HALL)
        if not np.any(campus.kind == HALL):
            return apart
    together = _rooms(random, campus, housing.hall[programme])
    return np.where(random.random(len(programme)) < 0.5, together, apart)


def _rooms(random: np.random.Generator, campus: CampusMap, building: Ints) -> Ints:
    """Draw an access point of each building."""
    first = np.searchsorted(campus.building, building)
    n_rooms = np.searchsorted(campus.building, building, side="right") - first
    rooms: Ints = first + (random.random(len(building)) * n_rooms).astype(np.int64)
    return rooms


def _even_halls(random: np.random.Generator, campus: CampusMap, quarter: Ints) -> Ints:
    """Assign each programme its own building; buildings are shared if there are too few."""
    building, first = np.unique(campus.building, return_index=True)
    is_housing = np.isin(campus.kind[first], (HALL, OTHER))
    if not all(np.any(is_housing[campus.quarter[first] == each]) for each in np.unique(quarter)):
        is_housing[:] = True
    building, where = building[is_housing], campus.quarter[first][is_housing]
    order = np.lexsort((random.random(len(building)), where))
    begin = np.searchsorted(where[order], quarter)
    n_there = np.searchsorted(where[order], quarter, side="right") - begin
    nth = np.arange(len(quarter)) // campus.n_quarters
    halls: Ints = building[order][begin + nth % n_there]
    return halls


def _class_times(random: np.random.Generator, n_programmes: int) -> tuple[Ints, Ints]:
    """Draw the day pattern and block of each class; a programme's classes never collide."""
    slots = np.argsort(random.random((n_programmes, 2 * len(_CLASS_BLOCKS))), axis=1)
    slots = slots[:, :_CLASSES_PER_PROGRAMME].ravel()
    return slots % 2, _CLASS_BLOCKS[slots // 2]


def _classes(random: np.random.Generator, programme: Ints) -> Ints:
    """Draw the numbers of the classes that each person takes."""
    keys = random.random((len(programme), _CLASSES_PER_PROGRAMME)) * np.linspace(
        1, 2, _CLASSES_PER_PROGRAMME
    )
    chosen = np.argsort(keys, axis=1)[:, :_CLASSES_TAKEN]
    return programme[:, None] * _CLASSES_PER_PROGRAMME + chosen


def _free_weeks(random: np.random.Generator, liking: Floats) -> Ints:
    """Draw weeks without classes: meals, evenings at home, the rest by each person's likings."""
    n_users = len(liking)
    timetable = draw_columns(random, liking, np.repeat(np.arange(n_users), 7 * N_BLOCKS))
    timetable = timetable.reshape(n_users, 7, N_BLOCKS)
    timetable[:, :, [0, _LAST]] = HOME
    timetable[:, :, _LUNCH] = MEAL
    studies = random.random((n_users, 7)) < 0.4
    timetable[:, :, _EVENING] = np.where(studies, STUDY, timetable[:, :, _EVENING])
    return timetable


def _repeat_days(random: np.random.Generator, weeks: Ints) -> Ints:
    """Make most blocks of a week the same as those of one usual day."""
    usual = random.random(weeks.shape) < _DAILY
    return np.where(usual, weeks[:, :1], weeks)


def draw_columns(random: np.random.Generator, shares: Floats, rows: Ints) -> Ints:
    """Draw one column for each of ``rows``, by the shares of its row, which sum to one."""
    ladder = np.cumsum(shares, axis=1).ravel() + np.repeat(np.arange(len(shares)), shares.shape[1])
    drawn = np.searchsorted(ladder, rows + random.random(len(rows)), side="right")
    columns: Ints = np.clip(drawn - rows * shares.shape[1], 0, shares.shape[1] - 1)
    return columns
