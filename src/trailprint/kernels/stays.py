"""Stays: runs of position fixes within a radius of their first fix."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Floats, Ints
from trailprint.kernels.compiling import njit

#: Mean radius of the Earth in metres, as in scikit-mobility and trackintel.
EARTH_M = 6_371_000.0


class StayRule(NamedTuple):
    """Limits of a stay: radius in metres from its first fix, and times in microseconds."""

    radius_m: float
    least_us: int
    gap_us: int
    longest_us: int


class OpenRun(NamedTuple):
    """
    The current run, which the next fix may belong to.

    ``place`` holds the first fix and the sums of the others' offsets from it (latitude, longitude,
    two sums, in degrees); ``clock`` holds the first and the last time and the number of fixes.
    """

    place: Floats
    clock: Ints


class Stays(NamedTuple):
    """Stays that have ended: a row number of the person, start, end and mean position."""

    row: Ints
    start: Ints
    end: Ints
    lat: Floats
    lon: Floats


def no_run() -> OpenRun:
    """Return the state before the first fix."""
    return OpenRun(np.zeros(4), np.zeros(3, np.int64))


def room_for_stays(number: int) -> Stays:
    """Return arrays with room for ``number`` stays."""
    times = np.empty((3, number), np.int64)
    return Stays(times[0], times[1], times[2], np.empty(number), np.empty(number))


@njit(cache=True, nogil=True)
def distance_m(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Return the great-circle distance in metres of two positions (haversine). Cost: constant."""
    phi, other_phi = math.radians(lat), math.radians(other_lat)
    a = math.sin((other_phi - phi) / 2.0) ** 2
    a += math.cos(phi) * math.cos(other_phi) * math.sin(math.radians(other_lon - lon) / 2.0) ** 2
    return 2.0 * EARTH_M * math.asin(min(1.0, math.sqrt(a)))


@njit(cache=True, nogil=True)
def _wrap(degrees: float) -> float:
    """Return an angle wrapped to between -180 and 180 degrees. Cost: constant."""
    return degrees - 360.0 * math.floor((degrees + 180.0) / 360.0)


@njit(cache=True, nogil=True)
def _begin(run: OpenRun, time: int, lat: float, lon: float) -> None:
    """Start a run with a fix. Cost: constant."""
    run.place[0], run.place[1], run.place[2], run.place[3] = lat, lon, 0.0, 0.0
    run.clock[0], run.clock[1], run.clock[2] = time, time, 1


@njit(cache=True, nogil=True)
def end_run(run: OpenRun, end: int, row: int, rule: StayRule, out: Stays, n_out: int) -> int:
    """End a run and store it if it is a stay.

    Meaning: returns the number of stays afterwards; ``row`` identifies the person. Cost: constant.
    """
    n_fixes = run.clock[2]
    if n_fixes == 0 or end - run.clock[0] < rule.least_us:
        return n_out
    out.row[n_out] = row
    out.start[n_out] = run.clock[0]
    out.end[n_out] = end
    out.lat[n_out] = run.place[0] + run.place[2] / n_fixes
    out.lon[n_out] = _wrap(run.place[1] + run.place[3] / n_fixes)
    return n_out + 1


@njit(cache=True, nogil=True)
def find_stays(
    is_first: npt.NDArray[np.bool_],
    time: Ints,
    lat: Floats,
    lon: Floats,
    rule: StayRule,
    run: OpenRun,
    out: Stays,
) -> int:
    """Find stays in fixes sorted by person and time; return how many have ended.

    Meaning: a run ends at the first fix outside the radius, which starts the next run, or at the
    last fix before a gap, before another person, or before it gets too long. Shapes: one entry per
    fix; ``run`` continues from earlier fixes; a stay's row is that of its last fix, -1 if that was
    an earlier one. ``out`` has room for one stay more than fixes. Cost: linear.
    """
    n_out = 0
    for i in range(time.size):
        silence = time[i] - run.clock[1]
        if is_first[i] or silence > rule.gap_us or time[i] - run.clock[0] > rule.longest_us:
            n_out = end_run(run, run.clock[1], i - 1, rule, out, n_out)
            _begin(run, time[i], lat[i], lon[i])
        elif distance_m(run.place[0], run.place[1], lat[i], lon[i]) > rule.radius_m:
            n_out = end_run(run, time[i], i - 1, rule, out, n_out)
            _begin(run, time[i], lat[i], lon[i])
        else:
            run.place[2] += lat[i] - run.place[0]
            run.place[3] += _wrap(lon[i] - run.place[1])
            run.clock[1] = time[i]
            run.clock[2] += 1
    return n_out
