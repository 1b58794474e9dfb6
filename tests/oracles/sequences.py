"""Visits cut at midnights by hand, and what two people's days have in common."""

from __future__ import annotations

import datetime as dt
import math
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise, product
from statistics import fmean
from zoneinfo import ZoneInfo

import numpy as np
import pycrfsuite

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


def count_correct_labels(chain, days, user):
    """Records of a user that have the labels a chain gives their days."""
    hits = 0
    for day in range(days.user_starts[user], days.user_starts[user + 1]):
        records = range(days.day_starts[day], days.day_starts[day + 1])
        contexts = [enumerate(days.context[t] + 1) for t in records]
        states = [sum(chain.state[chain.place[at]] for at in context) for context in contexts]
        found = chain.label[list(best_labels(np.array(states), chain.step))]
        hits += sum(found == days.label[records.start : records.stop])
    return hits


def correct_by_model(released, auxiliary, edges_s):
    """
    Step 4 of the paper's algorithm, with names for everything and no shortcut.

    Auxiliary by released users: correct predictions of each released user's model, trained with
    CRFsuite. ``edges_s`` are the limits between classes of durations, in seconds.
    """
    scores = np.zeros((len(auxiliary.users), len(released.users)), dtype=int)
    for r in range(len(released.users)):
        tagger = _train(released, r, edges_s)
        for a in range(len(auxiliary.users)):
            for day in _days_of(auxiliary, a):
                predicted = tagger.tag([_describe(auxiliary, i, edges_s) for i in day])
                truth = [f"at {auxiliary.location[i]}" for i in day]
                scores[a, r] += sum(p == t for p, t in zip(predicted, truth, strict=True))
    return scores


def _days_of(side, user):
    for first, last in pairwise(side.day_starts()):
        if side.user[first] == user:
            yield range(first, last)


def _describe(side, i, edges_s):
    return [
        f"duration {sum(side.duration_s[i] >= edge for edge in edges_s)}",
        f"weekday {side.weekday[i]}",
        f"slot {side.slot[i]}",
        f"previous {side.previous[i]}",
        f"before {side.next_to_previous[i]}",
        f"next {side.next[i]}",
    ]


def _train(side, user, edges_s):
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for day in _days_of(side, user):
        labels = [f"at {side.location[i]}" for i in day]
        trainer.append([_describe(side, i, edges_s) for i in day], labels)
    with tempfile.NamedTemporaryFile() as file:
        trainer.train(file.name)
        tagger = pycrfsuite.Tagger()
        tagger.open(file.name)
    return tagger
