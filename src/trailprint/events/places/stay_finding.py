"""Stays from sorted fixes: batches of a file go through the kernel, which keeps one open run."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from trailprint.kernels.stays import (
    OpenRun,
    StayRule,
    Stays,
    end_run,
    find_stays,
    no_run,
    room_for_stays,
)
from trailprint.kernels.stopping import check_stop

#: Fixes per batch.
BATCH_ROWS = 500_000


def write_stays(
    fixes: str, path: str, rule: tuple[float, int, int, int], batch_rows: int = BATCH_ROWS
) -> tuple[int, int]:
    """
    Write the stays of a Parquet file of fixes to another; return the numbers of fixes and stays.

    ``fixes`` has columns user, time (microseconds), lat and lon, sorted by the first two. ``rule``
    holds metres and three durations in microseconds: see `StayRule`.
    """
    source = pq.ParquetFile(fixes)
    schema = _schema(source.schema_arrow.field("user").type)
    finder = _Finder(StayRule(*rule))
    n_stays = 0
    with source, pq.ParquetWriter(path, schema) as writer:
        for batch in source.iter_batches(batch_rows):
            check_stop()
            n_stays += _append(writer, finder.go_on(batch))
        n_stays += _append(writer, finder.finish())
        return source.metadata.num_rows, n_stays


def _append(writer: pq.ParquetWriter, stays: pa.Table) -> int:
    writer.write_table(stays.cast(writer.schema))
    return int(stays.num_rows)


def _schema(user: pa.DataType) -> pa.Schema:
    times = [(name, pa.timestamp("us")) for name in ("start", "end")]
    places = [(name, pa.float64()) for name in ("lat", "lon")]
    return pa.schema([("user", user), *times, *places])


class _Finder:
    """Finds stays in successive batches of sorted fixes and keeps the run that is still open."""

    def __init__(self, rule: StayRule) -> None:
        self._rule = rule
        self._run: OpenRun = no_run()
        self._last_user = pa.nulls(1)

    def go_on(self, batch: pa.RecordBatch) -> pa.Table:
        """Return the stays that end in a batch."""
        users = _with_last(self._last_user, batch.column("user"))
        out = room_for_stays(batch.num_rows + 1)
        n_out = find_stays(
            _changes(users),
            _to_numpy(batch.column("time")),
            _to_numpy(batch.column("lat")),
            _to_numpy(batch.column("lon")),
            self._rule,
            self._run,
            out,
        )
        self._last_user = users.slice(len(users) - 1)
        return _to_table(users, out, n_out)

    def finish(self) -> pa.Table:
        """Return the last stay, if the last run is one."""
        out = room_for_stays(1)
        n_out = end_run(self._run, self._run.clock[1], -1, self._rule, out, 0)
        return _to_table(self._last_user, out, n_out)


def _with_last(last: pa.Array, users: pa.Array) -> pa.Array:
    """Return users preceded by the last user of the previous batch (null for the first batch)."""
    return pa.concat_arrays([last.cast(users.type), users])


def _changes(users: pa.Array) -> Any:
    """Return whether each user, except the first, differs from the previous one."""
    differs = pc.not_equal(users.slice(1), users.slice(0, len(users) - 1))
    return _to_numpy(pc.fill_null(differs, True))


def _to_numpy(values: pa.Array) -> Any:
    return values.to_numpy(zero_copy_only=False)


def _to_table(users: pa.Array, found: Stays, number: int) -> pa.Table:
    """Return stays as a table; a stay's row is counted from the second user."""
    columns = {
        "user": users.take(pa.array(found.row[:number] + 1)),
        "start": pa.array(found.start[:number]).cast(pa.timestamp("us")),
        "end": pa.array(found.end[:number]).cast(pa.timestamp("us")),
        "lat": pa.array(found.lat[:number]),
        "lon": pa.array(found.lon[:number]),
    }
    return pa.table(columns)
