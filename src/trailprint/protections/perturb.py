"""Perturbation: locations swapped with neighbouring records', times shifted (2011 paper, 7.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.display.numbers import format_exact, format_number
from trailprint.errors import OptionError
from trailprint.events.engine import quote_name, quote_text
from trailprint.events.events import Column, Events
from trailprint.protections.protection import EventProtection, Need, Rule, Seed, Unit

Order = Literal["clip", "redraw"]
_PLACE: tuple[Column, ...] = ("location", "lat", "lon")


def _in_order(events: Events) -> str:
    """SQL: the order of one user's records; other columns break ties between equal starts."""
    others = [column for column in ("end", *_PLACE, "weight") if column in events.columns]
    return ", ".join(quote_name(column) for column in ("start", *others))


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbLocations(EventProtection):
    """
    Replace a record's location by the same user's previous or next one, with given probabilities.

    Neighbours are the original ones. A user's first record has no previous and the last no next
    one; if that is drawn, the record stays as it is. Positions are replaced with locations.
    """

    name: ClassVar[str] = "perturb-locations"
    summary: ClassVar[str] = "locations replaced by the previous or next record's, by chance"
    is_public: ClassVar[bool] = False
    is_random: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"previous": 1, "next": 1}
    needs: ClassVar[frozenset[Need]] = frozenset({"times"})
    units: ClassVar[Mapping[str, Unit]] = {"previous": "share", "next": "share"}
    fact_titles: ClassVar[Mapping[str, str]] = {
        "locations_changed": "records with another location, share"
    }

    previous: float = 0.15
    next: float = 0.15

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        chances = (self.previous, self.next)
        if not (all(0 <= chance <= 1 for chance in chances) and sum(chances) <= 1):
            raise OptionError(
                "previous and next must be chances from 0 to 1 that add up to at most 1, "
                f"got {format_exact(self.previous)} and {format_exact(self.next)}. "
                "Try previous=0.15,next=0.15."
            )

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Draw one random number for each record."""
        return lambda events: self._swap(events, seed)

    def _swap(self, events: Events, seed: Seed) -> Events:
        events.require("start", "Perturbation of locations")
        place = [quote_name(column) for column in _PLACE if column in events.columns]
        key = f"""CAST("user" AS VARCHAR) || '/' || nth || {quote_text(f"/{seed[0]}/{seed[1]}")}"""
        lot = f"(md5_number_lower({key}) / 18446744073709551616.0)"
        high = self.previous + self.next
        swapped = ", ".join(
            f"CASE WHEN lot < {self.previous!r} THEN coalesce(before_{i}, {name}) "
            f"WHEN lot < {high!r} THEN coalesce(after_{i}, {name}) ELSE {name} END AS {name}"
            for i, name in enumerate(place)
        )
        around = ", ".join(
            f"lag({name}) OVER own AS before_{i}, lead({name}) OVER own AS after_{i}"
            for i, name in enumerate(place)
        )
        own = f'WINDOW own AS (PARTITION BY "user" ORDER BY {_in_order(events)})'
        rows = f"SELECT *, row_number() OVER own AS nth, {around} FROM ({events.query}) {own}"
        extra = ", ".join(f"before_{i}, after_{i}" for i in range(len(place)))
        query = (
            f"SELECT * EXCLUDE (nth, lot, {extra}) REPLACE ({swapped}) "
            f"FROM (SELECT *, {lot} AS lot FROM ({rows}))"
        )
        note = f"{self.previous:.0%} of locations from the record before, {self.next:.0%} after."
        return events.derive(query, note)

    def facts(self, before: Events, after: Events) -> dict[str, Any]:
        """Share of records with another location."""
        return {"locations_changed": _share_changed(before, after)}


def _share_changed(before: Events, after: Events) -> float | None:
    """Share of records whose location changed; records are paired by their other columns."""
    if "location" not in before.columns:
        return None
    keys = [quote_name(c) for c in ("user", "start", "end", "weight") if c in before.columns]
    counts = [
        f"SELECT {', '.join(keys)}, location, count(*) AS n FROM ({side.query}) GROUP BY ALL"
        for side in (before, after)
    ]
    same = " AND ".join(f"a.{key} IS NOT DISTINCT FROM b.{key}" for key in (*keys, "location"))
    n_same, n_rows = before.engine.row(
        f"SELECT coalesce(sum(least(a.n, b.n)), 0), (SELECT sum(n) FROM ({counts[0]})) "
        f"FROM ({counts[0]}) a JOIN ({counts[1]}) b ON {same}"
    )
    return 1.0 - float(n_same) / float(n_rows) if n_rows else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbTimes(EventProtection):
    """
    Shift starts and ends by Gaussian noise of ``sigma_s`` seconds, keeping each user's order.

    Records are shifted in order: each must start after the previous one has ended. With ``order``
    ``clip``, a time that is too early is moved to the earliest allowed one; with ``redraw``, noise
    is drawn again until it fits, which shifts dense records further and further ahead.
    """

    name: ClassVar[str] = "perturb-times"
    summary: ClassVar[str] = "starts and ends shifted by Gaussian noise of sigma_s, order kept"
    is_public: ClassVar[bool] = False
    is_random: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"sigma_s": 1}
    needs: ClassVar[frozenset[Need]] = frozenset({"times"})
    units: ClassVar[Mapping[str, Unit]] = {"sigma_s": "seconds"}
    changes_only_times: ClassVar[bool] = True
    fact_titles: ClassVar[Mapping[str, str]] = {
        "time_error_s": "starts moved by, seconds on average"
    }

    sigma_s: float = 3600.0
    order: Order = "clip"

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not (0 < self.sigma_s <= 1e9 and math.isfinite(self.sigma_s)):
            raise OptionError(
                "sigma_s must be a positive number of seconds up to 1,000,000,000, "
                f"got {format_exact(self.sigma_s)}. Try sigma_s=3600."
            )

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Draw noise for each record, in order."""
        return lambda events: self._shift(events, seed)

    def _shift(self, events: Events, seed: Seed) -> Events:
        events.require("start", "Perturbation of times")
        engine = events.engine
        sorted_by = f'CAST("user" AS VARCHAR), {_in_order(events)}'
        table = engine.arrow(f"SELECT * FROM ({events.query}) ORDER BY {sorted_by}")
        shifted = self._shift_table(table, seed)
        with engine.registered(shifted, "shifted") as name:
            stored = engine.materialise(f"FROM {name}", "perturbed")
        return events.derive(
            f"FROM {stored}",
            f"Times shifted by noise of {format_number(self.sigma_s)} s ({self.order}).",
        )

    def _shift_table(self, table: pa.Table, seed: Seed) -> pa.Table:
        from trailprint.kernels.time_noise import shift_times

        start, _ = _micros(table, "start")
        end, has_end = _micros(table, "end") if "end" in table.column_names else (start, None)
        if has_end is None:
            has_end = np.zeros(len(start), dtype=bool)
        new_start, new_end = shift_times(
            np.random.default_rng(seed),
            _is_first(table["user"]),
            start,
            end,
            has_end,
            self.sigma_s * 1e6,
            self.order == "redraw",
        )
        for column, values, known in (("start", new_start, None), ("end", new_end, has_end)):
            if column in table.column_names:
                missing = None if known is None else ~known
                times = pa.array(values.astype("datetime64[us]"), pa.timestamp("us"), mask=missing)
                table = table.set_column(table.column_names.index(column), column, times)
        return table

    def facts(self, before: Events, after: Events) -> dict[str, Any]:
        """By how much starts moved on average; records are paired by their order, which is kept."""
        sides = [
            f'SELECT "user", epoch_us("start") / 1e6 AS s, row_number() OVER '
            f'(PARTITION BY "user" ORDER BY "start") AS nth FROM ({side.query})'
            for side in (before, after)
        ]
        moved = before.engine.row(
            f"SELECT avg(abs(a.s - b.s)) FROM ({sides[0]}) a JOIN ({sides[1]}) b "
            'ON a."user" = b."user" AND a.nth = b.nth'
        )[0]
        return {"time_error_s": None if moved is None else float(moved)}


def _micros(table: pa.Table, column: str) -> tuple[Ints, NDArray[np.bool_]]:
    """Microseconds since 1970, zero for missing values; and which values are known."""
    values = table[column].cast(pa.timestamp("us")).cast(pa.int64())
    known = pc.is_valid(values).to_numpy()
    return pc.fill_null(values, 0).to_numpy().astype(np.int64), known.astype(bool)


def _is_first(users: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Whether each record is the first of its user."""
    codes = users.combine_chunks().dictionary_encode()
    whole = codes.chunk(0) if isinstance(codes, pa.ChunkedArray) else codes
    numbers = whole.indices.to_numpy(zero_copy_only=False)
    first: NDArray[np.bool_] = np.ones(len(numbers), dtype=bool)
    first[1:] = numbers[1:] != numbers[:-1]
    return first
