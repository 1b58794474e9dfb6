"""Histograms: how much of each user's activity falls on each location."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from trailprint.display.discreet import Discreet
from trailprint.errors import InputError
from trailprint.events.events import Events
from trailprint.features.ids import encode, encode_together
from trailprint.features.options import HistogramOptions, Slots, Weight

_SLOT_NAMES: dict[Slots, tuple[str, ...]] = {
    "none": ("all",),
    "weekday": ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
    "weekend": ("weekday", "weekend"),
    "four-hour": ("midnight", "dawn", "morning", "afternoon", "evening", "night"),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Histograms(Discreet):
    """
    Users × locations, as counts in a CSR matrix.

    Attributes
    ----------
    matrix : scipy.sparse.csr_array
        ``n_users`` rows; column ``s * n_locations + k`` is location ``k`` in slot ``s``. Rows are
        sorted by column and hold no zeros.
    users, locations : pyarrow.Array of string
        Ids of rows and columns, sorted.
    slots : tuple of str
        Names of the slots; ``("all",)`` without slots.
    """

    matrix: sparse.csr_array
    users: pa.Array
    locations: pa.Array
    slots: tuple[str, ...] = ("all",)

    def _shown(self) -> dict[str, object]:
        return {
            "users": self.n_users,
            "locations": len(self.locations),
            "slots": len(self.slots),
            "entries": self.matrix.nnz,
        }

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.users)

    @property
    def n_locations(self) -> int:
        """Number of locations."""
        return len(self.locations)

    @property
    def totals(self) -> NDArray[np.float64]:
        """Each user's sum over all locations and slots."""
        return np.asarray(self.matrix.sum(axis=1), dtype=np.float64).reshape(-1)

    def probabilities(self) -> sparse.csr_array:
        """Each user's histogram divided by its total; with slots, each slot by its own total."""
        return self.scaled("sum")

    def scaled(self, to_one: str) -> sparse.csr_array:
        """
        Histograms scaled to a ``sum`` or Euclidean ``norm`` of one; ``none`` keeps the counts.

        With slots, each slot of a user is scaled on its own.
        """
        if to_one == "none":
            return self.matrix
        scaled = self.matrix.copy()
        slot = scaled.indices // max(len(self.locations), 1)
        rows = np.repeat(np.arange(self.n_users), np.diff(scaled.indptr))
        group = rows * len(self.slots) + slot
        scaled.data = scaled.data / np.bincount(group, weights=scaled.data)[group]
        if to_one == "norm":  # Of shares, because squares of tiny counts would underflow to zero.
            scaled.data = scaled.data / np.sqrt(np.bincount(group, weights=scaled.data**2))[group]
        return scaled

    def select(self, rows: NDArray[np.int64]) -> Histograms:
        """Some of the users, in the order given."""
        return Histograms(
            matrix=self.matrix[rows],
            users=self.users.take(pa.array(rows)),
            locations=self.locations,
            slots=self.slots,
        )


def build_histograms(events: Events, options: HistogramOptions | None = None) -> Histograms:
    """Count one dataset's events by user and location."""
    options = options or HistogramOptions()
    counted = count_by_location(events, options)
    codes, locations = encode(counted["location"])
    return _assemble(counted, codes, locations, options)


def build_histogram_pair(
    released: Events, auxiliary: Events, options: HistogramOptions | None = None
) -> tuple[Histograms, Histograms]:
    """Count both sides by user and location, over a shared list of locations."""
    options = options or HistogramOptions()
    first, second = (count_by_location(side, options) for side in (released, auxiliary))
    codes, locations = encode_together([first["location"], second["location"]])
    return (
        _assemble(first, codes[0], locations, options),
        _assemble(second, codes[1], locations, options),
    )


def _assemble(
    counted: pa.Table,
    locations_coded: NDArray[np.int64],
    locations: pa.Array,
    options: HistogramOptions,
) -> Histograms:
    users_coded, users = encode(counted["user"])
    slots = _SLOT_NAMES[options.slots]
    columns = locations_coded
    if "slot" in counted.column_names:
        columns = counted["slot"].to_numpy() * len(locations) + locations_coded
    values = counted["n"].to_numpy().astype(np.float64, copy=False)
    if not np.isfinite(values.sum()):
        raise InputError("Counts must have a finite sum, but these do not. Use a larger unit.")
    shape = (len(users), len(slots) * len(locations))
    index = np.int32 if max(*shape, len(values)) < 2**31 else np.int64
    places = (users_coded.astype(index), columns.astype(index))
    matrix = sparse.coo_array((values, places), shape=shape).tocsr()
    matrix.eliminate_zeros()
    return Histograms(matrix=matrix, users=users, locations=locations, slots=slots)


def count_by_location(
    events: Events, options: HistogramOptions, *, band: str | None = None
) -> pa.Table:
    """Table of user, location, (slot,) (band,) n by one GROUP BY; ``band`` is SQL of a key."""
    events.require("location", "A histogram")
    keys = '"user", location'
    if options.slots != "none":
        events.require("start", f"--slots {options.slots}")
        keys += f", {_slot_expression(events, options.slots)} AS slot"
    if band is not None:
        keys += f", {band} AS band"
    if options.weight == "day-balanced":
        return events.engine.arrow(_day_balanced(events, keys))
    total = _total(events, options.weight)
    return events.engine.arrow(f"SELECT {keys}, {total} AS n FROM ({events.query}) GROUP BY ALL")


def _total(events: Events, weight: Weight) -> str:
    """SQL: the sum over events; it does not depend on the number of threads."""
    if weight == "visits":
        return events.total_sql()
    events.require("end", "--weight duration")
    lasted = 'epoch_us(coalesce("end", "start")) - epoch_us("start")'
    # Rebuilt stays all have a length: one more second for each would make days too long.
    micros = f"greatest({lasted}, 1000000)" if events.stays_last else f"({lasted} + 1000000)"
    is_counted = "weight" in events.columns
    return f"{events.total_sql(f'{micros} * weight') if is_counted else f'sum({micros})'} / 1e6"


def _day_balanced(events: Events, keys: str) -> str:
    """SQL: each day's (and slot's) histogram scaled to one, then summed over each user's days."""
    events.require("start", "--weight day-balanced")
    slot = ", slot" if "slot" in keys else ""
    daily = (
        f"SELECT {keys}, date_trunc('day', {events.local_start}) AS day, "
        f"{_total(events, 'visits')} AS n FROM ({events.query}) GROUP BY ALL"
    )
    totals = f'SELECT "user", day{slot}, sum(n ORDER BY n) AS total FROM daily GROUP BY ALL'
    return (
        f"WITH daily AS MATERIALIZED ({daily}), totals AS ({totals}) "
        f'SELECT "user", location{slot}, sum(n / total ORDER BY n / total) AS n '
        f'FROM daily JOIN totals USING ("user", day{slot}) WHERE n > 0 GROUP BY ALL'
    )


def _slot_expression(events: Events, slots: Slots) -> str:
    here = events.local_start
    if slots == "weekday":
        return f"(isodow({here}) - 1)"
    if slots == "weekend":
        return f"CAST(isodow({here}) >= 6 AS BIGINT)"
    return f"(hour({here}) // 4)"
