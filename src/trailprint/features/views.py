"""
Views: several histograms of the same people, each over keys of its own.

A view is one look at people: how often they are where, on how many days, at which hours, in which
order. Each is declared once, as a `View` in `VIEWS`: its name, what it needs, and the relation
that counts its keys. Whatever the data cannot give is left out and said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from trailprint.arrays import Ints
from trailprint.display.discreet import Discreet, Words
from trailprint.errors import InputError, OptionError
from trailprint.events.events import Column, Events
from trailprint.events.places.grid import GridOptions, extent, to_cells, truncate_names
from trailprint.features.histograms import count_by_location
from trailprint.features.ids import encode, encode_together
from trailprint.features.options import HistogramOptions, Slots, Weight

Tables = tuple[pa.Table, pa.Table]

#: Separators of hierarchical names, and the share of names that must have one.
_SEPARATORS = ("/", ".", ":", "-")
_HIERARCHICAL = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """
    One look at people.

    Attributes
    ----------
    name : str
        As options and results name it.
    title : str
        What it counts, for people.
    needs : frozenset of str
        Columns without which it cannot be built.
    """

    name: str
    title: str
    needs: frozenset[Column] = frozenset({"location"})

    #: Keys hold no place, so that nearly everybody shares them.
    is_rhythm: ClassVar[bool] = False

    def lacks(self, sides: Sequence[Events]) -> str | None:
        """Why the view cannot be built from these datasets; None if it can."""
        missing = sorted(self.needs - frozenset.intersection(*(side.columns for side in sides)))
        return f"needs {' and '.join(missing)} on both sides" if missing else None

    def count(self, released: Events, auxiliary: Events) -> Tables:
        """Both sides as tables of user, keys (``location``, ``band``, ``then``) and n."""
        return self._count(released), self._count(auxiliary)

    def _count(self, events: Events) -> pa.Table:
        return count_by_location(events, HistogramOptions())


@dataclass(frozen=True, slots=True, kw_only=True)
class Places(View):
    """Locations by visits, seconds or balanced days; with slots, in each slot of local time."""

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
    """Locations in each hour of the local day, by seconds where there are ends."""

    def _count(self, events: Events) -> pa.Table:
        weight: Weight = "duration" if "end" in events.columns else "visits"
        options = HistogramOptions(weight=weight)
        return count_by_location(events, options, band=f"hour({events.local_start})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves(View):
    """Pairs of different locations visited one after the other on one local day."""

    def _count(self, events: Events) -> pa.Table:
        day = f"date_trunc('day', {events.local_start})"
        order = f'PARTITION BY "user", {day} ORDER BY "start", location'
        weight = events.weight_sql
        return events.engine.arrow(
            'SELECT "user", location, "then", count(*) AS n FROM ('
            f'SELECT "user", location, lead(location) OVER ({order}) AS "then" '
            f"FROM ({events.query}) WHERE {weight} > 0) "
            'WHERE location IS DISTINCT FROM "then" AND "then" IS NOT NULL GROUP BY ALL'
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm(View):
    """Hours of the local day, or of the local week, wherever the person was."""

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
    """Locations on each calendar day or in each calendar hour: for two sources of one period."""

    unit: Literal["day", "hour"]

    def _count(self, events: Events) -> pa.Table:
        band = f"date_diff('{self.unit}', TIMESTAMP '2000-01-01', {events.local_start})"
        return count_by_location(events, HistogramOptions(), band=band)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells(View):
    """Square cells of ``cell_m`` metres, laid over the extent of both sides."""

    cell_m: float

    def lacks(self, sides: Sequence[Events]) -> str | None:
        """Whether there are positions, and no larger cells that they were put on."""
        now = max(side.cell_m or 0.0 for side in sides)
        if now > self.cell_m:
            return f"finer than the cells of {now:g} m that the data is on"
        return View.lacks(self, sides)

    def count(self, released: Events, auxiliary: Events) -> Tables:
        """Both sides over one grid."""
        frame = extent([released, auxiliary])
        options = GridOptions(cell_m=self.cell_m)
        placed = [to_cells(side, options, frame=frame) for side in (released, auxiliary)]
        return self._count(placed[0]), self._count(placed[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortNames(View):
    """The first ``levels`` parts of hierarchical names such as ``building/floor/room``."""

    levels: int

    def lacks(self, sides: Sequence[Events]) -> str | None:
        """Whether names have more parts than are kept, on both sides."""
        return View.lacks(self, sides) or (
            None if self._separator(sides) else "needs hierarchical names of locations"
        )

    def count(self, released: Events, auxiliary: Events) -> Tables:
        """Both sides with shorter names."""
        separator = self._separator((released, auxiliary))
        if separator is None:
            raise InputError(f"The view {self.name} needs hierarchical names of locations.")
        short = [truncate_names(side, self.levels, separator) for side in (released, auxiliary)]
        return self._count(short[0]), self._count(short[1])

    def _separator(self, sides: Sequence[Events]) -> str | None:
        """The separator that nearly all names have more than ``levels - 1`` times."""
        for separator in _SEPARATORS:
            if all(_share_of_deep_names(e, separator, self.levels) >= _HIERARCHICAL for e in sides):
                return separator
        return None


def _share_of_deep_names(events: Events, separator: str, levels: int) -> float:
    name = "CAST(location AS VARCHAR)"
    n_parts = f"len(string_split({name}, '{separator}'))"
    share = events.engine.row(
        f"SELECT avg(CAST({n_parts} > {levels} AS INTEGER)) "
        f"FROM (SELECT DISTINCT location FROM ({events.query}))"
    )[0]
    return 0.0 if share is None else float(share)


_TIMES: frozenset[Column] = frozenset({"location", "start"})
_STAYS: frozenset[Column] = frozenset({"location", "start", "end"})
_POSITIONS: frozenset[Column] = frozenset({"lat", "lon"})

VIEWS: Mapping[str, View] = {
    view.name: view
    for view in (
        Places(name="visits", title="places by visits"),
        Places(name="duration", title="places by time spent", needs=_STAYS, weight="duration"),
        DaysPresent(name="days", title="places by days present", needs=_TIMES),
        Places(
            name="day-balanced", title="places, each day alike", needs=_TIMES, weight="day-balanced"
        ),
        Places(name="four-hours", title="places by part of day", needs=_TIMES, slots="four-hour"),
        PlaceHours(name="hours", title="places by hour", needs=_TIMES),
        Places(name="weekend", title="places by weekend", needs=_TIMES, slots="weekend"),
        Places(name="weekdays", title="places by weekday", needs=_TIMES, slots="weekday"),
        Moves(name="moves", title="moves between places", needs=_TIMES),
        Rhythm(name="hour-of-day", title="hours of the day", needs=frozenset({"start"})),
        Rhythm(
            name="hour-of-week", title="hours of the week", needs=frozenset({"start"}), of_week=True
        ),
        Cells(name="cells-300m", title="cells of 300 m", needs=_POSITIONS, cell_m=300.0),
        Cells(name="cells-1km", title="cells of 1 km", needs=_POSITIONS, cell_m=1_000.0),
        Cells(name="cells-3km", title="cells of 3 km", needs=_POSITIONS, cell_m=3_000.0),
        ShortNames(name="names-1", title="first part of names", levels=1),
        ShortNames(name="names-2", title="first two parts of names", levels=2),
    )
}
"""The views of habits, by name."""

SAME_PERIOD_VIEWS: Mapping[str, View] = {
    view.name: view
    for view in (
        Calendar(name="calendar-days", title="places by date", needs=_TIMES, unit="day"),
        Calendar(name="calendar-hours", title="places by date and hour", needs=_TIMES, unit="hour"),
    )
}
"""Views that mean something only where both sides saw the same days."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Views(Discreet):
    """
    Several histograms of the same people, side by side.

    Attributes
    ----------
    views : tuple of View
        What the matrices show, in the order of `VIEWS`.
    matrices : tuple of scipy.sparse.csr_array
        People by keys; every row that is not empty sums to one.
    users : pyarrow.Array of string
        Who the rows are, in the order of histograms.
    left_out : mapping
        Views that were asked for and could not be built, and why.
    """

    views: tuple[View, ...]
    matrices: tuple[sparse.csr_array, ...]
    users: pa.Array
    left_out: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the views."""
        return tuple(view.name for view in self.views)

    @property
    def n_users(self) -> int:
        """Number of people."""
        return len(self.users)

    @property
    def n_locations(self) -> int:
        """Number of locations, or of cells, that the first view tells apart."""
        return int(self.matrices[0].shape[1])

    @property
    def n_keys(self) -> dict[str, int]:
        """Number of keys of each view."""
        return {
            view.name: int(matrix.shape[1])
            for view, matrix in zip(self.views, self.matrices, strict=True)
        }

    @property
    def records(self) -> sparse.csr_array:
        """Everything the views show, side by side: people with equal rows look the same."""
        return sparse.hstack(self.matrices, format="csr")

    def select(self, rows: Ints) -> Views:
        """Some of the people, in the order given."""
        return replace(
            self,
            matrices=tuple(matrix[rows] for matrix in self.matrices),
            users=self.users.take(pa.array(rows)),
        )

    def _shown(self) -> Mapping[str, object]:
        return {"n_users": self.n_users, "views": Words("+".join(self.names))}


def choose_views(names: Sequence[str] | None, *, same_period: bool = False) -> tuple[View, ...]:
    """The views of these names in their usual order; all of them if none is named."""
    known = {**VIEWS, **(SAME_PERIOD_VIEWS if same_period else {})}
    if names is None:
        return tuple(known.values())
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        got = repr(unknown[0]) if unknown else "none"
        raise OptionError(f"views must be all or some of {', '.join(known)}, got {got} instead.")
    return tuple(view for name, view in known.items() if name in names)


def find_views(
    sides: Sequence[Events], names: Sequence[str] | None, *, same_period: bool = False
) -> tuple[tuple[View, ...], dict[str, str]]:
    """The wanted views that both sides can give, and why the others are left out."""
    wanted = choose_views(names, same_period=same_period)
    reasons = {view.name: view.lacks(sides) for view in wanted}
    left_out = {name: why for name, why in reasons.items() if why is not None}
    found = tuple(view for view in wanted if view.name not in left_out)
    if not found:
        why = "; ".join(f"{name} {reason}" for name, reason in left_out.items())
        raise InputError(
            f"At least one of the views must be possible, but none is: {why}. Try --views all."
        )
    return found, left_out


def build_view_pair(
    released: Events,
    auxiliary: Events,
    names: Sequence[str] | None = None,
    *,
    same_period: bool = False,
) -> tuple[Views, Views]:
    """
    Build the same views of both sides, over shared keys.

    With ``same_period``, both sides are different sources about the same days, and views of
    calendar time are built too.

    Views that either side cannot give are left out and named in ``left_out``. A person without
    an event at any location has an empty row everywhere.
    """
    built, left_out = find_views((released, auxiliary), names, same_period=same_period)
    tables = [view.count(released, auxiliary) for view in built]
    users = tuple(_all_users([pair[side] for pair in tables]) for side in (0, 1))
    pairs = [_assemble(pair, users) for pair in tables]
    return (
        Views(
            views=built,
            matrices=tuple(pair[0] for pair in pairs),
            users=users[0],
            left_out=left_out,
        ),
        Views(
            views=built,
            matrices=tuple(pair[1] for pair in pairs),
            users=users[1],
            left_out=left_out,
        ),
    )


def _all_users(tables: Sequence[pa.Table]) -> pa.Array:
    """Everybody in any table, in the order of histograms: ties are broken by place."""
    chunks = [pc.unique(table["user"]) for table in tables]
    return encode(pa.chunked_array(chunks))[1]


def _assemble(
    tables: Tables, users: tuple[pa.Array, ...]
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """One matrix for each side, over the keys that either has."""
    codes = _key_codes(tables)
    keys, number = np.unique(np.concatenate(codes), return_inverse=True)
    columns = number[: len(codes[0])], number[len(codes[0]) :]
    first, second = (
        _normalise(table, own, column, len(keys))
        for table, own, column in zip(tables, users, columns, strict=True)
    )
    return first, second


def _key_codes(tables: Tables) -> list[Ints]:
    """One whole number per row, equal for equal keys of either side."""
    codes = [np.zeros(len(table), dtype=np.int64) for table in tables]
    for name in ("location", "then"):
        if name in tables[0].column_names:
            found, ids = encode_together([table[name] for table in tables])
            codes = [code * len(ids) + own for code, own in zip(codes, found, strict=True)]
    for name in ("slot", "band"):
        if name in tables[0].column_names:
            bands = [table[name].to_numpy().astype(np.int64) for table in tables]
            # Calendar bands count from 2000 and may lie before it.
            least = min(int(band.min(initial=0)) for band in bands)
            n_bands = 1 - least + max(int(band.max(initial=0)) for band in bands)
            codes = [code * n_bands + own - least for code, own in zip(codes, bands, strict=True)]
    return codes


def _normalise(table: pa.Table, users: pa.Array, column: Ints, n_keys: int) -> sparse.csr_array:
    codes, own = encode(table["user"])
    row = pc.index_in(own, value_set=users).to_numpy().astype(np.int64)[codes]
    amount = table["n"].to_numpy().astype(np.float64)
    shape = (len(users), n_keys)
    matrix = sparse.coo_array((amount, (row, column)), shape=shape).tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    owner = np.repeat(np.arange(len(users)), np.diff(matrix.indptr))
    matrix.data = matrix.data / np.bincount(owner, matrix.data, len(users))[owner]
    return matrix
