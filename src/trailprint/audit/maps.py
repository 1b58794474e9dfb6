"""Map of the locations of an audit, only for a report that may name them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from trailprint.arrays import Floats, Ints
from trailprint.audit.context import AuditContext
from trailprint.features.positions import locate
from trailprint.studies.findings import LocationMap, MapPlace, Why
from trailprint.studies.small_counts import SMALL

MOST_PLACES = 1_500
"""Most places on a map: those with the most people."""
_DECIMALS = 3
"""Decimals of degrees: about a hundred metres."""


def draw_up_map(context: AuditContext, top: Ints, why: Why) -> LocationMap | None:
    """
    Return a map of the released places, with their people and their contribution to links.

    Places of fewer than `SMALL` people are left out. ``top`` are the locations of ``why``, in its
    order. Return None without positions, or if no place is left.
    """
    released = context.events[0]
    if not {"lat", "lon", "location"} <= released.columns:
        return None
    histograms = context.histograms[0]
    n_people = np.bincount(histograms.matrix.indices, minlength=histograms.n_locations)
    often = np.flatnonzero(n_people >= SMALL)
    order = np.lexsort((often, -n_people[often]))
    chosen = often[order][:MOST_PLACES]
    if not len(chosen):
        return None
    lat, lon = _find_places(context, histograms.locations.take(pa.array(chosen)))
    owed = dict(zip(top.tolist(), (row.contribution for row in why.locations), strict=True))
    places = tuple(
        MapPlace(lat=float(y), lon=float(x), people=int(n_people[k]), contribution=owed.get(int(k)))
        for k, y, x in zip(chosen, lat, lon, strict=True)
        if np.isfinite(y) and np.isfinite(x)
    )
    return LocationMap(places=places, cell_m=released.cell_m, left_out=len(often) - len(chosen))


def _find_places(context: AuditContext, names: pa.Array) -> tuple[Floats, Floats]:
    """Return centres of cells; for other locations, the rounded mean position of their events."""
    grid = context.events[0].grid
    if grid is not None:
        return grid.for_public().centres([str(name) for name in names.to_pylist()])
    x, y, z = locate(context.events, names).T
    lat, lon = np.degrees(np.arcsin(z)), np.degrees(np.arctan2(y, x))
    return np.round(lat, _DECIMALS), np.round(lon, _DECIMALS)
