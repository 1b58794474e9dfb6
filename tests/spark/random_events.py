"""Random events with everything that two engines may see differently, in both."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

import trailprint as tp

#: Over a night in which clocks are set back, and one in which they are set forward.
_BEGIN, _DAYS = datetime(2024, 3, 10), 40
_COLUMNS = {
    "stays": ("user", "location", "start", "end"),
    "zoned": ("user", "location", "start", "end"),
    "counted": ("user", "location", "start", "count"),
    "positions": ("user", "lat", "lon", "start"),
}
_READING = {"zoned": tp.ReadOptions(timezone="Europe/Zurich")}


def make_events(seed: int, n_rows: int = 150) -> pa.Table:
    """Rows of a few people: open ends, fractions, ids that are numbers, rows that come twice."""
    rng = np.random.default_rng(seed)
    span = _DAYS * 86_400 * 10**6
    moments = rng.integers(0, span, n_rows)
    nights = datetime(2024, 3, 31, 1), datetime(2024, 3, 31, 2, 30), datetime(2024, 3, 31, 3)
    starts = [_BEGIN + timedelta(microseconds=int(moment)) for moment in moments]
    starts[: len(nights)] = nights
    lasting = rng.integers(0, 3 * 86_400, n_rows)
    ends = [start + timedelta(seconds=int(s)) for start, s in zip(starts, lasting, strict=True)]
    columns = {
        "user": pa.array(rng.integers(0, 9, n_rows), pa.int32()),
        "location": pa.array([f"b{a}.f{b}" for a, b in rng.integers(0, 4, (n_rows, 2))]),
        "start": pa.array(starts, pa.timestamp("us")),
        "end": pa.array([None if i % 9 == 0 else end for i, end in enumerate(ends)]).cast(
            pa.timestamp("us")
        ),
        "lat": pa.array(46 + rng.random(n_rows)),
        "lon": pa.array(6 + rng.random(n_rows)),
        "count": pa.array(rng.random(n_rows) * 5),
    }
    table = pa.table(columns)
    return pa.concat_tables([table, table.slice(0, 5)])


def to_spark(spark: Any, table: pa.Table) -> Any:
    """The same rows as a DataFrame; times without a zone stay such."""
    frame = spark.createDataFrame(table)
    naive = [field.name for field in table.schema if field.type == pa.timestamp("us")]
    return frame.withColumns({name: frame[name].cast("timestamp_ntz") for name in naive})


def read_both(spark: Any, table: pa.Table, kind: str) -> tuple[tp.Events, tp.Events]:
    """Events in DuckDB and on Spark."""
    chosen, options = table.select(_COLUMNS[kind]), _READING.get(kind)
    return tp.read(chosen, options), tp.read(to_spark(spark, chosen), options)
