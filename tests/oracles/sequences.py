"""Visits cut at midnights by hand, and what two people's days have in common."""

from __future__ import annotations

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise, product
from statistics import fmean
from zoneinfo import ZoneInfo

import numpy as np

from trailprint.arrays import Floats

#: A day as places with seconds, in order.
Day = Sequence[tuple[int, float]]


def mean_distance(days: Sequence[Day], other_days: Sequence[Day], n_locations: int) -> float:
    """The mean distance of all pairs of days' time vectors, as a score."""

    def vector(day: Day) -> Floats:
        seconds = np.zeros(n_locations)
        for place, duration in day:
            seconds[place] += duration
        return seconds

    return -fmean(math.dist(vector(mine), vector(theirs)) for mine in days for theirs in other_days)


def chain_likelihood(
    days: Sequence[Day], other_days: Sequence[Day], smoothing: float, n_locations: int
) -> float:
    """The logarithm of ``days`` under the chain of ``other_days``."""

    def moves(some: Sequence[Day]) -> list[tuple[int | None, int]]:
        return [(day[i - 1][0] if i else None, day[i][0]) for day in some for i in range(len(day))]

    seen = moves(other_days)
    total = 0.0
    for origin, target in moves(days):
        n_there = seen.count((origin, target))
        n_from = sum(1 for start, _ in seen if start == origin)
        total += math.log((n_there + smoothing) / (n_from + smoothing * n_locations))
    return total


#: User, location, start, end or None.
Stay = tuple[str, str, dt.datetime, dt.datetime | None]
Visit = tuple[str, dt.date, dt.datetime, float, str, int, int]


def _utc_of(day: dt.date, timezone: str) -> dt.datetime:
    """The instant a local day starts: the later of two midnights, or when clocks skip it."""
    midnight = dt.datetime.combine(day, dt.time(), ZoneInfo(timezone))
    choices = (midnight.replace(fold=fold).astimezone(dt.UTC) for fold in (0, 1))
    return max(choices).replace(tzinfo=None)


def cut_visits(stays: Sequence[Stay], timezone: str) -> list[Visit]:
    """(user, day, begin, duration, location, weekday, slot) cut at local midnights, by hand."""
    zone = ZoneInfo(timezone)
    visits = []
    for user, location, start, end in stays:
        end = end or start
        day = start.replace(tzinfo=dt.UTC).astimezone(zone).date()
        begin = start
        while True:
            next_day = day + dt.timedelta(days=1)
            until = min(end, _utc_of(next_day, timezone))
            local = begin.replace(tzinfo=dt.UTC).astimezone(zone)
            slot = local.hour // 4 if begin == start else 0
            seconds = (until - begin).total_seconds()
            visits.append((user, day, begin, seconds, location, day.weekday(), slot))
            if until >= end:
                break
            begin, day = until, next_day
    return sorted(visits)


def spell_out(stays: Sequence[Stay], timezone: str) -> list[tuple[object, ...]]:
    """Every visit with the places before and after it on its day."""
    days = defaultdict(list)
    for user, day, _, seconds, location, weekday, slot in cut_visits(stays, timezone):
        days[user, day].append((location, seconds, weekday, slot))
    rows: list[tuple[object, ...]] = []
    for (user, day), visits in days.items():
        places = [visit[0] for visit in visits]
        for i, (location, seconds, weekday, slot) in enumerate(visits):
            around = (
                places[i - 1] if i >= 1 else None,
                places[i - 2] if i >= 2 else None,
                places[i + 1] if i + 1 < len(places) else None,
            )
            number = (day - dt.date(1970, 1, 1)).days
            rows.append((user, number, location, seconds, weekday, slot, *around))
    return rows


def best_labels(states: Floats, step: Floats) -> tuple[int, ...]:
    """The labels of a day with the highest sum of states and steps, among all there are."""

    def score(labels: Sequence[int]) -> float:
        own = sum(states[t, label] for t, label in enumerate(labels))
        return float(own + sum(step[pair] for pair in pairwise(labels)))

    n_records, n_labels = states.shape
    return max(product(range(n_labels), repeat=n_records), key=score)
