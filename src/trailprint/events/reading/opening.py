"""Sources of any kind as events, without places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.reading.read import read

#: `Events`, or what `trailprint.read` takes: a path, a pandas, polars, Arrow, geopandas,
#: scikit-mobility, trackintel or Spark frame, or a DuckDB relation.
Source: TypeAlias = Any


def open_source(source: Source, reading: ReadOptions | None = None) -> Events:
    """Return one source as events, without placing them."""
    return open_sources([source], reading)[0]


def open_sources(sources: Sequence[Source], reading: ReadOptions | None = None) -> list[Events]:
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
