"""Filters of events: by time, weekday and hour, and by the amount of data of a user or place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trailprint.arguments import Texts, Understood, check_arguments, check_fields, understood
from trailprint.display.numbers import format_exact
from trailprint.errors import InputError, OptionError, spell_option, to_flag
from trailprint.events.events import Events
from trailprint.events.meeting import in_one_engine
from trailprint.events.options import ReadOptions, Window
from trailprint.events.reading.opening import Source, open_source
from trailprint.events.reading.times import check_bound, parse_bound

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: More than thirty years, and small enough to compute with in microseconds.
_LONGEST_S = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterOptions:
    """
    Which events count; every event is selected by its start.

    Attributes
    ----------
    time_range : str, optional
        Only events from A to B, A..B; a date as B is included. Either may be missing.
    weekdays : tuple of str
        Only these weekdays: mon,tue,… Empty for all.
    hours : Window or str, optional
        Only this part of the day in local time, such as 09:00-17:00.
    min_active_days : int
        Minimum number of active days per user.
    min_events : int
        Minimum number of events per user; after a split, on each side.
    max_events : int, optional
        Maximum number of events per user. Leaves out machines and what stands for a missing id.
    top_locations : int, optional
        Only this number of most visited locations.

    Examples
    --------
    >>> import trailprint as tp
    >>> tp.FilterOptions(weekdays=("sat", "sun"), min_active_days=3).weekdays
    ('sat', 'sun')
    """

    time_range: str | None = None
    weekdays: Texts = understood()
    hours: Understood[Window | None, str] = understood(None)
    min_active_days: int = 0
    min_events: int = 0
    max_events: int | None = None
    top_locations: int | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        days = tuple(day.strip().lower()[:3] for day in self.weekdays)
        object.__setattr__(self, "weekdays", days)
        unknown = [day for day in self.weekdays if day not in WEEKDAYS]
        if unknown:
            raise OptionError(
                f"--weekdays must be among {', '.join(WEEKDAYS)}, got {', '.join(unknown)!r}.",
                option="weekdays",
            )
        for name in ("min_active_days", "min_events"):
            if getattr(self, name) < 0:
                raise OptionError(
                    f"{to_flag(name)} must not be negative, got {getattr(self, name)}.",
                    option=spell_option(name),
                )
        if self.time_range is not None:
            split_range(self.time_range)
        if self.max_events is not None and self.max_events < max(1, self.min_events):
            raise OptionError(
                "--max-events must be at least 1 and not below --min-events, got "
                f"{self.max_events}.",
                option="max-events",
            )
        if self.top_locations is not None:
            _check_top_locations(self.top_locations)


def _check_top_locations(number: int) -> None:
    if not 1 <= number < 2**31:
        raise OptionError(
            f"--top-locations must be at least 1 and below 2³¹, got {number}.",
            option="top-locations",
        )


@check_arguments()
def apply_filters(
    events: Source, options: FilterOptions, *, reading: ReadOptions | None = None
) -> Events:
    """
    Apply the filters: first times, then locations, then users.

    Parameters
    ----------
    events : Events, path or table
        Any source that `trailprint.read` accepts, or its result.
    options : FilterOptions
        Which events, locations and users are kept.
    reading : ReadOptions, optional
        How to read sources that are not yet events.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import trailprint as tp
    >>> from trailprint.workflows import apply_filters
    >>> visits = {"user": ["a", "a", "b"], "location": ["library", "cafe", "library"]}
    >>> events = tp.read(pa.table(visits))
    >>> apply_filters(events, tp.FilterOptions(min_events=2)).count()
    2
    """
    kept = events = open_source(events, reading)
    if options.time_range is not None:
        kept = within(kept, options.time_range)
    if options.weekdays:
        kept = on_weekdays(kept, options.weekdays)
    if options.hours is not None:
        kept = at_hours(kept, options.hours)
    if options.top_locations is not None:
        kept = most_visited(kept, options.top_locations)
    if options.min_active_days > 1:
        kept = active_users(kept, options.min_active_days)
    if options.min_events > 1:
        kept = with_enough_events(kept, options.min_events)
    if options.max_events is not None:
        kept = without_crowded_ids(kept, options.max_events)
    if kept is not events and not kept.count():
        raise InputError("At least one event must be left, but the filters leave none.")
    return kept


def range_condition(events: Events, time_range: str) -> str:
    """SQL: whether an event starts within ``A..B``."""
    first, last = split_range(time_range)
    conditions = []
    if first:
        low = parse_bound(events.engine, first, events.to_utc)
        conditions.append(f'"start" >= {low}')
    if last:
        high = parse_bound(events.engine, last, events.to_utc, end_of_day=True)
        conditions.append(f'"start" < {high}')
    return " AND ".join(conditions) or "true"


def split_range(time_range: str) -> tuple[str, str]:
    """Return both ends of ``A..B``, empty if missing; whether they are times is partly checked."""
    first, separator, last = (part.strip() for part in time_range.partition(".."))
    if not separator:
        raise OptionError(
            f"A range must look like 2024-05-01..2024-05-14, got {time_range!r} instead."
        )
    for end in filter(None, (first, last)):
        check_bound(end)
    return first, last


def within(events: Events, time_range: str) -> Events:
    """Return the events that start within ``A..B``."""
    events.require("start", "A range of time")
    return events.having(range_condition(events, time_range), f"Only {time_range}.")


def on_weekdays(events: Events, weekdays: tuple[str, ...]) -> Events:
    """Return the events that start on these weekdays."""
    events.require("start", "A choice of weekdays")
    numbers = ", ".join(str(WEEKDAYS.index(day) + 1) for day in weekdays)
    return events.having(
        f"isodow({events.local_start}) IN ({numbers})", f"Only {', '.join(weekdays)}."
    )


def at_hours(events: Events, window: Window) -> Events:
    """Return the events that start in this part of the day."""
    events.require("start", "A part of the day")
    here = events.local_start
    minute = f"(hour({here}) * 60 + minute({here}))"
    return events.having(
        f"{minute} >= {window.start} AND {minute} < {window.end}", f"Only {window} of each day."
    )


def most_visited(events: Events, n_locations: int) -> Events:
    """Return the events at the locations with the most events."""
    return most_visited_together([events], n_locations)[0]


def most_visited_together(datasets: Sequence[Events], n_locations: int) -> list[Events]:
    """
    Return the events at the locations with the most events in all ``datasets`` together.

    Ties are broken by name, which makes the choice stable.
    """
    _check_top_locations(n_locations)
    counted = []
    datasets = in_one_engine(datasets)
    for events in datasets:
        events.require("location", "A choice of locations")
        counted.append(
            f"SELECT location::VARCHAR AS place, sum({events.weight_sql}) AS n "
            f"FROM ({events.query}) GROUP BY place"
        )
    top = (
        f"SELECT place FROM ({' UNION ALL '.join(counted)}) GROUP BY place "
        f"ORDER BY sum(n) DESC, place LIMIT {n_locations}"
    )
    condition = f"location::VARCHAR IN ({top})"
    note = f"Only the {n_locations} most visited locations."
    return [events.having(condition, note) for events in datasets]


def active_users(events: Events, min_days: int) -> Events:
    """Return the events of users with events on at least ``min_days`` local days."""
    events.require("start", "A number of active days")
    active = (
        f'SELECT "user" FROM (SELECT DISTINCT "user", date_trunc(\'day\', {events.local_start}) '
        f'AS day FROM ({events.query})) GROUP BY "user" HAVING count(*) >= {min_days}'
    )
    return events.having(f'"user" IN ({active})', f"Only users active on {min_days} days or more.")


def with_enough_events(events: Events, min_events: int) -> Events:
    """Return the events of users with at least ``min_events`` events."""
    enough = (
        f'SELECT "user" FROM ({events.query}) GROUP BY "user" '
        f"HAVING sum({events.weight_sql}) >= {min_events}"
    )
    return events.having(f'"user" IN ({enough})', f"Only users with {min_events} events or more.")


def without_crowded_ids(events: Events, max_events: int) -> Events:
    """Return the events of users with at most ``max_events`` events."""
    few = (
        f'SELECT "user" FROM ({events.query}) GROUP BY "user" '
        f"HAVING sum({events.weight_sql}) <= {max_events}"
    )
    return events.having(f'"user" IN ({few})', f"Only users with {max_events:,} events or fewer.")


def lasting(events: Events, seconds: float) -> Events:
    """Return the events that last at least this many seconds."""
    events.require("end", "A least duration")
    if not 0 <= seconds <= _LONGEST_S:
        raise OptionError(
            f"--min-duration must be from 0 to {_LONGEST_S:,} seconds, "
            f"got {format_exact(seconds)} instead.",
            option="min-duration",
        )
    condition = f'epoch_us("end") - epoch_us("start") >= {round(seconds * 1e6)}'
    return events.having(condition, f"Only visits of {format_exact(seconds)} s or more.")
