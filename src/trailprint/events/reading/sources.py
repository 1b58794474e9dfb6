"""What workflows take: datasets with places, and pairs of ids."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import pyarrow as pa

from trailprint.events.engine import Engine, default_engine
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions, place
from trailprint.events.reading.opening import Source as Source
from trailprint.events.reading.opening import open_sources
from trailprint.events.reading.side_files import read_truth, to_table

#: Pairs of ids in columns ``released`` and ``auxiliary``: a path or a table.
TruthSource: TypeAlias = Any


def open_places(
    sources: list[Source],
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
) -> list[Events]:
    """Return sources as events with locations; positions are mapped to one common grid."""
    return place(open_sources(sources, reading), places)


def open_truth(truth: TruthSource | None, engine: Engine | None = None) -> pa.Table | None:
    """Return the true pairs of ids as a table; None if ``truth`` is None."""
    return None if truth is None else open_id_pairs(truth, engine)


def open_id_pairs(
    pairs: TruthSource,
    engine: Engine | None = None,
    *,
    option: str = "truth",
    what: str = "A truth",
) -> pa.Table:
    """Return pairs of ids as a table; errors name the ``option``, or ``what`` a file holds."""
    if isinstance(pairs, str | os.PathLike):
        return read_truth(engine or default_engine(), pairs, what)
    return to_table(pairs, option, ("released", "auxiliary"))
