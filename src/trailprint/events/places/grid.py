"""Mapping of positions to cells, of places to regions, and of long names to shorter ones."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trailprint.arguments import check_argument, check_arguments, check_fields
from trailprint.display.numbers import format_exact, format_number
from trailprint.engines.h3_cells import define_cells, name_cells
from trailprint.errors import InputError, OptionError
from trailprint.events.engine import Engine, quote_text
from trailprint.events.events import Events
from trailprint.events.meeting import in_one_engine
from trailprint.events.places.lattice import ARC, ECCENTRICITY2, RADIUS_M, Grid
from trailprint.events.reading.opening import Source, open_source, open_sources
from trailprint.events.reading.side_files import PairSource, open_pairs, to_table

#: Cells smaller than the accuracy of positions make no sense.
LEAST_CELL_M = 0.1
REGION_COLUMNS = ("location", "region")
"""Columns of a mapping of locations to regions."""


@dataclass(frozen=True, slots=True)
class Box:
    """
    A bounding box in degrees.

    Attributes
    ----------
    south, north : float
        Least and greatest latitude, from -90 to 90.
    west, east : float
        Least and greatest longitude, from -180 to 180.

    Examples
    --------
    >>> from trailprint.places import Box
    >>> Box.parse("46.5,6.5,46.6,6.7")
    Box(south=46.5, west=6.5, north=46.6, east=6.7)
    """

    south: float
    west: float
    north: float
    east: float

    @classmethod
    def parse(cls, text: str) -> Box:
        """Read ``south,west,north,east``."""
        check_argument("text", text, str)
        try:
            south, west, north, east = (float(part) for part in text.split(","))
        except ValueError:
            raise OptionError(
                f"--box must be south,west,north,east in degrees, got {text!r} instead. "
                "Try 39.75,116.20,40.03,116.55.",
                option="box",
            ) from None
        return cls(south, west, north, east)

    def __post_init__(self) -> None:
        check_fields(self)
        if not (-90 <= self.south < self.north <= 90 and -180 <= self.west < self.east <= 180):
            given = ",".join(map(format_exact, (self.south, self.west, self.north, self.east)))
            raise OptionError(
                "--box must be south,west,north,east in degrees with south < north and "
                f"west < east, got {given} instead.",
                option="box",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class GridOptions:
    """
    Square cells laid over a box.

    Attributes
    ----------
    cell_m : float
        Side of a cell in metres.
    box : Box, optional
        Where cells are; by default the data's extent. Positions outside are left out.

    Examples
    --------
    >>> from trailprint.places import GridOptions
    >>> GridOptions(cell_m=500).cell_m
    500
    """

    cell_m: float = 1000.0
    box: Box | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if not is_cell(self.cell_m):
            raise OptionError(
                f"--cell must be a number of metres from {LEAST_CELL_M} on, "
                f"got {format_exact(self.cell_m)} instead. Try 1000.",
                option="cell",
            )


def is_cell(cell_m: float) -> bool:
    """Whether a number can be the side of a cell."""
    return LEAST_CELL_M <= cell_m < math.inf


def check_h3(resolution: int) -> None:
    """Raise an error if H3 has no cells of this resolution."""
    if not 0 <= resolution <= 15:
        raise OptionError(
            f"--h3 must be a resolution from 0 to 15, got {resolution} instead.", option="h3"
        )


def check_levels(levels: int) -> None:
    """Raise an error if names cannot be cut to this number of parts."""
    if levels < 1:
        raise OptionError(
            f"--truncate must keep at least 1 part of a name, got {levels} instead.",
            option="truncate",
        )


@check_arguments()
def to_cells(events: Source, options: GridOptions, *, frame: Box | None = None) -> Events:
    """
    Replace positions by square cells; positions outside the options' box are left out.

    Datasets that are to be compared need the same box, or a common ``frame``: the cells are laid
    over the frame, and nothing is left out.

    Degrees are projected to metres by the sinusoidal projection of the WGS 84 ellipsoid around
    the middle of the box: lengths along parallels and along the middle meridian are true, and
    every cell covers the same area.

    Parameters
    ----------
    events : Events, path or table
        Events with positions.
    options : GridOptions
        Size of the cells, and the box.
    frame : Box, optional
        Box that the cells are laid over; by default that of ``options``, or the data's extent.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.places import GridOptions, to_cells
    >>> fixes = {"user": ["a", "b"], "lat": [46.50, 46.51], "lon": [6.6, 6.6]}
    >>> tp.inspect(to_cells(fixes, GridOptions(cell_m=5000))).locations
    1
    """
    events = open_source(events)
    events.require("lat", "A grid")
    box = options.box or frame or extent([events])
    x, y = _metres(box)
    corner_x, corner_y = _corner(events.engine, box, x, y)
    column = f"CAST(floor(({x} - {corner_x}) / {options.cell_m}) AS INTEGER)"
    row = f"CAST(floor(({y} - {corner_y}) / {options.cell_m}) AS INTEGER)"
    cell = f"'x' || {column} || '_y' || {row}"
    placed = events if options.box is None else within_box(events, options.box)
    located = _with_location(placed, cell, f"Cells of {format_number(options.cell_m)} m.")
    grid = Grid(
        cell_m=options.cell_m,
        meridian=(box.west + box.east) / 2,
        corner_x=corner_x,
        corner_y=corner_y,
        parallel=(box.south + box.north) / 2,
        is_public=options.box is not None,
    )
    return replace(located, cell_m=options.cell_m, grid=grid)


@check_arguments()
def within_box(events: Source, box: Box) -> Events:
    """
    Return the events whose positions are in a box.

    Parameters
    ----------
    events : Events, path or table
        Events with positions.
    box : Box
        Positions outside are left out; some must be inside.

    Examples
    --------
    >>> from trailprint.places import Box, within_box
    >>> fixes = {"user": ["a", "b"], "lat": [46.5, 46.6], "lon": [6.6, 6.7]}
    >>> within_box(fixes, Box(46.4, 6.5, 46.55, 6.65)).count()
    1
    """
    events = open_source(events)
    events.require("lat", "A box")
    inside: Events = events.having(
        f"lat BETWEEN {box.south} AND {box.north} AND lon BETWEEN {box.west} AND {box.east}",
        f"Only positions in {box.south:g},{box.west:g},{box.north:g},{box.east:g}.",
    )
    if not inside.count():
        raise InputError("At least one position must lie in the box, but none does.")
    return inside


def _with_location(events: Events, expression: str, note: str) -> Events:
    kept = events.list_columns(without={"location"})
    query = f"SELECT {kept}, {expression} AS location FROM ({events.query})"
    derived = events.derive(query, note)
    return replace(derived, columns=events.columns | {"location"}, grid=None)


@check_arguments()
def extent(datasets: Sequence[Source]) -> Box:
    """
    Return the smallest box that holds the positions of all datasets.

    Parameters
    ----------
    datasets : list of Events, paths or tables
        At least one dataset, each with positions.

    Examples
    --------
    >>> from trailprint.places import extent
    >>> round(extent([{"user": ["a", "b"], "lat": [46.5, 46.6], "lon": [6.6, 6.7]}]).north, 6)
    46.6
    """
    if not datasets:
        raise OptionError("datasets must hold at least one dataset, got none instead.")
    datasets = open_sources(datasets)
    for events in datasets:
        events.require("lat", "A grid")
    positions = " UNION ALL ".join(
        f"SELECT lat, lon FROM ({side.query})" for side in in_one_engine(datasets)
    )
    south, west, north, east = datasets[0].engine.row(
        f"SELECT min(lat), min(lon), max(lat), max(lon) FROM ({positions})"
    )
    if south is None:
        raise InputError("A grid needs positions, but no event is left.")
    # The box of a point or a line needs a positive area too.
    return Box(
        max(south - 1e-9, -90.0),
        max(west - 1e-9, -180.0),
        min(north + 1e-9, 90.0),
        min(east + 1e-9, 180.0),
    )


def _metres(box: Box) -> tuple[str, str]:
    """SQL: metres east of the box's middle meridian, and north of the equator."""
    middle = (box.west + box.east) / 2
    phi = "radians(lat)"
    arc = (
        f"{RADIUS_M} * ({ARC[0]} * {phi} - {ARC[1]} * sin(2 * {phi})"
        f" + {ARC[2]} * sin(4 * {phi}) - {ARC[3]} * sin(6 * {phi}))"
    )
    parallel = f"{RADIUS_M} * cos({phi}) / sqrt(1 - {ECCENTRICITY2} * sin({phi}) * sin({phi}))"
    return f"({parallel} * radians(lon - {middle}))", f"({arc})"


def _corner(engine: Engine, box: Box, x: str, y: str) -> tuple[float, float]:
    """Return the lowest x and y of the box, from where cells are counted."""
    widest = max(box.south, min(box.north, 0.0))
    lats = f"(VALUES ({box.south}), ({box.north}), ({widest})) v(lat)"
    corners = f"{lats}, (VALUES ({box.west})) w(lon)"
    low_x, low_y = engine.row(f"SELECT min({x}), min({y}) FROM {corners}")
    return float(low_x), float(low_y)


@check_arguments()
def to_h3(events: Source, resolution: int) -> Events:
    """
    Replace positions by H3 cells; needs the extra ``trailprint[h3]``.

    Parameters
    ----------
    events : Events, path or table
        Events with positions.
    resolution : int
        From 0, cells of a continent, to 15, cells of a metre.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.places import to_h3
    >>> fixes = {"user": ["a", "b"], "lat": [46.50, 46.51], "lon": [6.6, 6.6]}
    >>> tp.inspect(to_h3(fixes, 9)).locations
    2
    """
    events = open_source(events)
    events.require("lat", "H3")
    check_h3(resolution)
    cell = f"{name_cells(resolution)}(lat, lon)"
    try:
        define_cells(events.engine.connection, cell)
    except ImportError:
        raise OptionError(
            "--h3 needs the package h3: pip install 'trailprint[h3]'.", option="h3"
        ) from None
    return _with_location(events, cell, f"H3 cells of resolution {resolution}.")


@check_arguments()
def to_regions(events: Source, mapping: PairSource) -> Events:
    """
    Replace locations by the regions that a file or table maps them to.

    A location missing from it is an error: leaving out its events would change the data silently.

    Parameters
    ----------
    events : Events, path or table
        Events with locations.
    mapping : path or table
        The region of each location, in columns ``location`` and ``region``.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.places import to_regions
    >>> rooms = {"user": ["a", "b"], "location": ["hall.1", "hall.2"]}
    >>> mapping = {"location": ["hall.1", "hall.2"], "region": ["campus", "campus"]}
    >>> tp.inspect(to_regions(rooms, mapping)).locations
    1
    """
    events = open_source(events)
    events.require("location", "A mapping to regions")
    return look_up_regions(events, _read_mapping(events.engine, mapping))


def look_up_regions(events: Events, table: str) -> Events:
    """Replace locations by regions from a table of the engine, which must map every location."""
    events.require("location", "A mapping to regions")
    joined = f"({events.query}) e LEFT JOIN {table} m ON CAST(e.location AS VARCHAR) = m.location"
    n_missing = events.engine.row(
        f"SELECT count(DISTINCT e.location) FROM {joined} WHERE m.region IS NULL"
    )[0]
    if n_missing:
        raise InputError(
            f"The mapping must name a region for every location, but {n_missing:,} have none. "
            "Add them to the mapping."
        )
    kept = events.list_columns(without={"location"}, table="e.")
    mapped = f"SELECT {kept}, m.region AS location FROM {joined}"
    return replace(events.derive(mapped, "Locations mapped to regions."), grid=None)


def _read_mapping(engine: Engine, mapping: PairSource) -> str:
    if not isinstance(mapping, str | os.PathLike):
        mapping = to_table(mapping, "mapping", REGION_COLUMNS)
    pairs = open_pairs(engine, mapping, REGION_COLUMNS, "A mapping")
    table = engine.materialise(
        "SELECT location, any_value(region) AS region, count(DISTINCT region) AS n "
        f"FROM ({pairs}) GROUP BY location",
        "mapping",
    )
    n_twice = engine.row(f"SELECT count_if(n > 1) FROM {table}")[0]
    if n_twice:
        raise InputError(
            f"A mapping must give each location one region, but {n_twice:,} have several."
        )
    return table


@check_arguments()
def truncate_names(events: Source, levels: int, separator: str = ".") -> Events:
    """
    Keep the first parts of hierarchical names: ``x.y.z`` becomes ``x.y`` or ``x``.

    Parameters
    ----------
    events : Events, path or table
        Events with locations.
    levels : int
        Number of parts to keep.
    separator : str
        Text between the parts.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.places import truncate_names
    >>> rooms = {"user": ["a", "b"], "location": ["hall.1", "hall.2"]}
    >>> tp.inspect(truncate_names(rooms, 1)).locations
    1
    """
    events = open_source(events)
    events.require("location", "Truncation of names")
    check_levels(levels)
    sep = quote_text(separator)
    parts = f"string_split(CAST(location AS VARCHAR), {sep})"
    return _with_location(
        events,
        f"array_to_string(list_slice({parts}, 1, {levels}), {sep})",
        f"Names of locations cut to {levels} part{'s' if levels > 1 else ''}.",
    )
