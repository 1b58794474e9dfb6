"""Naini et al. 2016: the maps of Figures 4 and 10, drawn only if locations may be named."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.errors import ColumnError, InputError
from trailprint.events.events import Events
from trailprint.events.places.grid import GridOptions, to_cells
from trailprint.papers.comparison import Comparison, forced
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.papers.naini_2016.people import CALLS, PAPER, call_population
from trailprint.papers.naini_2016.positions import Protocol, position_events
from trailprint.studies.small_counts import SMALL

CELL_M, CELLS_A_SQUARE = 100.0, 5
"""Side of the paper's squares in metres, and how many of them make a side of our map's squares."""
MAP_SQUARE_M = CELL_M * CELLS_A_SQUARE
N_COLOURS = 6
DECIMALS = 3
"""Decimals of degrees: about 100 m."""

_PAPER_ANTENNAS, _PAPER_REGIONS = 1_211, 237
_AS_MANY = forced("As many antennas and regions are simulated as the paper has, in proportion.")
UNNAMED = (
    "The paper draws a map. Here it is counts, so that no position is shown; --name-locations "
    "draws the map as well."
)
NOT_ON_THE_MAP = f"Places of fewer than {SMALL} people are not on the map."


def map_squares(context: Context) -> list[dict[str, Any]]:
    """
    Return Figure 10(a): squares of 500 m, and the share of their 100 m squares with a fix.

    Squares of fewer than `SMALL` people are left out.
    """
    events = position_events(context)
    cells = to_cells(events, GridOptions(cell_m=CELL_M, box=Protocol.of(context).box))
    x, y = (f"CAST(regexp_extract(location, '{axis}(-?\\d+)', 1) AS INTEGER)" for axis in "xy")
    found = events.engine.arrow(
        f"SELECT x // {CELLS_A_SQUARE} AS column_, y // {CELLS_A_SQUARE} AS row_, "
        "count(DISTINCT (x, y)) AS n_cells FROM "
        f'(SELECT "user", {x} AS x, {y} AS y FROM ({cells.query})) '
        f'GROUP BY ALL HAVING count(DISTINCT "user") >= {SMALL} ORDER BY ALL'
    )
    if cells.grid is None or not found.num_rows:
        return []
    # The centre of the middle cell is the centre of the square.
    middle = CELLS_A_SQUARE // 2
    column, row = (CELLS_A_SQUARE * found[name].to_numpy() + middle for name in ("column_", "row_"))
    names = [f"x{i}_y{j}" for i, j in zip(column, row, strict=True)]
    lat, lon = cells.grid.for_public().centres(names)
    share = found["n_cells"].to_numpy() / CELLS_A_SQUARE**2
    return _places(lat, lon, share)


def _places(lat: Floats, lon: Floats, amount: Floats) -> list[dict[str, Any]]:
    return [
        {"lat": round(float(y), DECIMALS), "lon": round(float(x), DECIMALS), "amount": float(n)}
        for y, x, n in zip(lat, lon, amount, strict=True)
    ]


def map_chart(title: str, **more: Any) -> Chart:
    """Return a map of rows with ``lat`` and ``lon``."""
    return Chart(
        kind="map", x="lon", y="lat", x_title="longitude", y_title="latitude", title=title, **more
    )


def run_figure_4(context: Context) -> ExperimentOutcome:
    """Antennas per region, and a map of them if locations may be named."""
    context.report("Counting antennas", 0.0)
    n_antennas = np.sort(_antennas_per_region(context))[::-1]
    counted = [
        {"part": "regions", "rank": rank, "antennas": int(n)}
        for rank, n in enumerate(n_antennas, start=1)
    ]
    drawn = _map_antennas(context) if context.name_locations else []
    nowhere = dict.fromkeys(("lat", "lon", "colour")) if drawn else {}
    charts = [
        Chart(
            kind="line",
            x="rank",
            y="antennas",
            x_title="regions, the largest first",
            y_title="antennas",
            log_x=True,
            log_y=True,
            where={"part": "regions"},
        )
    ]
    if drawn:
        charts.append(map_chart("Antennas by region", series="colour", where={"part": "map"}))
    return ExperimentOutcome(
        rows=[*({**row, **nowhere} for row in counted), *drawn],
        comparisons=(
            _compare("antennas in use", _PAPER_ANTENNAS, int(n_antennas.sum())),
            _compare("regions", _PAPER_REGIONS, len(n_antennas)),
        ),
        reading=f"{int(n_antennas.sum()):,} antennas lie in {len(n_antennas):,} regions; the "
        f"largest has {int(n_antennas[0]):,}, half have {np.median(n_antennas):,.0f} or fewer.",
        charts=charts,
        notes=_notes(context, drawn=bool(drawn)),
    )


def _compare(quantity: str, paper: int, ours: int) -> Comparison:
    return Comparison(
        quantity=quantity, paper=paper, ours=ours, basis=_AS_MANY, unit=quantity.split()[0]
    )


def _notes(context: Context, *, drawn: bool) -> tuple[str, ...]:
    if drawn:
        return ("Colours tell regions apart that lie side by side.", NOT_ON_THE_MAP)
    if not context.name_locations:
        return (UNNAMED,)
    return (
        "There is no map: it needs call records of your own with columns lat and lon, and "
        f"antennas of {SMALL} people or more.",
    )


def _own_calls(context: Context) -> Events:
    """Return the user's own call records, including the region of each antenna."""
    return context.share("2016 own calls with regions", lambda: _read_calls(context))


def _read_calls(context: Context) -> Events:
    try:
        return context.read(CALLS, keep_columns=("region",)).materialise()
    except ColumnError:
        context.read(CALLS)  # Any other problem is raised here.
        raise InputError(
            "2016-figure-4 needs call records with a column 'region' beside the antenna, but "
            "there is none. Name it so."
        ) from None


def _antennas_per_region(context: Context) -> Ints:
    """Count the antennas in use in each region."""
    if context.own(CALLS) is None:
        population = call_population(context, large=True)
        used = np.unique(np.concatenate([week.antenna for week in population.weeks]))
        n_used = np.bincount(population.antenna_region[used])
        return n_used[n_used > 0]
    calls = _own_calls(context)
    calls.require("location", "2016-figure-4")
    region = calls.carried_columns[0]
    counted = calls.engine.rows(
        f"SELECT count(DISTINCT location) FROM ({calls.query}) GROUP BY {region}"
    )
    return np.array([n for (n,) in counted], dtype=np.int64)


def _map_antennas(context: Context) -> list[dict[str, Any]]:
    """Return antennas of `SMALL` people or more with region colours; empty without positions."""
    if context.own(CALLS) is None or not {"lat", "lon"} <= _own_calls(context).columns:
        return []
    calls = _own_calls(context)
    region = calls.carried_columns[0]
    found = calls.engine.arrow(
        f"SELECT avg(lat) AS lat, avg(lon) AS lon, CAST(min({region}) AS VARCHAR) AS region "
        f"FROM ({calls.query}) WHERE lat IS NOT NULL AND lon IS NOT NULL GROUP BY location "
        f'HAVING count(DISTINCT "user") >= {SMALL} ORDER BY ALL'
    )
    lat, lon = (found[name].to_numpy() for name in ("lat", "lon"))
    _, region_of = np.unique(found["region"].to_numpy(zero_copy_only=False), return_inverse=True)
    colour = colour_regions(np.column_stack([lat, lon]), region_of)[region_of]
    return [
        {
            "part": "map",
            "rank": None,
            "antennas": None,
            "lat": round(float(y), DECIMALS),
            "lon": round(float(x), DECIMALS),
            "colour": f"colour {own + 1}",
        }
        for y, x, own in zip(lat, lon, colour, strict=True)
    ]


def colour_regions(position: Floats, region: Ints) -> Ints:
    """
    Choose a colour for each region so that nearby regions differ.

    Regions are coloured greedily, largest first, each with the colour whose nearest region is
    farthest away. ``position`` has one row per antenna, ``region`` its region, from 0.
    """
    n_regions = int(region.max()) + 1 if len(region) else 0
    size = np.bincount(region, minlength=n_regions)
    middle = np.column_stack([np.bincount(region, axis) / size for axis in position.T])
    away = np.linalg.norm(middle[:, None] - middle[None], axis=2)
    colour = np.full(n_regions, -1, dtype=np.int64)
    for own in np.argsort(-size, kind="stable"):
        nearest = [away[own, colour == each].min(initial=np.inf) for each in range(N_COLOURS)]
        colour[own] = int(np.argmax(nearest))
    return colour


EXPERIMENTS = (
    Experiment(
        name="2016-figure-4",
        paper=PAPER,
        title="Antennas and their regions (call records)",
        run=run_figure_4,
        sources=(CALLS,),
    ),
)
