"""How risk changes with resolution (2016 paper, Figure 11): larger cells, shorter names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.events.engine import quote_text
from trailprint.events.events import Events
from trailprint.events.places.grid import GridOptions, extent, to_cells, truncate_names
from trailprint.events.places.lattice import CELL_NAME
from trailprint.progress import Progress
from trailprint.studies.growth.events import PeopleFound, attack_pair, prepare_pair
from trailprint.studies.growth.findings import ResolutionGrowth, ResolutionPoint
from trailprint.studies.repeated import Prepare
from trailprint.studies.small_counts import describe_rate

#: Default cell sizes, in metres.
_CELLS_M = (100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0, 10_000.0, 25_000.0)
_SEPARATORS = (".", "/")
#: Names are treated as made of parts if at least this share of them is.
_MOST_NAMES = 0.95
_BLOCKS = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionOptions:
    """
    Which resolutions are tried.

    Attributes
    ----------
    cells_m : tuple of float
        For positions: sides of square cells in metres.
    levels : tuple of int
        For names made of parts: numbers of parts to keep.
    """

    cells_m: tuple[float, ...] = ()
    levels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for cell_m in self.cells_m:
            GridOptions(cell_m=cell_m)
        if any(level < 1 for level in self.levels):
            raise OptionError(f"levels must be at least 1, got {self.levels!r}. Try 1, 2.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionStudy(Discreet):
    """Accuracy by resolution; ``why_not`` says why it is missing."""

    points: tuple[tuple[float, str, PeopleFound], ...] = ()
    why_not: str | None = None

    def to_finding(self) -> ResolutionGrowth | None:
        """Return the points for publication, or None if the study was not possible."""
        if self.why_not is not None:
            return None
        points = tuple(_make_point(*point) for point in self.points)
        n_found = [found.n_found for _, _, found in self.points]
        best, worst = points[n_found.index(max(n_found))], points[n_found.index(min(n_found))]
        reading = (
            f"Resolution at which most people are linked correctly: {best.label} "
            f"({describe_rate(best)}); fewest: {worst.label} ({describe_rate(worst)}). Locations "
            "change on both sides, because everybody knows the map."
        )
        return ResolutionGrowth(points=points, reading=reading)


def _make_point(x: float, label: str, found: PeopleFound) -> ResolutionPoint:
    rate = found.rate
    return ResolutionPoint(
        x=x,
        label=label,
        locations=found.n_locations,
        accuracy=rate.accuracy,
        low=rate.low,
        high=rate.high,
        at_most=rate.at_most,
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """One resolution: its x value, its label, and the function that coarsens events to it."""

    x: float
    label: str
    apply: Callable[[Events], Events]


def grow_resolution(
    prepare: Prepare,
    released: Events,
    auxiliary: Events,
    options: ResolutionOptions | None = None,
    *,
    pairs: pa.Table | None = None,
    progress: Progress | None = None,
) -> ResolutionStudy:
    """
    Attack the same people at increasingly coarse resolutions.

    Positions are put on grids. Without positions, names made of parts (building.floor.room) are
    truncated, and grid cells (x3_y14) are merged into blocks. Other locations cannot be made
    coarser.
    """
    options = options or ResolutionOptions()
    steps = _find_steps(released, auxiliary, options)
    if not steps:
        return ResolutionStudy(
            why_not="Locations have neither positions nor names that could be made coarser."
        )
    report = progress or (lambda what, done: None)
    points = []
    for number, step in enumerate(steps):
        report("Changing the resolution", number / len(steps))
        ready = prepare_pair(prepare, step.apply(released), step.apply(auxiliary), pairs)
        if ready.truth.n_common < 2:
            return ResolutionStudy(why_not="Fewer than two people are on both sides.")
        points.append((step.x, step.label, attack_pair(ready)))
    return ResolutionStudy(points=tuple(points))


def _find_steps(released: Events, auxiliary: Events, options: ResolutionOptions) -> list[_Step]:
    sides = (released, auxiliary)
    if all({"lat", "lon"} <= side.columns for side in sides):
        return _grids(sides, options.cells_m)
    if not all("location" in side.columns for side in sides):
        return []
    return _shorter_names(sides, options.levels) or _blocks(sides)


def _grids(sides: tuple[Events, Events], cells_m: tuple[float, ...]) -> list[_Step]:
    """Grids over one bounding box for both sides; by default none with cells as high as the box."""
    frame = extent(sides)
    height_m = (frame.north - frame.south) * 111_000.0
    fitting = tuple(cell_m for cell_m in _CELLS_M if cell_m < height_m) or _CELLS_M[:3]
    return [
        _Step(
            cell_m,
            f"{cell_m / 1000:g} km" if cell_m >= 1000 else f"{cell_m:g} m",
            partial(to_cells, options=GridOptions(cell_m=cell_m), frame=frame),
        )
        for cell_m in sorted(cells_m or fitting)
    ]


def _shorter_names(sides: tuple[Events, Events], levels: tuple[int, ...]) -> list[_Step]:
    """Steps from whole names to their first part."""
    for separator in _SEPARATORS:
        n_parts = f"len(string_split(place, {quote_text(separator)}))"
        share, deepest = _look_at_names(sides, f"{n_parts} > 1", n_parts)
        if share < _MOST_NAMES:
            continue
        kept = sorted((k for k in levels or range(1, deepest + 1) if k <= deepest), reverse=True)
        return [
            _Step(
                k,
                "whole names" if k == deepest else _name_level(k),
                partial(truncate_names, levels=k, separator=separator),
            )
            for k in kept
        ]
    return []


def _name_level(k: int) -> str:
    return "first part of names" if k == 1 else f"first {k} parts of names"


def _blocks(sides: tuple[Events, Events]) -> list[_Step]:
    """Steps that merge grid cells into square blocks."""
    numbers = [f"CAST(regexp_extract(place, '{CELL_NAME}', {i}) AS BIGINT)" for i in (1, 2)]
    share, _ = _look_at_names(sides, f"regexp_full_match(place, '{CELL_NAME}')", "1")
    if share < 1:
        return []
    width = _look_at_names(sides, "true", f"greatest(abs({numbers[0]}), abs({numbers[1]}))")[1]
    return [
        _Step(
            factor,
            "single cells" if factor == 1 else f"{factor} × {factor} cells",
            partial(_join_cells, factor=factor),
        )
        for factor in _BLOCKS
        if factor == 1 or factor <= width
    ]


def _join_cells(events: Events, factor: int) -> Events:
    numbers = [
        f"CAST(floor(CAST(regexp_extract(location, '{CELL_NAME}', {i}) AS BIGINT) / {factor}) "
        "AS BIGINT)"
        for i in (1, 2)
    ]
    block = f"'x' || {numbers[0]} || '_y' || {numbers[1]}"
    return events.derive(
        f"SELECT * REPLACE ({block} AS location) FROM ({events.query})",
        f"Cells joined to blocks of {factor} × {factor}.",
    )


def _look_at_names(sides: tuple[Events, Events], condition: str, amount: str) -> tuple[float, int]:
    """Share of the names for which a condition holds, and the maximum of an amount."""
    names = " UNION ".join(
        f"SELECT CAST(location AS VARCHAR) AS place FROM ({side.query})" for side in sides
    )
    share, most = sides[0].engine.row(
        f"SELECT avg(CAST({condition} AS INTEGER)), max({amount}) FROM ({names})"
    )
    return float(share or 0.0), int(most or 0)
