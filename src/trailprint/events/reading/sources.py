"""Conversion of any source into events: paths, frames, tables, relations."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import pyarrow as pa

from trailprint.errors import OptionError
from trailprint.events.engine import Engine, default_engine
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions, place
from trailprint.events.reading.arrow_tables import check_used, to_arrow
from trailprint.events.reading.frames import NoTableError, plain_frame
from trailprint.events.reading.headers import Header
from trailprint.events.reading.read import read
from trailprint.events.reading.side_files import read_truth

#: `Events`, or what `trailprint.read` takes: a path, a pandas, polars, Arrow, geopandas,
#: scikit-mobility, trackintel or Spark frame, or a DuckDB relation.
Source: TypeAlias = Any
#: Pairs of ids in columns ``released`` and ``auxiliary``: a path or a table.
TruthSource: TypeAlias = Any


def open_source(source: Source, reading: ReadOptions | None = None) -> Events:
    """Return one source as events, without placing them."""
    return open_sources([source], reading)[0]


def open_sources(sources: list[Source], reading: ReadOptions | None = None) -> list[Events]:
    """Return sources as events, read in the engine of the first that already is events."""
    if reading is not None and all(isinstance(source, Events) for source in sources):
        raise OptionError(
            "reading is for data that is not yet read, got Events. Give it to the first "
            "trailprint.read, as its options."
        )
    opened = (source.engine for source in sources if isinstance(source, Events))
    engine = next(opened, None)
    return [
        source if isinstance(source, Events) else read(source, reading, engine=engine)
        for source in sources
    ]


def open_places(
    sources: list[Source],
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
) -> list[Events]:
    """Return sources as events with locations; positions are mapped to one common grid."""
    return place(open_sources(sources, reading), places)


def open_truth(truth: TruthSource | None, engine: Engine | None = None) -> pa.Table | None:
    """Return the true pairs of ids as a table; None if ``truth`` is None."""
    if truth is None or isinstance(truth, pa.Table):
        return truth
    if isinstance(truth, str | os.PathLike):
        return read_truth(engine or default_engine(), truth)
    plain = plain_frame(truth)
    try:
        converted = to_arrow(plain)
    except NoTableError:
        raise OptionError(
            "truth must be a path or a table with columns released and auxiliary, got "
            f"{type(truth).__name__} instead."
        ) from None
    names = ("released", "auxiliary")
    check_used(converted.refused, names, Header(names=names))
    return converted.table
