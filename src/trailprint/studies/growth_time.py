"""How risk changes with the length of observation (2016 paper, Figure 7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa

from trailprint.errors import OptionError
from trailprint.evaluation.truth import Truth
from trailprint.events.events import Events
from trailprint.features.histograms import HistogramOptions, Histograms
from trailprint.studies.growth_events import (
    HistogramAttack,
    Outcome,
    attack_pair,
    count_pair,
    ids_of,
    only_pairs,
)
from trailprint.studies.people import Progress

Limited = Literal["both", "released", "auxiliary"]

#: Lengths tried unless others are asked for, in days.
_LENGTHS = (1, 2, 3, 5, 7, 14, 28, 56, 91, 182, 364)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOptions:
    """
    Which lengths of observation are tried.

    Attributes
    ----------
    days : tuple of int
        Numbers of days, in growing order; by default from a day on, ever longer, up to all.
    sides : {"both", "released", "auxiliary"}
        Which side is cut short.
    least_people : float
        By default the shortest length is one at which this share of the people on both sides
        has been seen on both: people are the same at all lengths, those seen at the shortest.
    counting : HistogramOptions
        What histograms count.
    """

    days: tuple[int, ...] = ()
    sides: Limited = "both"
    least_people: float = 0.5
    counting: HistogramOptions = field(default_factory=HistogramOptions)

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
class TimeGrowth:
    """Accuracy by days observed; ``why_not`` says why there is none."""

    points: tuple[tuple[int, Outcome], ...] = ()
    n_common: int = 0
    why_not: str | None = None

    def to_dict(self) -> dict[str, Any] | None:
        """Points as plain values; None where the study could not be made."""
        if self.why_not is not None:
            return None
        points = [
            {"x": days, **outcome.to_dict(), "people": outcome.n_people}
            for days, outcome in self.points
        ]
        first, last = points[0], points[-1]
        reading = (
            f"After {_in_days(first['x'])} of observation {first['accuracy']:.0%} are linked "
            f"correctly, after {_in_days(last['x'])} {last['accuracy']:.0%}. The same "
            f"{first['people']:,} people are looked at throughout, of {self.n_common:,} on both "
            "sides: those seen from the shortest length on. A day counts where a side has events."
        )
        return {"points": points, "reading": reading}


def _in_days(n_days: int) -> str:
    return "1 day" if n_days == 1 else f"{n_days:,} days"


class _Cut:
    """Both sides, as they were after some days of observation."""

    def __init__(
        self, sides: tuple[Events, Events], options: TimeOptions, pairs: pa.Table | None
    ) -> None:
        self._sides, self._options, self._pairs = sides, options, pairs
        limited = (options.sides != "auxiliary", options.sides != "released")
        self._ends = [
            _active_days(side) if is_limited else []
            for side, is_limited in zip(sides, limited, strict=True)
        ]

    @property
    def n_days(self) -> int:
        """As many days as the shorter of the sides that are cut has."""
        return min(len(ends) for ends in self._ends if ends)

    def after(self, n_days: int | None) -> tuple[Histograms, Histograms, Truth]:
        """Histograms of the first days on which a side has events; None for all of them."""
        cut = [
            side if n_days is None or not ends else _until(side, ends[n_days - 1])
            for side, ends in zip(self._sides, self._ends, strict=True)
        ]
        return count_pair(cut[0], cut[1], self._options.counting, self._pairs)


def _active_days(events: Events) -> list[str]:
    """Local days on which there are events, in order."""
    day = f"CAST({events.local_start} AS DATE)"
    query = f"SELECT DISTINCT CAST({day} AS VARCHAR) AS day FROM ({events.query}) ORDER BY day"
    return [str(row[0]) for row in events.engine.rows(query)]


def _until(events: Events, day: str) -> Events:
    return events.having(f"CAST({events.local_start} AS DATE) <= DATE '{day}'")


def grow_time(
    attack: HistogramAttack,
    released: Events,
    auxiliary: Events,
    options: TimeOptions | None = None,
    *,
    pairs: pa.Table | None = None,
    progress: Progress | None = None,
) -> TimeGrowth:
    """
    Attack the same people after ever more days of observation.

    ``pairs`` are the ids of true pairs in columns released and auxiliary; by default equal ids
    are taken for equal people. Days are local days on which the side has events, so that a side
    made of every other week is no shorter for its gaps.
    """
    options = options or TimeOptions()
    if not all("start" in side.columns for side in (released, auxiliary)):
        return TimeGrowth(why_not="The data has no times.")
    cut = _Cut((released, auxiliary), options, pairs)
    everybody = ids_of(cut.after(None))
    if len(everybody) < 2:
        return TimeGrowth(why_not="Fewer than two people are on both sides.")
    lengths = _lengths(options.days, cut.n_days)
    start = _first_length(cut, lengths, len(everybody), options)
    if start is None or len(lengths) - start[0] < 2:
        return TimeGrowth(why_not="The data spans too few days to be cut shorter.")
    tell = progress or (lambda what, done: None)
    points = []
    for number, n_days in enumerate(lengths[start[0] :]):
        tell("Observing for fewer days", number / (len(lengths) - start[0]))
        points.append((n_days, attack_pair(attack, only_pairs(cut.after(n_days), start[1]))))
    return TimeGrowth(points=tuple(points), n_common=len(everybody))


def _lengths(asked: tuple[int, ...], n_days: int) -> list[int]:
    """The lengths to try; the last is all there is."""
    chosen = [days for days in asked or _LENGTHS if days < n_days]
    return [*chosen, n_days] if not asked or asked[-1] >= n_days else chosen


def _first_length(
    cut: _Cut, lengths: list[int], n_common: int, options: TimeOptions
) -> tuple[int, pa.Table] | None:
    """Where to start, and who has been seen by then; what was asked for is started with."""
    least = 2 if options.days else max(2, int(np.ceil(options.least_people * n_common)))
    for place, n_days in enumerate(lengths):
        seen = ids_of(cut.after(n_days))
        if len(seen) >= least:
            return place, seen
    return None
