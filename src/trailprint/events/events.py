"""Events: who was where and when, as a lazy query."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

import pyarrow as pa

from trailprint.display.discreet import Discreet, Words
from trailprint.display.tables import ResultTable
from trailprint.errors import ColumnError
from trailprint.events.engine import Engine, HeldTable, quote_name, quote_text
from trailprint.events.places.lattice import Grid

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Column = Literal["user", "location", "start", "end", "weight", "lat", "lon"]

#: Reason for leaving rows out: they repeat an earlier row, and duplicates were to be dropped.
DUPLICATE_ROWS = "duplicate rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts from reading: all rows, unusable rows by reason, rows left out on purpose."""

    rows: int = 0
    bad: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Events(Discreet):
    """
    A lazy relation of events; nothing is read until a result is needed.

    Attributes
    ----------
    engine : Engine
        The engine that runs the query.
    query : str
        A SELECT giving the ``columns``. ``user`` and ``location`` keep the source's type,
        ``start`` and ``end`` are naive UTC timestamps, ``weight`` is how many events a row
        stands for, ``lat`` and ``lon`` are degrees.
    columns : frozenset of str
        The canonical columns that are present.
    timezone : str
        Time zone of days, weekdays and hours.
    raw_query : str
        The unprocessed rows of the source, for counting exact duplicates.
    tally : Tally
        Counts of rows from reading.
    notes : tuple of str
        What was done to the data, in sentences for people.
    cell_m : float, optional
        Cell size in metres, if locations are cells of a grid.
    stays_last : bool
        Whether every stay was rebuilt with a positive length; other stays may have none.
    carried : tuple of str
        Names of further source columns that are passed through. In the query they are called
        as in `carried_columns`.
    grid : Grid, optional
        The grid, if locations are cells of one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import trailprint as tp
    >>> visits = {"user": ["a", "a", "b"], "location": ["library", "cafe", "library"]}
    >>> events = tp.read(pa.table(visits))
    >>> sorted(events.columns), events.count()
    (['location', 'user'], 3)
    >>> events.having("location = 'library'").count()
    2
    >>> events.to_arrow().column_names
    ['user', 'location']
    """

    engine: Engine
    query: str
    columns: frozenset[Column]
    timezone: str = "UTC"
    raw_query: str = ""
    tally: Tally = Tally()
    notes: tuple[str, ...] = ()
    cell_m: float | None = None
    stays_last: bool = False
    carried: tuple[str, ...] = ()
    grid: Grid | None = None
    #: References to the temporary tables of the queries, which keep them alive.
    tables: tuple[HeldTable, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tables = self.engine.tables_in(self.query, self.raw_query)
        object.__setattr__(self, "tables", tables)

    def _shown(self) -> dict[str, object]:
        return {
            "columns": Words(", ".join(sorted(self.columns))),
            "timezone": Words(self.timezone),
            "rows_read": self.tally.rows,
        }

    def having(self, condition: str, note: str | None = None) -> Events:
        """Return the events for which the SQL ``condition`` holds."""
        return self.derive(f"SELECT * FROM ({self.query}) WHERE {condition}", note)

    def derive(self, query: str, note: str | None = None) -> Events:
        """Return events with the same columns and settings from another query."""
        notes = self.notes if note is None else (*self.notes, note)
        return replace(self, query=query, notes=notes)

    @property
    def carried_columns(self) -> tuple[str, ...]:
        """Names of the passed-through columns in the query."""
        return tuple(f"carried_{place}" for place in range(len(self.carried)))

    def list_columns(self, *, without: Collection[str] = (), table: str = "") -> str:
        """SQL: all columns except ``without``, passed-through columns included."""
        names = [*sorted(self.columns - set(without)), *self.carried_columns]
        return ", ".join(f"{table}{quote_name(name)}" for name in names)

    def require(self, column: Column, purpose: str) -> None:
        """Raise a one-sentence error when ``column`` is missing."""
        if column not in self.columns:
            there = ", ".join(sorted("count" if c == "weight" else c for c in self.columns))
            option = f"{'count' if column == 'weight' else column}-column"
            raise ColumnError(
                f"{purpose} needs a column {column!r}, but the data has only: {there}. "
                f"Name it with --{option}, or choose another way.",
                option=option,
            )

    @property
    def local_start(self) -> str:
        """SQL: the start of an event as wall-clock time in ``timezone``."""
        return self.to_local('"start"')

    def to_local(self, instant: str) -> str:
        """SQL: a naive UTC timestamp as wall-clock time in ``timezone``."""
        if self.timezone == "UTC":
            return instant
        return f"timezone({quote_text(self.timezone)}, timezone('UTC', {instant}))"

    def to_utc(self, wall_clock: str) -> str:
        """SQL: a wall-clock time in ``timezone`` as a naive UTC timestamp."""
        if self.timezone == "UTC":
            return wall_clock
        return f"timezone('UTC', timezone({quote_text(self.timezone)}, {wall_clock}))"

    @property
    def weight_sql(self) -> str:
        """SQL: how many events a row stands for."""
        return "weight" if "weight" in self.columns else "1"

    def total_sql(self, amount: str = "weight") -> str:
        """
        SQL: how many events a group stands for; ``amount`` is what each row adds.

        Fractions are added in a fixed order; otherwise the last digit would depend on threads.
        """
        is_counted = "weight" in self.columns
        return f"sum({amount} ORDER BY {amount})::DOUBLE" if is_counted else "count(*)"

    def to_arrow(self) -> pa.Table:
        """
        Return the events as an Arrow table, which holds ids of people.

        It has the columns that writing the events to Parquet gives; times have their zone, so that
        `trailprint.read` reads the same events again.
        """
        return self.engine.arrow(self.table_sql(zoned=True))

    def table_sql(self, *, zoned: bool) -> str:
        """SQL: the canonical columns in order; times with their zone or as text, in UTC."""
        chosen = []
        for column in get_args(Column):
            if column not in self.columns:
                continue
            name = quote_name(column)
            if column in ("start", "end"):
                with_zone = f"timezone('UTC', {name})"
                text = f"strftime({name}, '%Y-%m-%dT%H:%M:%S.%fZ')"
                chosen.append(f"{with_zone if zoned else text} AS {name}")
            else:
                chosen.append(f"{name} AS count" if column == "weight" else name)
        return f"SELECT {', '.join(chosen)} FROM ({self.query})"

    def to_pandas(self) -> pd.DataFrame:
        """Return the events as a pandas frame, which holds ids of people, as `to_arrow` does."""
        return self._as_table().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the events as a polars frame, which holds ids of people, as `to_arrow` does."""
        return self._as_table().to_polars()

    def _as_table(self) -> ResultTable:
        return ResultTable("events", self.to_arrow(), is_private=True)

    def count(self) -> int:
        """Return the number of rows."""
        return int(self.engine.row(f"SELECT count(*) FROM ({self.query})")[0])

    def bring_here(self) -> Events:
        """Return the same events in the memory of this process, if they may be on Spark."""
        with self.engine.brought_here(self.query) as query:
            return replace(self, query=query)

    def keep_there(self) -> Events:
        """Return the same events; on Spark, materialised lazily unless their source already is."""
        if not self.engine.is_on_spark or self.engine.tables_in(self.query):
            return self
        return self.materialise()

    def is_empty(self) -> bool:
        """Return whether there are no events, without counting all of them."""
        return not self.engine.rows(f"SELECT 1 FROM ({self.query}) LIMIT 1")

    def materialise(self) -> Events:
        """Return events that read the stored result of the query; run it unless it is stored."""
        if self.engine.holds(self.query):
            return self
        with self.engine.table(self.query, "events") as name:
            return replace(self, query=f"FROM {name}")
