"""Read weights of locations from a file or a table."""

from __future__ import annotations

import os

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.arrays import Floats
from trailprint.errors import ColumnError, InputError
from trailprint.events.engine import Engine
from trailprint.events.reading.side_files import open_pairs, to_table
from trailprint.events.reading.sources import TruthSource

_COLUMNS = ("location", "weight")


def open_location_weights(
    weights: TruthSource | None, locations: pa.Array, engine: Engine
) -> Floats | None:
    """
    Return the weight of each of ``locations``; 1 for those not named.

    Returns None if no weights are given. Weights must be zero or more, and not all zero.
    """
    if weights is None:
        return None
    names, own = _read(weights, engine)
    place = pc.index_in(names, value_set=locations)
    if pc.all(pc.is_null(place)).as_py():
        raise InputError(
            "Location weights must name at least one location that both sides have, but they "
            "name none. Are locations named as in the data?"
        )
    known = pc.is_valid(place)
    found = np.ones(len(locations))
    found[place.filter(known).to_numpy()] = own[known.to_numpy(zero_copy_only=False)]
    if not found.any():
        raise InputError("At least one location must have a weight above zero, but none has.")
    return found


def _read(weights: TruthSource, engine: Engine) -> tuple[pa.Array, Floats]:
    """Read the names of locations, without repeats, and their weights."""
    table = _open(weights, engine)
    names = pa.chunked_array(table["location"]).cast(pa.string()).combine_chunks()
    try:
        own = pc.cast(table["weight"], pa.float64()).to_numpy().astype(np.float64)
    except pa.ArrowInvalid:
        own = np.full(len(table), np.nan)
    n_bad = int(np.count_nonzero(~(np.isfinite(own) & (own >= 0))))
    if n_bad:
        raise InputError(
            f"Location weights must be numbers of zero or more, but {n_bad:,} are not."
        )
    n_twice = len(names) - len(pc.unique(names))
    if n_twice:
        raise InputError(
            f"Location weights must name each location once, but {n_twice:,} rows name one again."
        )
    return names, own


def _open(weights: TruthSource, engine: Engine) -> pa.Table:
    if isinstance(weights, str | os.PathLike):
        pairs = open_pairs(engine, weights, _COLUMNS, "Location weights")
        number = "coalesce(TRY_CAST(weight AS DOUBLE), 'nan'::DOUBLE) AS weight"
        return engine.arrow(f"SELECT location, {number} FROM ({pairs})")
    table = to_table(weights, "location_weights", _COLUMNS)
    if not set(_COLUMNS) <= set(table.column_names):
        raise ColumnError("Location weights must have the columns location and weight.")
    return table
