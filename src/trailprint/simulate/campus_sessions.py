"""
Turn visits into an association log: when a device connects, switches and leaves.

Lifelike devices follow what studies of campus networks report: devices reconnect to the same access
point, hand-offs to a neighbour are short, and people stay as long as they usually do.
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
"""In place of the index of one of a person's places: none of them."""
_CHANGES, _LIFELIKE_CHANGES = 0.8, 0.9
"""Mean number of times a device reconnects during a visit."""
_OTHER_SIDE = 0.2
"""Share of the visits in which the device connects to the neighbour first."""
_OVERNIGHT = 0.5
"""Share of the last visits of a day at home that last until the morning."""
_RECONNECTS = 0.5
"""Share of a lifelike device's changes that go back to the access point it was at."""
_HAND_OFF = 0.1
"""Length of a lifelike device's stay at the neighbour, relative to the stays around it."""
_SHORTEST_S, _LONGEST_S = 180.0, 7_200.0
"""Range of usual stays in seconds; uniform on a log scale."""
_UNUSUAL = 0.25
"""Spread of the stays of one person at one place (sigma of the logarithm)."""
_LEAST_S = 2.0
"""Shortest connection of a lifelike device in seconds: times are logged by the second."""
_MOST_OF_BLOCK = 0.69
"""Longest usual visit, as a share of its block: with starts up to 0.3 into it, none overlap."""


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """One visit per person, day and block they are online in."""

    user: Ints
    day: Ints
    block: Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VisitStays:
    """
    Properties of each visit.

    ``usual`` is how long it lasts by habit, in seconds; None if habits do not matter. A device that
    ``is_still`` stays on one access point, whose signal is always the strongest.
    """

    location: Ints
    is_home: NDArray[np.bool_]
    is_still: NDArray[np.bool_]
    usual: Floats | None


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Associations: user, access point, and start and end in seconds after the first midnight."""

    user: Ints
    location: Ints
    start_s: Floats
    end_s: Floats


def draw_usual(random: np.random.Generator, n_users: int, visits: Visits, column: Ints) -> Floats:
    """Draw how long each visit lasts, as usual for this person at this place."""
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
    """Split each visit into the associations of a device that switches to a neighbour and back."""
    is_lifelike = stays.usual is not None
    start, length = _spans(random, visits, stays)
    length = np.minimum(length, until_s - start)
    n_parts = 1 + random.poisson(_LIFELIKE_CHANGES if is_lifelike else _CHANGES, len(start))
    visit = np.repeat(np.arange(len(start)), n_parts)
    nth = np.arange(len(visit)) - (np.cumsum(n_parts) - n_parts)[visit]
    away = nth % 2 == 1
    if is_lifelike:
        away &= random.random(len(visit)) >= _RECONNECTS
    # A seat may be nearer to the neighbour: which one comes first is drawn for each visit.
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
    """Draw the start and length of each visit in seconds: within its block or overnight."""
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
    """Draw where the parts of each visit end, as shares of it; ``weight`` makes some longer."""
    ends = np.cumsum(weight * (0.2 + random.standard_exponential(len(visit))))
    last = np.cumsum(n_parts) - 1
    before = np.concatenate(([0.0], ends[last[:-1]]))[visit]
    shares: Floats = (ends - before) / (ends[last][visit] - before)
    return shares
