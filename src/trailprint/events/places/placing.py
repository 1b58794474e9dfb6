"""Places of events: stays from fixes, cells from positions, regions, truncated names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trailprint.arguments import Understood, check_arguments, check_fields, understood
from trailprint.display.tables import ResultTable
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.events.places.fixes import StayOptions, to_stays
from trailprint.events.places.grid import (
    REGION_COLUMNS,
    Box,
    GridOptions,
    check_h3,
    check_levels,
    extent,
    to_cells,
    to_h3,
    to_regions,
    truncate_names,
    within_box,
)
from trailprint.events.reading.opening import Source, open_sources
from trailprint.events.reading.side_files import to_table


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceOptions:
    """
    What counts as one place.

    Attributes
    ----------
    stays : StayOptions or str, optional
        Turn position fixes into visits: within this radius for at least this time, such as
        200m,20min. See `to_stays`.
    cell_m : float, optional
        Positions become square cells of this many metres. Data with positions and no locations
        gets cells of 1,000 m by default.
    h3 : int, optional
        Positions become H3 cells of this resolution. Needs ``trailprint[h3]``.
    box : Box or str, optional
        Only positions in south,west,north,east, in degrees.
    regions : path, optional
        A file with columns location and region. In Python also a table.
    truncate : int, optional
        Keep this many parts of names of locations such as x.y.z.

    Examples
    --------
    >>> from trailprint.options import PlaceOptions
    >>> PlaceOptions(cell_m=500, box="46.5,6.5,46.6,6.7").box.north
    46.6
    >>> PlaceOptions(regions={"location": ["hall.1", "hall.2"], "region": ["campus"] * 2}).regions
    ResultTable(name=regions, rows=2)
    """

    stays: StayOptions | str | None = None
    cell_m: float | None = None
    h3: int | None = None
    box: Box | str | None = None
    regions: Understood[str | os.PathLike[str] | ResultTable | None, Any] = understood(None)
    truncate: int | None = None

    def __post_init__(self) -> None:
        if self.regions is not None and not isinstance(self.regions, str | os.PathLike):
            # Options are shown and compared, which a plain table would not survive.
            table = ResultTable("regions", to_table(self.regions, "regions", REGION_COLUMNS))
            object.__setattr__(self, "regions", table)
        check_fields(self)
        if self.cell_m is not None and self.h3 is not None:
            raise OptionError("Only one of --cell and --h3 can be given, got both.", option="cell")
        if self.cell_m is not None:
            GridOptions(cell_m=self.cell_m)
        if self.h3 is not None:
            check_h3(self.h3)
        if self.truncate is not None:
            check_levels(self.truncate)
        if isinstance(self.box, str):
            object.__setattr__(self, "box", Box.parse(self.box))
        if isinstance(self.stays, str):
            object.__setattr__(self, "stays", StayOptions.parse(self.stays))


@check_arguments()
def place(datasets: Sequence[Source], options: PlaceOptions | None = None) -> list[Events]:
    """
    Assign places to events.

    All datasets share one grid: a cell means the same place in each.

    Parameters
    ----------
    datasets : list of Events, paths or tables
        Datasets that are to be compared.
    options : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.

    Examples
    --------
    >>> from trailprint.places import PlaceOptions, place
    >>> fixes = {"user": ["a", "b"], "lat": [46.50, 46.51], "lon": [6.6, 6.6]}
    >>> (placed,) = place([fixes], PlaceOptions(cell_m=50_000))
    >>> placed.cell_m
    50000
    """
    options, datasets = options or PlaceOptions(), open_sources(datasets)
    box = options.box if isinstance(options.box, Box) else None
    stays = options.stays
    placed = [
        to_stays(events, stays) if isinstance(stays, StayOptions) else events for events in datasets
    ]
    if options.cell_m is not None or (options.h3 is None and not _have_locations(placed)):
        placed = _to_common_cells(placed, options.cell_m, box)
    elif box is not None:
        placed = [within_box(events, box) for events in placed]
    if options.h3 is not None:
        placed = [to_h3(events, options.h3) for events in placed]
    if options.regions is not None:
        placed = [to_regions(events, options.regions) for events in placed]
    if options.truncate is not None:
        placed = [truncate_names(events, options.truncate) for events in placed]
    return placed


def _have_locations(datasets: Sequence[Events]) -> bool:
    return all("location" in events.columns for events in datasets)


def _to_common_cells(
    datasets: Sequence[Events], cell_m: float | None, box: Box | None
) -> list[Events]:
    for events in datasets:
        events.require("lat", "A grid")
    options = GridOptions(box=box) if cell_m is None else GridOptions(cell_m=cell_m, box=box)
    frame = None if box is not None else extent(datasets)
    return [to_cells(events, options, frame=frame) for events in datasets]
