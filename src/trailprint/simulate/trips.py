"""Trips along streets, as a receiver records them: bursts of fixes with errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.simulate.city import CITY_M
from trailprint.simulate.grouped_draws import number_within

STREET_M = 700.0
"""Metres between streets, which run east and north."""
SPEED_M_S, SIGMA_SPEED = 6.0, 0.7
STAY_S, SIGMA_STAY = 130.0, 0.5
"""Seconds of recording after arrival."""
INTERVAL_S, SIGMA_INTERVAL = 30.0, 0.6
"""Seconds between fixes; constant within a trip."""
MOST_FIXES = 1_500
TRIP_ERROR_M, FIX_ERROR_M = 30.0, 8.0
"""Error of a whole trip in metres (another gate, another side of the road, bad reception), and the
additional error of each fix."""
WILD_SHARE, WILD_ERROR_M = 0.03, 150.0
"""Share of fixes among high buildings, and their error in metres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trips:
    """Origins and destinations in metres east and north; ``right_turn`` is a traveller's habit."""

    origin: Floats
    destination: Floats
    right_turn: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixes:
    """Fixes in the order of trips: ``after_s`` seconds after their trip's start at (x, y)."""

    trip: Ints
    after_s: Floats
    x: Floats
    y: Floats
    length_s: Floats


def record_trips(rng: np.random.Generator, trips: Trips) -> Fixes:
    """Record fixes of every trip at its own pace and interval, until a while after arrival."""
    n_trips = len(trips.origin)
    x, y = _routes(trips)
    leg = np.hypot(np.diff(x, axis=1), np.diff(y, axis=1))
    walked = np.concatenate([np.zeros((n_trips, 1)), np.cumsum(leg, axis=1)], axis=1)
    speed = SPEED_M_S * np.exp(rng.normal(0, SIGMA_SPEED, n_trips))
    stay = STAY_S * np.exp(rng.normal(0, SIGMA_STAY, n_trips))
    interval = INTERVAL_S * np.exp(rng.normal(0, SIGMA_INTERVAL, n_trips))
    n_fixes = np.minimum(1 + (walked[:, -1] / speed + stay) // interval, MOST_FIXES)
    trip, number = number_within(n_fixes.astype(np.int64))
    after_s = number * interval[trip]
    along = np.minimum(after_s * speed[trip], walked[trip, -1])
    nth = np.minimum(np.count_nonzero(along[:, None] >= walked[trip, 1:], axis=1), leg.shape[1] - 1)
    part = np.clip((along - walked[trip, nth]) / np.maximum(leg[trip, nth], 1e-9), 0, 1)
    error = _errors(rng, trip, n_trips)
    return Fixes(
        trip=trip,
        after_s=after_s,
        x=_between(x, trip, nth, part) + error[:, 0],
        y=_between(y, trip, nth, part) + error[:, 1],
        length_s=(n_fixes - 1) * interval,
    )


def _routes(trips: Trips) -> tuple[Floats, Floats]:
    """Return corners of each route: to the nearest street, along it, up, along, to the door."""
    (from_x, from_y), (to_x, to_y) = trips.origin.T, trips.destination.T
    turn_x = _to_street(np.where(trips.right_turn, from_x, to_x))
    first, second = _to_street(from_y), _to_street(to_y)
    x = np.stack([from_x, from_x, turn_x, turn_x, to_x, to_x], axis=1)
    y = np.stack([from_y, first, first, second, second, to_y], axis=1)
    return x, y


def _to_street(metres: Floats) -> Floats:
    street: Floats = np.round(metres / STREET_M) * STREET_M
    return street


def _errors(rng: np.random.Generator, trip: Ints, n_trips: int) -> Floats:
    """Draw the error of each fix: the trip's error plus its own."""
    spread = np.where(rng.random(trip.size) < WILD_SHARE, WILD_ERROR_M, FIX_ERROR_M)
    own: Floats = rng.normal(0, TRIP_ERROR_M, (n_trips, 2))[trip]
    return own + rng.normal(0, 1, (trip.size, 2)) * spread[:, None]


def _between(corner: Floats, trip: Ints, nth: Ints, part: Floats) -> Floats:
    """Return the position on the nth leg, clipped to the city."""
    begin, end = corner[trip, nth], corner[trip, nth + 1]
    inside: Floats = np.clip(begin + part * (end - begin), 0, CITY_M)
    return inside
