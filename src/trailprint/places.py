"""
Places, step by step: stays of fixes, cells of positions, H3 cells, regions, shorter names.

Every function takes `trailprint.Events` and gives them locations. Most people need none of them:
``places=PlaceOptions(...)`` of `trailprint.match`, `trailprint.inspect` and the others does it all,
with one grid for both sides.
"""

from trailprint.events.fixes import StayOptions, to_stays
from trailprint.events.grid import (
    Box,
    GridOptions,
    extent,
    to_cells,
    to_h3,
    to_regions,
    truncate_names,
    within_box,
)
from trailprint.events.placing import PlaceOptions, place

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
