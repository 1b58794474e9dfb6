"""Positions of locations: the mean position of their events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.arrays import Floats
from trailprint.events.events import Events


def locate(sides: Sequence[Events], locations: pa.Array) -> Floats:
    """
    Mean position of each location on the unit sphere, (n, 3), over the events of all sides.

    A location without a position is nan.
    """
    total = np.zeros((len(locations), 3))
    for events in sides:
        events.require("lat", "Measuring distances between locations")
        table = events.engine.arrow(_sums(events))
        found = pc.index_in(table["location"].cast(pa.string()), value_set=locations)
        known = pc.is_valid(found).to_numpy()
        row = found.filter(pc.is_valid(found)).to_numpy()
        for axis, name in enumerate(("x", "y", "z")):
            total[:, axis] += np.bincount(row, table[name].to_numpy()[known], len(locations))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    place: Floats = np.divide(total, length, out=np.full_like(total, np.nan), where=length > 0)
    return place


def _sums(events: Events) -> str:
    """SQL: sums of points on the unit sphere by location, added in a fixed order."""
    axes = {
        "x": "cos(radians(lat)) * cos(radians(lon))",
        "y": "cos(radians(lat)) * sin(radians(lon))",
        "z": "sin(radians(lat))",
    }
    sums = ", ".join(f"sum({axis} ORDER BY {axis}) AS {name}" for name, axis in axes.items())
    known = "location IS NOT NULL AND lat IS NOT NULL AND lon IS NOT NULL"
    return f"SELECT location, {sums} FROM ({events.query}) WHERE {known} GROUP BY location"
