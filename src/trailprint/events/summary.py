"""Summary of the contents of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from trailprint.arguments import check_arguments
from trailprint.display.discreet import Words
from trailprint.display.fact_tables import write_facts
from trailprint.display.tables import ResultTable
from trailprint.errors import in_python
from trailprint.events.events import DUPLICATE_ROWS, Events
from trailprint.events.oddities import describe_oddities
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, open_places
from trailprint.events.results import Makers, Result
from trailprint.progress import Progress, ignore_progress, shows_progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Result):
    """
    Counts, spans and medians of a dataset; unknown values are None.

    ``first`` and ``last`` are the first and last day in ``timezone``, such as ``2024-05-13``.
    ``events`` counts usable rows (or the events they stand for, in a table of counts) after
    filters; ``bad_rows``, ``left_out`` and ``duplicates`` count rows of the source before filters.
    ``advice`` describes suspicious features of the data, and what to do about them.
    """

    _NO_PLOT = "a summary has no chart"

    rows: int
    events: int | float
    users: int
    locations: int
    first: str | None
    last: str | None
    timezone: str
    active_days_median: float | None
    events_per_user_median: float
    locations_per_user_median: float
    bad_rows: Mapping[str, int]
    left_out: Mapping[str, int]
    duplicates: int
    columns: tuple[str, ...]
    notes: tuple[str, ...]
    advice: tuple[str, ...] = ()

    def _shown(self) -> dict[str, object]:
        return {
            "users": self.users,
            "locations": self.locations,
            "events": self.events,
            "first": self.first and Words(self.first),
            "last": self.last and Words(self.last),
        }

    def _makers(self) -> Makers:
        left = {"unusable": self.bad_rows, "left out": self.left_out}
        rows = [
            {"what": what, "reason": reason, "rows": n}
            for what, reasons in left.items()
            for reason, n in reasons.items()
        ]
        return {
            "summary": lambda: ResultTable.from_rows("summary", [self._counts()]),
            "rows_left_out": lambda: ResultTable.from_rows(
                "rows_left_out", rows, ("what", "reason", "rows")
            ),
        }

    def _counts(self) -> dict[str, Any]:
        """Counts, spans and medians, without what is a list."""
        listed = ("bad_rows", "left_out", "columns", "notes", "advice")
        return {name: value for name, value in self.to_dict().items() if name not in listed}

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        return asdict(self)

    def facts(self) -> list[tuple[str, object]]:
        """Return names and values for people, without the notes."""
        return [
            ("rows", self.rows),
            ("events", self.events),
            ("users", self.users),
            ("locations", self.locations),
            ("first day", self.first),
            ("last day", self.last),
            ("active days per user, median", self.active_days_median),
            ("events per user, median", self.events_per_user_median),
            ("locations per user, median", self.locations_per_user_median),
            ("duplicate rows", self.duplicates),
            ("unusable rows", sum(self.bad_rows.values())),
            *((f"  {reason}", n) for reason, n in self.bad_rows.items()),
            *((f"left out: {reason}", n) for reason, n in self.left_out.items()),
        ]

    def _repr_html_(self) -> str:
        return f"<div>{write_facts(self.facts(), (*self.notes, *self.advice))}</div>"


@check_arguments()
@shows_progress
def inspect(
    events: Source,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    progress: Progress | None = None,
) -> Summary:
    """
    Count what is in a dataset.

    Parameters
    ----------
    events : Events, path or table
        Any source that `trailprint.read` accepts, or its result.
    reading : ReadOptions, optional
        How to read a source that is not yet events.
    places : PlaceOptions, optional
        What counts as one place; data with positions only is mapped to a grid of 1,000 m.
    progress : callable, optional
        Called with the current step and the share that is done.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import trailprint as tp
    >>> visits = {"user": ["a", "a", "b"], "location": ["library", "cafe", "library"]}
    >>> summary = tp.inspect(pa.table(visits))
    >>> summary.users, summary.locations, summary.events
    (2, 2, 3)
    """
    (progress or ignore_progress)("Reading", None)
    found = summarise(open_places([events], reading, places)[0], progress)
    notes, advice = (tuple(map(in_python, texts)) for texts in (found.notes, found.advice))
    return replace(found, notes=notes, advice=advice)


def summarise(events: Events, progress: Progress | None = None) -> Summary:
    """Count what is in a dataset that has locations."""
    report = progress or ignore_progress
    report("Counting events", 0.0)
    events.require("location", "Counting locations")
    row = events.engine.row
    counted = (
        f'SELECT "user", location, {events.total_sql()} AS n FROM ({events.query}) GROUP BY ALL'
    )
    total = events.total_sql("n") if "weight" in events.columns else "sum(n)"
    stored = events.engine.materialise(counted, "pairs")
    pairs = f"FROM {stored}"
    n_users, per_user, places_per_user = row(
        f'SELECT count(*), median(n), median(places) FROM (SELECT "user", {total} AS n, '
        f'count(*) AS places FROM ({pairs}) GROUP BY "user")'
    )
    n_events, n_locations = row(f"SELECT {total}, count(DISTINCT location) FROM ({pairs})")
    events.engine.drop(stored)
    report("Counting days", 0.5)
    first, last, active_days = _times(events)
    report("Counting duplicate rows", 0.8)
    return Summary(
        rows=events.tally.rows,
        events=_whole(n_events or 0),
        users=n_users,
        locations=n_locations,
        first=_local_day(events, first),
        last=_local_day(events, last),
        timezone=events.timezone,
        active_days_median=active_days,
        events_per_user_median=float(per_user or 0),
        locations_per_user_median=float(places_per_user or 0),
        bad_rows=dict(events.tally.bad),
        left_out=dict(events.tally.left_out),
        duplicates=count_duplicates(events),
        columns=tuple(sorted(events.columns)),
        notes=events.notes,
        advice=describe_oddities(events),
    )


def _times(events: Events) -> tuple[datetime | None, datetime | None, float | None]:
    if "start" not in events.columns:
        return None, None, None
    last = '"start"'
    if "end" in events.columns:  # A stay until midnight ends the day before.
        last = 'greatest("start", "end" - INTERVAL 1 MICROSECOND)'
    days = f"date_trunc('day', {events.local_start})"
    first, last, active = events.engine.row(
        f'SELECT min(first), max(last), median(days) FROM (SELECT "user", min(first) AS first, '
        f'max(last) AS last, count(*) AS days FROM (SELECT "user", {days} AS day, '
        f'min("start") AS first, max({last}) AS last FROM ({events.query}) GROUP BY ALL) '
        f'GROUP BY "user")'
    )
    return first, last, active


def count_users(events: Events) -> int:
    """Return the number of people with events."""
    return int(events.engine.row(f'SELECT count(DISTINCT "user") FROM ({events.query})')[0])


def count_duplicates(events: Events) -> int:
    """Return how many source rows repeat an earlier row in every column, whether dropped or not."""
    n_dropped = events.tally.left_out.get(DUPLICATE_ROWS, 0)
    if not events.raw_query:
        return n_dropped
    n_rows, n_distinct = events.engine.row(
        f"SELECT coalesce(sum(n), 0), count(*) FROM "
        f"(SELECT row_hash, count(*) AS n FROM ({events.raw_query}) GROUP BY row_hash)"
    )
    return n_dropped + int(n_rows - n_distinct)


def _whole(number: float) -> int | float:
    """Return an integral number as int, if it is within the exact integer range of floats."""
    return int(number) if abs(number) < 2**53 and number == int(number) else float(number)


def _local_day(events: Events, moment: datetime | None) -> str | None:
    """Return a moment's day in the data's time zone; its time would be that of a person's event."""
    if moment is None:
        return None
    literal = f"TIMESTAMP '{moment.isoformat(sep=' ')}'"
    return str(events.engine.row(f"SELECT ({events.to_local(literal)})::DATE")[0])
