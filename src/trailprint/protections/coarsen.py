"""Coarsening: larger cells, regions, shorter names, rounded times. Public, for both sides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pyarrow as pa

from trailprint.display.discreet import Discreet
from trailprint.display.numbers import format_exact, format_number
from trailprint.errors import InputError, OptionError
from trailprint.events.engine import quote_name
from trailprint.events.events import Events
from trailprint.events.places.grid import (
    LEAST_CELL_M,
    GridOptions,
    extent,
    is_cell,
    look_up_regions,
    to_cells,
    truncate_names,
)
from trailprint.protections.protection import AuditedData, EventProtection, Need, Rule, Seed, Unit

_DAY_S = 86_400.0


def _without_positions(events: Events) -> Events:
    """Drop positions, which would reveal what was coarsened."""
    columns = events.columns - {"lat", "lon"}
    kept = events.list_columns(without={"lat", "lon"})
    return replace(events, query=f"SELECT {kept} FROM ({events.query})", columns=columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarsenGrid(EventProtection):
    """Replace positions by square cells of ``cell_m`` metres, over one box for both sides."""

    name: ClassVar[str] = "coarsen-grid"
    summary: ClassVar[str] = "positions to square cells of cell_m metres"
    is_public: ClassVar[bool] = True
    renames_locations: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"cell_m": 1}
    needs: ClassVar[frozenset[Need]] = frozenset({"positions"})
    units: ClassVar[Mapping[str, Unit]] = {"cell_m": "metres"}
    audited: ClassVar[str | None] = "cell_m"
    audit_rank: ClassVar[int] = 4

    cell_m: float = 1000.0

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not is_cell(self.cell_m):
            raise OptionError(
                f"cell_m must be a number of metres from {LEAST_CELL_M} on, got "
                f"{format_exact(self.cell_m)}. "
                "Try cell_m=1000."
            )

    def label(self) -> str:
        """The size of the cells, as text."""
        size = f"{self.cell_m / 1000:g} km" if self.cell_m >= 1000 else f"{self.cell_m:g} m"
        return f"Cells of {size}"

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[float]:
        """Cells larger than those the data is on already, if these are known."""
        now = data.released.cell_m or 0.0
        sizes = (500.0, 1000.0, 2000.0, 5000.0, 10000.0) if data.has_positions else ()
        return [cell_m for cell_m in sizes if cell_m > now]

    @classmethod
    def stronger_values(cls, data: AuditedData) -> Sequence[float]:
        """Cells as large as regions."""
        now = data.released.cell_m or 0.0
        sizes = (20_000.0, 50_000.0) if data.has_positions else ()
        return [cell_m for cell_m in sizes if cell_m > now]

    @classmethod
    def neutral_value(cls, data: AuditedData) -> float | None:
        """The size of the cells the data is on already; None for exact positions."""
        return data.released.cell_m

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Lay the cells over the extent of both sides together."""
        sides = [side for side in (released, auxiliary) if side is not None]
        for side in sides:
            side.require("lat", "A grid")
        options, frame = GridOptions(cell_m=self.cell_m), extent(sides)
        return lambda events: _without_positions(to_cells(events, options, frame=frame))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoarsenRegions(EventProtection, Discreet):
    """
    Replace locations by their regions, such as antennas by sub-prefectures.

    ``mapping`` is a table with the columns ``location`` and ``region`` as text; it must name a
    region for every location of the data.
    """

    name: ClassVar[str] = "coarsen-regions"
    summary: ClassVar[str] = "locations to regions, from a file with columns location and region"
    is_public: ClassVar[bool] = True
    renames_locations: ClassVar[bool] = True

    mapping: pa.Table = field(metadata={"file": ("location", "region")})

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        pairs = self.mapping.group_by(["location", "region"]).aggregate([])
        regions = pairs.group_by("location").aggregate([("region", "count")])
        n_twice = sum(n > 1 for n in regions["region_count"].to_pylist())
        if n_twice:
            raise InputError(
                f"A mapping must give each location one region, but {n_twice:,} have several."
            )

    def _shown(self) -> dict[str, Any]:
        return self.parameters()

    def parameters(self) -> dict[str, Any]:
        """The size of the mapping; none of its names."""
        n_regions = len(self.mapping["region"].unique())
        n_locations = len(self.mapping["location"].unique())
        return {"mapped_locations": n_locations, "regions": n_regions}

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Look up the region of every location."""
        engine = released.engine
        with engine.registered(self.mapping, "mapping") as name:
            table = engine.materialise(f"SELECT DISTINCT location, region FROM {name}", "regions")
        return lambda events: _look_up(events, table)


def _look_up(events: Events, table: str) -> Events:
    return _without_positions(look_up_regions(events, table))


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarsenNames(EventProtection):
    """Keep the first ``levels`` parts of names like building.floor.room."""

    name: ClassVar[str] = "coarsen-names"
    summary: ClassVar[str] = "names like building.floor.room, shortened to their first parts"
    is_public: ClassVar[bool] = True
    renames_locations: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"levels": -1}
    units: ClassVar[Mapping[str, Unit]] = {"levels": "parts of a name"}
    audited: ClassVar[str | None] = "levels"
    audit_rank: ClassVar[int] = 5

    levels: int = 1
    separator: str = "."

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if self.levels < 1:
            raise OptionError(
                f"levels must be at least 1 part of a name, got {self.levels!r}. Try levels=1."
            )
        if not self.separator:
            raise OptionError("separator must be at least one character, got none. Try '.'.")

    def label(self) -> str:
        """The number of parts kept, as text."""
        return f"Names of {self.levels} part{'s' * (self.levels > 1)}"

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[int]:
        """Successively shorter names; none for positions, which are coarsened by cells."""
        return () if data.has_positions else range(_count_parts(data.released) - 1, 0, -1)

    @classmethod
    def neutral_value(cls, data: AuditedData) -> int:
        """Every part of a name."""
        return _count_parts(data.released)

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Truncate every name."""
        return lambda events: _without_positions(
            truncate_names(events, self.levels, self.separator)
        )


def _count_parts(events: Events) -> int:
    """Number of parts that most names have, from 1 to 4, such as 3 in building.floor.room."""
    parts = "length(location::VARCHAR) - length(replace(location::VARCHAR, '.', '')) + 1"
    (typical,) = events.engine.row(
        f"SELECT quantile_disc({parts}, 0.1) FROM (SELECT DISTINCT location FROM ({events.query}))"
    )
    return min(int(typical or 1), 4)


def _has_times(events: Events) -> bool:
    """Whether any start has a time of day."""
    if "start" not in events.columns:
        return False
    here = events.to_local('"start"')
    (n_timed,) = events.engine.row(
        f"SELECT count(*) FROM ({events.query}) WHERE {here} <> date_trunc('day', {here})"
    )
    return bool(n_timed)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarsenTime(EventProtection):
    """Round times down to multiples of ``unit_s`` seconds after local midnight."""

    name: ClassVar[str] = "coarsen-time"
    summary: ClassVar[str] = "times rounded down to multiples of unit_s seconds of the local day"
    is_public: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"unit_s": 1}
    needs: ClassVar[frozenset[Need]] = frozenset({"times"})
    units: ClassVar[Mapping[str, Unit]] = {"unit_s": "seconds"}
    changes_only_times: ClassVar[bool] = True
    fact_titles: ClassVar[Mapping[str, str]] = {
        "time_error_s": "starts moved by, seconds on average"
    }
    audited: ClassVar[str | None] = "unit_s"
    audit_rank: ClassVar[int] = 6

    unit_s: float = 3600.0

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not (0 < self.unit_s <= _DAY_S and math.isfinite(self.unit_s)):
            raise OptionError(
                f"unit_s must be a positive number of seconds up to a day, {_DAY_S:,.0f}, "
                f"got {format_exact(self.unit_s)}. Try unit_s=3600."
            )

    def label(self) -> str:
        """The unit that times are rounded to, as text."""
        if self.unit_s == _DAY_S:
            return "Days instead of times"
        hours = self.unit_s / 3600
        unit = f"{hours:g} h" if hours >= 1 else f"{self.unit_s / 60:g} min"
        return f"Times rounded down to {unit}"

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[float]:
        """An hour and a day; none if starts have no time of day."""
        return (3600.0, _DAY_S) if _has_times(data.released) else ()

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Round start and end."""
        return self._round

    def _round(self, events: Events) -> Events:
        events.require("start", "Rounding of times")
        times = [quote_name(column) for column in ("start", "end") if column in events.columns]
        rounded = ", ".join(f"{self._rounded(events, time)} AS {time}" for time in times)
        return events.derive(
            f"SELECT * REPLACE ({rounded}) FROM ({events.query})",
            f"Times rounded down to {format_number(self.unit_s)} s.",
        )

    def _rounded(self, events: Events, instant: str) -> str:
        here = events.to_local(instant)
        unit_us = round(self.unit_s * 1_000_000)
        since = f"(epoch_us({here}) - epoch_us(date_trunc('day', {here})))"
        wall = f"date_trunc('day', {here}) + to_microseconds({since} - {since} % {unit_us})"
        # An hour occurs twice if clocks are set back: make sure not to round up.
        return f"least({events.to_utc(f'({wall})')}, {instant})"

    def facts(self, before: Events, after: Events) -> dict[str, Any]:
        """By how much starts moved on average."""
        first, second = (
            side.engine.row(f'SELECT avg(epoch_us("start") / 1e6) FROM ({side.query})')[0]
            for side in (before, after)
        )
        return {"time_error_s": None if first is None else float(first - second)}
