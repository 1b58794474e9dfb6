"""How risk changes with the length of observation (2016 paper, Figure 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.progress import Progress
from trailprint.studies.growth.events import (
    PeopleFound,
    attack_pair,
    find_people,
    only_pairs,
    prepare_pair,
)
from trailprint.studies.growth.findings import TimeGrowth, TimePoint
from trailprint.studies.repeated import Prepare
from trailprint.studies.small_counts import describe_rate

Limited = Literal["both", "released", "auxiliary"]
Ints = NDArray[np.int64]

_DAY = "day_number"

_SIDES = {"both": "each side", "released": "the released side", "auxiliary": "the auxiliary side"}
#: Default lengths of observation, in days.
_LENGTHS = (1, 2, 3, 5, 7, 14, 28, 56, 91, 182, 364)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOptions:
    """
    Which lengths of observation are tried.

    Attributes
    ----------
    days : tuple of int
        Numbers of days, in ascending order; by default increasing lengths from one day on.
    sides : {"both", "released", "auxiliary"}
        Which side is truncated.
    least_people : float
        Share of the people on both sides who must reach the default longest length. The same
        people are used at all lengths: those who reach the longest.
    """

    days: tuple[int, ...] = ()
    sides: Limited = "both"
    least_people: float = 0.5

    def __post_init__(self) -> None:
        if any(day < 1 for day in self.days) or list(self.days) != sorted(set(self.days)):
            raise OptionError(f"days must be whole and grow, got {self.days!r}. Try 1, 7, 28.")
        if self.sides not in get_args(Limited):
            raise OptionError(
                f"sides must be one of {', '.join(get_args(Limited))}, got {self.sides!r} instead."
            )
        if not 0 <= self.least_people <= 1:
            raise OptionError(
                f"least_people must be a share from 0 to 1, got {self.least_people!r} instead."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeStudy(Discreet):
    """Accuracy by days observed; ``why_not`` says why it is missing."""

    points: tuple[tuple[int, PeopleFound], ...] = ()
    n_common: int = 0
    sides: Limited = "both"
    why_not: str | None = None

    def to_finding(self) -> TimeGrowth | None:
        """Return the points for publication, or None if the study was not possible."""
        if self.why_not is not None:
            return None
        points = tuple(_make_point(days, found) for days, found in self.points)
        return TimeGrowth(points=points, reading=self._read())

    def _read(self) -> str:
        (shortest, first), (longest, last) = self.points[0], self.points[-1]
        return (
            f"After {_in_days(shortest)} of observation {describe_rate(first.rate)} are linked "
            f"correctly, after {_in_days(longest)} {describe_rate(last.rate)}. Days are each "
            "person's own, counted from their first day with events. The same "
            f"{first.n_people:,} people are looked at throughout, of {self.n_common:,} on both "
            f"sides: those with at least {_in_days(longest)} on {_SIDES[self.sides]}."
        )


def _make_point(n_days: int, found: PeopleFound) -> TimePoint:
    rate = found.rate
    return TimePoint(
        x=n_days,
        people=found.n_people,
        accuracy=rate.accuracy,
        low=rate.low,
        high=rate.high,
        at_most=rate.at_most,
    )


def _in_days(n_days: int) -> str:
    return "1 day" if n_days == 1 else f"{n_days:,} days"


class _Cut:
    """Both sides, truncated to the first days of each person."""

    def __init__(self, sides: tuple[Events, Events], options: TimeOptions) -> None:
        self._is_limited = (options.sides != "auxiliary", options.sides != "released")
        self._sides = [
            _number_days(side) if is_limited else side
            for side, is_limited in zip(sides, self._is_limited, strict=True)
        ]

    def after(self, n_days: int | None) -> tuple[Events, Events]:
        """Return each person's first ``n_days`` days with events; None keeps all."""
        first, second = (
            side if n_days is None or not is_limited else side.having(f"{_DAY} <= {n_days}")
            for side, is_limited in zip(self._sides, self._is_limited, strict=True)
        )
        return first, second

    def count_days(self, ids: pa.Table) -> Ints:
        """Number of days of each person on both sides: the minimum over the truncated sides."""
        counted = [
            _days_of(side, ids[name])
            for side, is_limited, name in zip(
                self._sides, self._is_limited, ("released", "auxiliary"), strict=True
            )
            if is_limited
        ]
        fewest: Ints = np.minimum.reduce(counted)
        return fewest


def _number_days(events: Events) -> Events:
    """Add the index of each event's local day among the person's own days with events."""
    day = f"CAST({events.local_start} AS DATE)"
    number = f'dense_rank() OVER (PARTITION BY "user" ORDER BY {day})'
    return events.derive(f"SELECT *, {number} AS {_DAY} FROM ({events.query})").materialise()


def _days_of(events: Events, users: pa.ChunkedArray) -> Ints:
    """Number of days with events of each of the given users."""
    query = f'SELECT "user" AS id, max({_DAY}) AS days FROM ({events.query}) GROUP BY "user"'
    found = events.engine.arrow(query)
    place = pc.index_in(users.cast(found["id"].type), value_set=found["id"].combine_chunks())
    days: Ints = found["days"].take(place).to_numpy().astype(np.int64)
    return days


def list_usual_shares(released: Events, auxiliary: Events) -> list[float]:
    """Estimate the shares of a median person's days that `grow_time` tries, without running it."""
    sides = released, auxiliary
    if not all("start" in side.columns for side in sides):
        return []
    usual = min(map(_count_usual_days, sides))
    lengths = [length for length in _LENGTHS if length < usual]
    return [length / usual for length in (*lengths, usual)] if lengths else []


def _count_usual_days(events: Events) -> int:
    """Median number of days with events per person."""
    days = f"count(DISTINCT CAST({events.local_start} AS DATE))"
    per_person = f'SELECT {days} AS days FROM ({events.query}) GROUP BY "user"'
    return int(events.engine.row(f"SELECT coalesce(median(days), 0) FROM ({per_person})")[0])


def grow_time(
    prepare: Prepare,
    released: Events,
    auxiliary: Events,
    options: TimeOptions | None = None,
    *,
    pairs: pa.Table | None = None,
    progress: Progress | None = None,
) -> TimeStudy:
    """
    Attack the same people after increasing numbers of days of observation.

    ``pairs`` are the ids of true pairs in columns released and auxiliary; by default equal ids
    are the same person. A day is a local day on which the person has events on that side, counted
    from their own first: "14 days" means 14 for every person, whenever they start and whatever
    gaps a split leaves. People with fewer days than the longest length are left out.
    """
    options = options or TimeOptions()
    if not all("start" in side.columns for side in (released, auxiliary)):
        return TimeStudy(why_not="The data has no times.")
    cut = _Cut((released, auxiliary), options)
    everybody = find_people(*cut.after(None), pairs)
    if len(everybody) < 2:
        return TimeStudy(why_not="Fewer than two people are on both sides.")
    days = cut.count_days(everybody)
    lengths = _lengths(days, options)
    if len(lengths) < 2:
        return TimeStudy(why_not="People have too few days with events to be observed for fewer.")
    people = everybody.filter(pa.array(days >= lengths[-1]))
    report = progress or (lambda what, done: None)
    points = []
    for number, n_days in enumerate(lengths):
        report("Observing for fewer days", number / len(lengths))
        ready = prepare_pair(prepare, *cut.after(n_days), pairs)
        points.append((n_days, attack_pair(only_pairs(ready, people))))
    return TimeStudy(points=tuple(points), n_common=len(everybody), sides=options.sides)


def _lengths(days: Ints, options: TimeOptions) -> list[int]:
    """Lengths to try, up to one that enough people reach; two people suffice for given lengths."""
    least = 2 if options.days else max(2, int(np.ceil(options.least_people * len(days))))
    longest = int(np.sort(days)[-least])
    chosen = [length for length in options.days or _LENGTHS if length <= longest]
    return chosen if options.days or longest in chosen else [*chosen, longest]
