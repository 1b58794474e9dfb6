"""
Kinds of views: what each counts for a person, and which columns it needs.

`trailprint.features.views` declares the views of these kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import pyarrow as pa

from trailprint.errors import InputError
from trailprint.events.events import Column, Events
from trailprint.events.places.grid import GridOptions, extent, to_cells, truncate_names
from trailprint.events.places.lattice import CELL_NAME
from trailprint.features.histograms import count_by_location
from trailprint.features.options import HistogramOptions, Slots, Weight

Tables = tuple[pa.Table, pa.Table]

#: Separators of hierarchical names, and the minimum share of names that must have one.
_SEPARATORS = ("/", ".", ":", "-")
_HIERARCHICAL = 0.9
#: A number larger than the columns of any grid.
_ROW = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """
    One kind of histogram of people.

    Attributes
    ----------
    name : str
        Its name in options and results.
    title : str
        What it counts, as a readable label.
    needs : frozenset of str
        Columns without which it cannot be built.
    """

    name: str
    title: str
    needs: frozenset[Column] = frozenset({"location"})

    #: Whether keys hold no place, so that nearly all people share them.
    is_rhythm: ClassVar[bool] = False

    def lacks(self, sides: Sequence[Events]) -> str | None:
        """Return why the view cannot be built from these datasets; None if it can."""
        missing = sorted(self.needs - frozenset.intersection(*(side.columns for side in sides)))
        return f"needs {' and '.join(missing)} on both sides" if missing else None

    def count(self, released: Events, auxiliary: Events) -> Tables:
        """Count both sides: tables of user, keys (``location``, ``band``, ``then``) and n."""
        return self._count(released), self._count(auxiliary)

    def _count(self, events: Events) -> pa.Table:
        return count_by_location(events, HistogramOptions())


@dataclass(frozen=True, slots=True, kw_only=True)
class Places(View):
    """Locations by visits, seconds or balanced days; with slots, per slot of local time."""

    weight: Weight = "visits"
    slots: Slots = "none"

    def _count(self, events: Events) -> pa.Table:
        weight = self.weight
        if self.slots != "none" and "end" in events.columns:
            weight = "duration"
        return count_by_location(events, HistogramOptions(weight=weight, slots=self.slots))


@dataclass(frozen=True, slots=True, kw_only=True)
class DaysPresent(View):
    """Locations by the number of local days on which the person was there."""

    def _count(self, events: Events) -> pa.Table:
        day = f"date_trunc('day', {events.local_start})"
        return events.engine.arrow(
            f'SELECT "user", location, count(DISTINCT {day}) AS n FROM ({events.query}) '
            "GROUP BY ALL"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceHours(View):
    """Locations per hour of the local day; weighted by seconds if events have ends."""

    def _count(self, events: Events) -> pa.Table:
        weight: Weight = "duration" if "end" in events.columns else "visits"
        options = HistogramOptions(weight=weight)
        return count_by_location(events, options, band=f"hour({events.local_start})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves(View):
    """Pairs of different locations visited one after the other on one local day."""

    def _count(self, events: Events) -> pa.Table:
        day = f"date_trunc('day', {events.local_start})"
        # One window per user is faster than one per user and day.
        return events.engine.arrow(
            'SELECT "user", location, "then", count(*) AS n FROM ('
            f'SELECT "user", location, {day} AS own_day, lead(location) OVER next_one AS "then", '
            f"lead({day}) OVER next_one AS next_day "
            f"FROM ({events.query}) WHERE {events.weight_sql} > 0 "
            'WINDOW next_one AS (PARTITION BY "user" ORDER BY "start", location)) '
            'WHERE location IS DISTINCT FROM "then" AND "then" IS NOT NULL '
            "AND own_day IS NOT DISTINCT FROM next_day GROUP BY ALL"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm(View):
    """Hours of the local day, or of the local week, regardless of location."""

    of_week: bool = False
    is_rhythm: ClassVar[bool] = True

    def _count(self, events: Events) -> pa.Table:
        here = events.local_start
        hour = f"24 * (isodow({here}) - 1) + hour({here})" if self.of_week else f"hour({here})"
        return events.engine.arrow(
            f'SELECT "user", {hour} AS band, {events.total_sql()} AS n FROM ({events.query}) '
            "GROUP BY ALL"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar(View):
    """Locations per calendar day or hour: for two sources about the same period."""

    unit: Literal["day", "hour"]

    def _count(self, events: Events) -> pa.Table:
        band = f"date_diff('{self.unit}', TIMESTAMP '2000-01-01', {events.local_start})"
        return count_by_location(events, HistogramOptions(), band=band)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells(View):
    """Square cells of ``cell_m`` metres, laid over the extent of both sides."""

    cell_m: float

    def lacks(self, sides: Sequence[Events]) -> str | None:
        """Return why not: no positions, or data already on larger cells; None if possible."""
        now = max(side.cell_m or 0.0 for side in sides)
        if now > self.cell_m:
            return f"finer than the cells of {now:g} m that the data is on"
        return View.lacks(self, sides)

    def count(self, released: Events, auxiliary: Events) -> Tables:
        """Count both sides over one grid."""
        frame = extent([released, auxiliary])
        options = GridOptions(cell_m=self.cell_m)
        placed = [to_cells(side, options, frame=frame) for side in (released, auxiliary)]
        return self._count(placed[0]), self._count(placed[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class NearbyCells(Cells):
    """
    Square cells, smoothed over their eight neighbours.

    A quarter of a count stays, an eighth goes to each adjacent cell and a sixteenth to each
    diagonal one. A position that moves across a border still looks similar, and the closer two
    cells are, the more they overlap.
    """

    def _count(self, events: Events) -> pa.Table:
        n = events.total_sql()
        cell = f"regexp_extract(location, '{CELL_NAME}', ['column', 'row'])"
        counted = f'SELECT "user", {cell} AS cell, {n} AS n FROM ({events.query}) GROUP BY ALL'
        key = f'(cell."row"::BIGINT + north) * {_ROW} + cell."column"::BIGINT + east'
        # The factors are whole numbers, so that sums do not depend on the order.
        shared = "n * (2 - abs(east)) * (2 - abs(north))"
        steps = "(VALUES (-1), (0), (1))"
        return events.engine.arrow(
            f'SELECT "user", {key} AS band, sum({shared} ORDER BY {shared}) AS n '
            f"FROM ({counted}), {steps} x(east), {steps} y(north) GROUP BY ALL"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortNames(View):
    """The first ``levels`` parts of hierarchical names such as ``building/floor/room``."""

    levels: int

    def lacks(self, sides: Sequence[Events]) -> str | None:
        """Return why not: too few names have more than ``levels`` parts; None if possible."""
        return View.lacks(self, sides) or (
            None if self._separator(sides) else "needs hierarchical names of locations"
        )

    def count(self, released: Events, auxiliary: Events) -> Tables:
        """Count both sides with shorter names."""
        separator = self._separator((released, auxiliary))
        if separator is None:
            raise InputError(f"The view {self.name} needs hierarchical names of locations.")
        short = [truncate_names(side, self.levels, separator) for side in (released, auxiliary)]
        return self._count(short[0]), self._count(short[1])

    def _separator(self, sides: Sequence[Events]) -> str | None:
        """The separator that occurs at least ``levels`` times in nearly all names, if any."""
        shares = zip(*(_shares_of_deep_names(side, self.levels) for side in sides), strict=True)
        found = zip(_SEPARATORS, shares, strict=True)
        return next((separator for separator, own in found if min(own) >= _HIERARCHICAL), None)


def _shares_of_deep_names(events: Events, levels: int) -> list[float]:
    """For each separator, the share of names with more than ``levels`` parts."""
    n_parts = (f"len(string_split(CAST(location AS VARCHAR), '{one}'))" for one in _SEPARATORS)
    shares = ", ".join(f"avg(CAST({n} > {levels} AS INTEGER))" for n in n_parts)
    found = events.engine.row(
        f"SELECT {shares} FROM (SELECT DISTINCT location FROM ({events.query}))"
    )
    return [0.0 if share is None else float(share) for share in found]
