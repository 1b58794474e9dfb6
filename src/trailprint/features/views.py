"""
Views: several histograms of the same people, each with its own keys.

A view describes people in one way: how often they are at which place, on how many days, at which
hours, in which order. Each is declared once, as a `View` in `VIEWS`: its name, what it needs, and
how its keys are counted. Views that the data does not support are left out and reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from trailprint.arrays import Ints
from trailprint.display.discreet import Discreet, Words
from trailprint.errors import InputError, OptionError
from trailprint.events.events import Column, Events
from trailprint.features.ids import encode, encode_together
from trailprint.features.view_kinds import (
    Calendar,
    Cells,
    DaysPresent,
    Moves,
    NearbyCells,
    PlaceHours,
    Places,
    Rhythm,
    ShortNames,
    Tables,
    View,
)

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
        NearbyCells(
            name="nearby-300m",
            title="cells of 300 m with their neighbours",
            needs=_POSITIONS,
            cell_m=300.0,
        ),
        NearbyCells(
            name="nearby-1km",
            title="cells of 1 km with their neighbours",
            needs=_POSITIONS,
            cell_m=1_000.0,
        ),
        ShortNames(name="names-1", title="first part of names", levels=1),
        ShortNames(name="names-2", title="first two parts of names", levels=2),
    )
}
"""The default views, which describe habits, by name."""

SAME_PERIOD_VIEWS: Mapping[str, View] = {
    view.name: view
    for view in (
        Calendar(name="calendar-days", title="places by date", needs=_TIMES, unit="day"),
        Calendar(name="calendar-hours", title="places by date and hour", needs=_TIMES, unit="hour"),
    )
}
"""Views that are meaningful only if both sides cover the same days."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Views(Discreet):
    """
    Several histograms of the same people, side by side.

    Attributes
    ----------
    views : tuple of View
        The views of the matrices, in the order of `VIEWS`.
    matrices : tuple of scipy.sparse.csr_array
        People × keys; every row that is not empty sums to one.
    users : pyarrow.Array of string
        Ids of the rows, in the same order as in histograms.
    left_out : mapping
        Requested views that could not be built, and why.
    n_places : int
        Number of locations on either side; 0 if there are only positions.
    """

    views: tuple[View, ...]
    matrices: tuple[sparse.csr_array, ...]
    users: pa.Array
    left_out: Mapping[str, str]
    n_places: int = 0

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
        """Number of locations on either side; if there are none, of keys of the first view."""
        return self.n_places or int(self.matrices[0].shape[1])

    @property
    def n_keys(self) -> dict[str, int]:
        """Number of keys of each view."""
        return {
            view.name: int(matrix.shape[1])
            for view, matrix in zip(self.views, self.matrices, strict=True)
        }

    @property
    def records(self) -> sparse.csr_array:
        """All matrices side by side: people with equal rows are indistinguishable."""
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
    """The views with these names, in the order of `VIEWS`; all of them if ``names`` is None."""
    known = {**VIEWS, **(SAME_PERIOD_VIEWS if same_period else {})}
    if names is None:
        return tuple(known.values())
    unknown = [name for name in names if name not in known]
    if unknown and unknown[0] in SAME_PERIOD_VIEWS:
        raise OptionError(
            f"The view {unknown[0]} means something only where both sides saw the same days: give "
            "--same-period if they are different sources about them.",
            option="same-period",
        )
    if unknown or not names:
        got = repr(unknown[0]) if unknown else "none"
        raise OptionError(
            f"--views must be all or some of {', '.join(known)}, got {got} instead.", option="views"
        )
    return tuple(view for name, view in known.items() if name in names)


def find_views(
    sides: Sequence[Events], names: Sequence[str] | None, *, same_period: bool = False
) -> tuple[tuple[View, ...], dict[str, str]]:
    """The requested views that both sides support, and why the others are left out."""
    wanted = choose_views(names, same_period=same_period)
    reasons = {view.name: view.lacks(sides) for view in wanted}
    left_out = {name: why for name, why in reasons.items() if why is not None}
    found = tuple(view for view in wanted if view.name not in left_out)
    if not found:
        why = "; ".join(f"{name} {reason}" for name, reason in left_out.items())
        raise InputError(
            f"At least one of the views must be possible, but none is: {why}. Try --views all.",
            option="views",
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

    Views that either side does not support are left out and listed in ``left_out``. A person
    without any counted event has an empty row in that view.
    """
    built, left_out = find_views((released, auxiliary), names, same_period=same_period)
    tables = [view.count(released, auxiliary) for view in built]
    users = tuple(_all_users([pair[side] for pair in tables]) for side in (0, 1))
    pairs = [_assemble(pair, users) for pair in tables]
    n_places = _count_places(released, auxiliary)
    return (
        Views(
            views=built,
            matrices=tuple(pair[0] for pair in pairs),
            users=users[0],
            left_out=left_out,
            n_places=n_places,
        ),
        Views(
            views=built,
            matrices=tuple(pair[1] for pair in pairs),
            users=users[1],
            left_out=left_out,
            n_places=n_places,
        ),
    )


def _all_users(tables: Sequence[pa.Table]) -> pa.Array:
    """All users of any table, in the order of histograms, because ties are broken by row number."""
    chunks = [pc.unique(table["user"]) for table in tables]
    return encode(pa.chunked_array(chunks))[1]


def _assemble(
    tables: Tables, users: tuple[pa.Array, ...]
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """One matrix for each side, over the keys that occur on either."""
    codes = _key_codes(tables)
    keys, number = np.unique(np.concatenate(codes), return_inverse=True)
    columns = number[: len(codes[0])], number[len(codes[0]) :]
    first, second = (
        _normalise(table, own, column, len(keys))
        for table, own, column in zip(tables, users, columns, strict=True)
    )
    return first, second


def _key_codes(tables: Tables) -> list[Ints]:
    """One integer per row; rows with equal keys, on either side, have equal integers."""
    codes = [np.zeros(len(table), dtype=np.int64) for table in tables]
    for name in ("location", "then"):
        if name in tables[0].column_names:
            found, ids = encode_together([table[name] for table in tables])
            codes = [code * len(ids) + own for code, own in zip(codes, found, strict=True)]
    for name in ("slot", "band"):
        if name in tables[0].column_names:
            bands = [table[name].to_numpy().astype(np.int64) for table in tables]
            # Calendar bands count from 2000 and may be negative.
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


def _count_places(*sides: Events) -> int:
    """Number of different locations on either side."""
    if not all("location" in side.columns for side in sides):
        return 0
    names = [
        side.engine.arrow(f"SELECT DISTINCT location FROM ({side.query})")["location"]
        for side in sides
    ]
    return len(encode_together(names)[1])
