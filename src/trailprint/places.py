"""
Places, step by step: stays from fixes, cells from positions, H3 cells, regions, shorter names.

Every function takes what `trailprint.read` takes, or its result. Most users need none of them:
``places=PlaceOptions(...)`` of `trailprint.match`, `trailprint.inspect` and others does all of it,
with one grid for both sides.

Examples
--------
>>> import pyarrow as pa
>>> import trailprint as tp
>>> from trailprint.places import *
>>> positions = {"user": ["a", "a", "b"], "lat": [46.50, 46.51, 46.60], "lon": [6.6, 6.6, 6.7]}
>>> events = tp.read(pa.table(positions))
>>> extent([events]) == Box(46.499999999, 6.599999999, 46.600000001, 6.700000001)
True
>>> tp.inspect(to_cells(events, GridOptions(cell_m=5000))).locations
2
>>> tp.inspect(to_h3(events, 9)).locations
3
>>> within_box(events, Box(46.4, 6.5, 46.55, 6.65)).count()
2
>>> (placed,) = place([events], PlaceOptions(cell_m=50_000))
>>> tp.inspect(placed).locations
1
>>> rooms = {"user": ["a", "b"], "location": ["hall.1", "hall.2"]}
>>> tp.inspect(truncate_names(rooms, 1)).locations
1
>>> campus = {"location": ["hall.1", "hall.2"], "region": ["campus", "campus"]}
>>> tp.inspect(to_regions(rooms, campus)).locations
1
"""

from trailprint.events.places.fixes import StayOptions, to_stays
from trailprint.events.places.grid import (
    Box,
    GridOptions,
    extent,
    to_cells,
    to_h3,
    to_regions,
    truncate_names,
    within_box,
)
from trailprint.events.places.placing import PlaceOptions, place

__all__ = [
    "Box",
    "GridOptions",
    "PlaceOptions",
    "StayOptions",
    "extent",
    "place",
    "to_cells",
    "to_h3",
    "to_regions",
    "to_stays",
    "truncate_names",
    "within_box",
]
