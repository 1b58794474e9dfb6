"""Moving datasets that are used in one query into one engine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trailprint.events.engine import Engine, quote_name, quote_text
from trailprint.events.events import Events
from trailprint.events.reading.files import escape_glob

#: Types that Parquet would round, which could merge two people's ids.
_HUGE = ("HUGEINT", "UHUGEINT")


def in_one_engine(datasets: Sequence[Events]) -> list[Events]:
    """
    Return the datasets in one engine: that of the first on Spark, else that of the first.

    Datasets of other engines are copied.
    """
    engines = [events.engine for events in datasets]
    engine = next((one for one in engines if one.is_on_spark), engines[0])
    return [_move(events, engine) for events in datasets]


def _move(events: Events, engine: Engine) -> Events:
    if events.engine is engine:
        return events
    if engine.is_on_spark:
        both = (events.query, events.raw_query)
        query, raw = (engine.take_in(events.engine, sql) for sql in both)
        return replace(events, engine=engine, query=query, raw_query=raw)
    query = _copy(events.engine, events.query, engine)
    raw_query = _copy(events.engine, events.raw_query, engine) if events.raw_query else ""
    return replace(events, engine=engine, query=query, raw_query=raw_query)


def _copy(source: Engine, query: str, target: Engine) -> str:
    """Copy rows through a file, which bounds memory; return a query of the file in ``target``."""
    path = os.path.join(target.scratch, target.new_name("copy") + ".parquet")
    columns = for_parquet(source.columns(query).items())
    source.run(f"COPY (SELECT {columns} FROM ({query})) TO {quote_text(path)} (FORMAT parquet)")
    return scratch_query(path)


def scratch_query(path: str) -> str:
    """Return a SELECT of one of our Parquet files; glob characters in its path are escaped."""
    return f"SELECT * FROM read_parquet([{quote_text(escape_glob(path))}], hive_partitioning=false)"


def for_parquet(types: Iterable[tuple[str, str]]) -> str:
    """SQL: columns for Parquet, which has no 128-bit integers: these become text."""
    columns = [
        f"CAST({quote_name(name)} AS VARCHAR) AS {quote_name(name)}"
        if kind in _HUGE
        else quote_name(name)
        for name, kind in types
    ]
    return ", ".join(columns)
