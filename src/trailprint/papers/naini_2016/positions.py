"""Naini et al. 2016, IV-C: the data of the experiments on positions.

GeoLife's positions in a box of 39 km, people with two active weeks or more, the first half of
their weeks against the second; the user can change all of these.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.places.grid import Box, GridOptions, to_cells, within_box
from trailprint.events.reading.read import read
from trailprint.events.reading.times import check_timezone
from trailprint.events.split import Split, SplitOptions, split
from trailprint.features.histograms import build_histogram_pair
from trailprint.features.options import HistogramOptions, Weight
from trailprint.papers.experiment import Context
from trailprint.papers.naini_2016.people import GEOLIFE, Sides, pair_up, shared_engine
from trailprint.simulate.gps import GpsOptions, simulate_gps

CITY_BOX = "39.7294,116.1627,40.0806,116.6193"
"""39 km × 39 km around the middle of the fifth ring road; the paper gives no corners."""

#: Settings that ``--set`` may change, with their defaults.
SETTINGS: Mapping[str, str] = {
    "box": f"south,west,north,east of the city in degrees (default {CITY_BOX})",
    "cell-m": "side of the squares in metres (default 1000)",
    "weight": "what a histogram counts: visits (each fix, the default) or day-balanced",
    "timezone": "where weeks begin (default Asia/Shanghai)",
    "min-weeks": "active weeks a person needs (default 2)",
}
PROTOCOL = (
    "An odd number of active weeks gives the middle one to the first half. The paper gives no "
    "corners of its box: ours is 39 km wide and high around the middle of the fifth ring road."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """Settings for turning positions into two sides."""

    box: Box
    cell_m: float
    weight: Weight
    timezone: str
    min_weeks: int

    @classmethod
    def of(cls, context: Context) -> Protocol:
        """Return the paper's protocol with the user's settings applied."""
        chosen = context.settings
        weight = chosen.get("weight", "visits")
        HistogramOptions(weight=cast(Weight, weight))
        return cls(
            box=Box.parse(chosen.get("box", CITY_BOX)),
            cell_m=_metres(chosen.get("cell-m", "1000")),
            weight=cast(Weight, weight),
            timezone=chosen.get("timezone", _default_zone(context)),
            min_weeks=_weeks(chosen.get("min-weeks", "2")),
        )


def _default_zone(context: Context) -> str:
    """Return the time zone of GeoLife's people, unless another is given for all data."""
    given = context.reading.timezone
    return "Asia/Shanghai" if given == ReadOptions().timezone else given


def check_protocol(context: Context) -> None:
    """Reject invalid settings."""
    check_timezone(context.engine(), Protocol.of(context).timezone)


def _metres(text: str) -> float:
    with contextlib.suppress(ValueError, OptionError):
        return GridOptions(cell_m=float(text)).cell_m
    raise OptionError(
        f"--set cell-m must be a number of metres, got {text!r}. Try cell-m=500.", option="set"
    )


def _weeks(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise OptionError(
            f"--set min-weeks must be a number of weeks from 2 on, got {text!r}. Try min-weeks=4.",
            option="set",
        )
    return int(text)


def position_events(context: Context) -> Events:
    """Return all positions in the box, of people with enough active weeks."""

    def make() -> Events:
        protocol, engine, own = Protocol.of(context), shared_engine(context), context.own(GEOLIFE)
        events = (
            read(simulate_gps(GpsOptions(seed=context.seed)), engine=engine)
            if own is None
            else _read_positions(own, protocol, context)
        )
        return _active(within_box(events, protocol.box), protocol.min_weeks).materialise()

    return context.share("2016 positions", make)


def _active(events: Events, min_weeks: int) -> Events:
    """Keep only people with at least this many active weeks."""
    week = f"date_trunc('week', {events.local_start})"
    return events.having(
        f'"user" IN (SELECT "user" FROM ({events.query}) GROUP BY "user" '
        f"HAVING count(DISTINCT {week}) >= {min_weeks})"
    )


def _read_positions(source: Path, protocol: Protocol, context: Context) -> Events:
    """Read GeoLife's folders as downloaded, or any other source of positions."""
    is_geolife = source.is_dir() and any(source.glob("**/Trajectory/*.plt"))
    layout = "geolife" if is_geolife else context.reading.layout
    return context.read(GEOLIFE, layout=layout, timezone=protocol.timezone)


def position_halves(context: Context) -> Split:
    """Split each person's active weeks in halves; people with a single week are left out."""

    def make() -> Split:
        halves = split(position_events(context), SplitOptions(halves_of_weeks=True))
        return Split(
            released=halves.released.materialise(),
            auxiliary=halves.auxiliary.materialise(),
            description=halves.description,
        )

    return context.share("2016 position halves", make)


def position_sides(context: Context, cell_m: float | None = None) -> Sides:
    """Return histograms of fixes over square cells, by default of the protocol's size."""
    protocol = Protocol.of(context)
    side_m = protocol.cell_m if cell_m is None else cell_m

    def make() -> Sides:
        halves, grid = position_halves(context), GridOptions(cell_m=side_m, box=protocol.box)
        cells = [to_cells(side, grid) for side in (halves.released, halves.auxiliary)]
        counting = HistogramOptions(weight=protocol.weight)
        return pair_up(build_histogram_pair(cells[0], cells[1], counting))

    return context.share(f"2016 cells of {side_m:g} m", make)
