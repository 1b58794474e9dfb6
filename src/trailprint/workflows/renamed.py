"""Recover the names of locations that were renamed in the released events."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.arrays import Floats, Ints
from trailprint.attacks.renamed_locations import name_locations
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms, build_histogram_pair


class Recovered(NamedTuple):
    """Number of released locations, of those that got a name, and of rounds."""

    locations: int
    named: int
    rounds: int


def recover_locations(
    released: Events, auxiliary: Events, *, seed: int = 0, n_threads: int | None = None
) -> tuple[Events, Recovered]:
    """
    Rename the locations of the released side by matching how they are used.

    The released names are ignored. Locations that cannot be identified get a name that the
    auxiliary side does not have.
    """
    first, second = build_histogram_pair(released, auxiliary)
    hours = None
    if "start" in released.columns and "start" in auxiliary.columns:
        hours = _count_hours(released, first), _count_hours(auxiliary, second)
    found = name_locations(first, second, hours, seed=seed, n_threads=n_threads)
    used = np.unique(first.matrix.indices)
    recovered = Recovered(len(used), int((found.name[used] >= 0).sum()), found.n_rounds)
    return _rename(released, first.locations, found.name, used), recovered


def _count_hours(events: Events, histograms: Histograms) -> Floats:
    """Count visits by location and hour of the week."""
    here = events.local_start
    counted = events.engine.arrow(
        f"SELECT CAST(location AS VARCHAR) AS location, "
        f"(isodow({here}) - 1) * 24 + hour({here}) AS hour, count(*) AS n "
        f"FROM ({events.query}) GROUP BY ALL"
    )
    table = np.zeros((histograms.n_locations, 168))
    places = pc.index_in(counted["location"], value_set=histograms.locations)
    table[places.to_numpy(), counted["hour"].to_numpy()] = counted["n"].to_numpy()
    return table


def _rename(events: Events, locations: pa.Array, name: Ints, used: Ints) -> Events:
    """Replace locations by the names found, and drop positions, which would reveal them."""
    texts = locations.to_pylist()
    new = [texts[name[k]] if name[k] >= 0 else f"unknown {k}" for k in used]
    pairs = pa.table(
        {"secret": locations.take(pa.array(used)), "found": pa.array(new, pa.string())}
    )
    with events.engine.registered(pairs, "names") as registered:
        stored = events.engine.materialise(f"FROM {registered}", "found_names")
    others = events.list_columns(without=("location", "lat", "lon"))
    query = (
        f"SELECT {others}, found AS location FROM ({events.query}) "
        f"JOIN {stored} ON CAST(location AS VARCHAR) = secret"
    )
    return replace(events.derive(query), columns=events.columns - {"lat", "lon"})
