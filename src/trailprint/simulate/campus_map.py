"""The map of a simulated campus: buildings with floors, floors with access points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Floats, Ints

HALL, TEACHING, SHARED, OTHER = range(4)
#: Kinds of ten consecutive buildings: halls of residence, teaching buildings, one shared library
#: or dining hall, and others.
_KINDS = np.array(
    [SHARED, HALL, TEACHING, HALL, TEACHING, OTHER, HALL, TEACHING, HALL, OTHER], dtype=np.int64
)
_MEAN_SIZE = 8.5
_BUILDINGS_PER_QUARTER = 170
_MOST_ON_A_FLOOR = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CampusMap:
    """
    Access points, numbered consecutively within buildings and floors.

    Attributes
    ----------
    building, floor, serial : ndarray of int64
        The three parts of each access point's name, from 1.
    kind : ndarray of int64
        Use of its building.
    quarter : ndarray of int64
        Part of the campus it is in, from 0: people mostly stay in theirs.
    popularity : ndarray of float64
        Probability that a person without a plan goes there.
    neighbour : ndarray of int64
        The access point next to it on its floor; itself if it is alone.
    """

    building: Ints
    floor: Ints
    serial: Ints
    kind: Ints
    quarter: Ints
    popularity: Floats
    neighbour: Ints

    @property
    def n_quarters(self) -> int:
        """Number of quarters."""
        return int(self.quarter[-1]) + 1

    def draw(self, random: np.random.Generator, quarters: Ints, kind: int | None = None) -> Ints:
        """
        Draw one access point in each of ``quarters``, by popularity.

        With ``kind``, only in buildings of that kind, unless the campus is too small to have any.
        """
        among = np.arange(len(self.kind))
        if kind is not None and np.any(self.kind == kind):
            among = np.flatnonzero(self.kind == kind)
        ladder = np.cumsum(self.popularity[among])
        # Each quarter's cumulative sums begin where those of the previous quarter end.
        ends = np.searchsorted(self.quarter[among], np.arange(self.n_quarters), side="right")
        rungs = np.concatenate(([0.0], ladder))[np.concatenate(([0], ends))]
        low, high = rungs[quarters], rungs[quarters + 1]
        height = low + random.random(quarters.shape) * (high - low)
        step = np.searchsorted(ladder, height, side="right")
        # Rounding may push a draw past the last access point of its quarter.
        found: Ints = among[np.minimum(step, ends[quarters] - 1)]
        return found

    def names(self) -> list[str]:
        """Return the names of the access points, as ``building.floor.ap``."""
        parts = zip(self.building, self.floor, self.serial, strict=True)
        return [f"{building}.{floor}.{serial}" for building, floor, serial in parts]


def draw_map(random: np.random.Generator, n_access_points: int) -> CampusMap:
    """
    Draw a map with the given number of access points.

    Buildings differ in size and popularity, and so do the access points within one: popularity is
    that of the building times its own.
    """
    sizes = _sizes(random, n_access_points)
    n_buildings = len(sizes)
    building = np.repeat(np.arange(n_buildings), sizes)
    place = np.arange(n_access_points) - (np.cumsum(sizes) - sizes)[building]
    per_floor = random.integers(2, _MOST_ON_A_FLOOR + 1, n_buildings)[building]
    floor, serial = place // per_floor, place % per_floor
    kind = _KINDS[np.arange(n_buildings) % len(_KINDS)]
    appeal = random.lognormal(0, 1, n_buildings) * np.where(kind == SHARED, 12.0, 1.0)
    popularity = (appeal / sizes)[building] * random.lognormal(0, 0.8, n_access_points)
    return CampusMap(
        building=building + 1,
        floor=floor + 1,
        serial=serial + 1,
        kind=kind[building],
        quarter=_quarters(n_buildings)[building],
        popularity=popularity / popularity.sum(),
        neighbour=_neighbours(building, floor),
    )


def _sizes(random: np.random.Generator, n_access_points: int) -> Ints:
    """Draw the access points per building: a few large buildings, many small ones."""
    n_buildings = max(1, round(n_access_points / _MEAN_SIZE))
    share = random.gamma(2.0, size=n_buildings)
    ends = np.round(np.cumsum(share / share.sum()) * (n_access_points - n_buildings))
    sizes: Ints = np.diff(ends, prepend=0).astype(np.int64) + 1
    return sizes


def _quarters(n_buildings: int) -> Ints:
    """Assign buildings to quarters of about equal size, each with buildings of all kinds."""
    n_quarters = max(1, round(n_buildings / _BUILDINGS_PER_QUARTER))
    return np.arange(n_buildings) * n_quarters // n_buildings


def _neighbours(building: Ints, floor: Ints) -> Ints:
    """Pair access points on a floor: 1 and 2, 3 and 4; an odd last one gets the one before it."""
    n = len(building)
    number = np.arange(n)
    joined = (np.diff(building) == 0) & (np.diff(floor) == 0)
    has_left = np.concatenate(([False], joined))
    has_right = np.concatenate((joined, [False]))
    group = np.cumsum(~has_left) - 1
    first = np.flatnonzero(~has_left)[group]
    is_even = (number - first) % 2 == 0
    neighbour = np.where(is_even & has_right, number + 1, number)
    return np.where((neighbour == number) & has_left, number - 1, neighbour)
