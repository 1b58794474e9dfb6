"""
From visits to what an access point logs: when a device connects, changes over and leaves.

The lifelike kind follows what studies of campus networks report: devices connect again to where
they were, hand-offs to a neighbour are short, and people stay as long as they usually do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.simulate.campus_map import CampusMap
from trailprint.simulate.campus_people import BLOCK_HOURS, BLOCK_LENGTHS, N_BLOCKS, N_PLACES

DAY_S = 86_400
ANYWHERE = -1
"""Instead of one of a person's places: somewhere they just happened to go."""
_CHANGES, _LIFELIKE_CHANGES = 0.8, 0.9
"""Mean number of times a device connects again during a visit."""
_OTHER_SIDE = 0.2
"""Of the visits, those where the device takes the neighbour first."""
_OVERNIGHT = 0.5
"""Of the last visits of a day at home, those that last until the morning."""
_RECONNECTS = 0.5
"""Of a lifelike device's changes, those back to the access point it was at."""
_HAND_OFF = 0.1
"""How long a lifelike device stays at the neighbour, of what it stays before and after."""
_SHORTEST_S, _LONGEST_S = 180.0, 7_200.0
"""Usual stays lie between these, evenly by logarithm."""
_UNUSUAL = 0.25
"""How much stays of one person at one place differ (sigma of the logarithm)."""
_LEAST_S = 2.0
"""No connection of a lifelike device is shorter: times are logged by the second."""
_MOST_OF_BLOCK = 0.69
"""The next visit may start three tenths into its block: nobody is at two places at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """One visit per person, day and block they are online in."""

    user: Ints
    day: Ints
    block: Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VisitStays:
    """
    What is known of each visit.

    ``usual`` is how long it lasts by habit, in seconds; None where habits do not matter. A device
    that ``is_still`` stays on one access point, which it always hears best.
    """

    location: Ints
    is_home: NDArray[np.bool_]
    is_still: NDArray[np.bool_]
    usual: Floats | None


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Associations: who, where, and from when to when in seconds after the first midnight."""

    user: Ints
    location: Ints
    start_s: Floats
    end_s: Floats


def draw_usual(random: np.random.Generator, n_users: int, visits: Visits, column: Ints) -> Floats:
    """How long each visit lasts if it goes as usual for this person at this place."""
    habit = random.random((n_users, N_PLACES))
    share = np.where(column == ANYWHERE, random.random(len(column)), habit[visits.user, column])
    spread = np.log(_LONGEST_S / _SHORTEST_S)
    length = np.log(_SHORTEST_S) + spread * share
    length += _UNUSUAL * random.standard_normal(len(share))
    usual: Floats = np.exp(length)
    return usual


def associate(
    random: np.random.Generator,
    campus: CampusMap,
    visits: Visits,
    stays: VisitStays,
    until_s: float,
) -> Records:
    """Cut each visit into the associations of a device that changes over and back."""
    is_lifelike = stays.usual is not None
    start, length = _spans(random, visits, stays)
    length = np.minimum(length, until_s - start)
    n_parts = 1 + random.poisson(_LIFELIKE_CHANGES if is_lifelike else _CHANGES, len(start))
    visit = np.repeat(np.arange(len(start)), n_parts)
    nth = np.arange(len(visit)) - (np.cumsum(n_parts) - n_parts)[visit]
    away = nth % 2 == 1
    if is_lifelike:
        away &= random.random(len(visit)) >= _RECONNECTS
    # A seat may be nearer to the other one: which comes first is drawn for each visit.
    swapped = (random.random(len(start)) < _OTHER_SIDE)[visit] ^ away
    away, swapped = away & ~stays.is_still[visit], swapped & ~stays.is_still[visit]
    place = stays.location[visit]
    weight = np.where(away & is_lifelike, _HAND_OFF, 1.0)
    least = _LEAST_S if is_lifelike else 0.0
    shared_out = (length - least * n_parts)[visit]
    end = start[visit] + _cut(random, visit, n_parts, weight) * shared_out + least * (nth + 1)
    return Records(
        user=visits.user[visit],
        location=np.where(swapped, campus.neighbour[place], place),
        start_s=np.where(nth == 0, start[visit], np.roll(end, 1)),
        end_s=end,
    )


def _spans(random: np.random.Generator, visits: Visits, stays: VisitStays) -> tuple[Floats, Floats]:
    """When each visit starts and how long it lasts, in seconds: within its block or overnight."""
    block_s = BLOCK_LENGTHS[visits.block] * 3600.0
    start = visits.day * DAY_S + BLOCK_HOURS[visits.block] * 3600.0
    start = start + random.random(len(start)) * 0.3 * block_s
    length = (0.1 + 0.58 * random.random(len(start))) * block_s
    if stays.usual is not None:
        length = np.minimum(stays.usual, _MOST_OF_BLOCK * block_s)
    overnight = (visits.block == N_BLOCKS - 1) & stays.is_home
    overnight &= random.random(len(start)) < _OVERNIGHT
    length = np.where(overnight, 7 * 3600.0 + 1800.0 * random.random(len(start)), length)
    return start, length


def _cut(random: np.random.Generator, visit: Ints, n_parts: Ints, weight: Floats) -> Floats:
    """Where the parts of each visit end, as shares of it; ``weight`` makes some longer."""
    ends = np.cumsum(weight * (0.2 + random.standard_exponential(len(visit))))
    last = np.cumsum(n_parts) - 1
    before = np.concatenate(([0.0], ends[last[:-1]]))[visit]
    shares: Floats = (ends - before) / (ends[last][visit] - before)
    return shares
