"""Row-wise DuckDB queries that workers run, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from trailprint.engines.h3_cells import define_cells
from trailprint.engines.spark.tasks import OTHER_KERNELS, get_version

#: The table name of a batch's rows in the query.
ROWS = "trailprint_rows"
#: Start of the error message of a worker with another version of DuckDB.
OTHER_DUCKDB = "trailprint-other-duckdb"


@cache
def _connect() -> Any:
    """Return the worker's DuckDB; it holds one batch at a time and downloads nothing."""
    config: dict[str, Any] = {"threads": 1, "autoinstall_known_extensions": False}
    connection = duckdb.connect(":memory:", config=config)
    connection.execute("SET TimeZone = 'UTC'")
    return connection


class Versions(NamedTuple):
    """Versions that must be the same on the driver and on workers that map rows."""

    trailprint: str
    duckdb: str

    @classmethod
    def here(cls) -> Versions:
        """Return the versions of this process."""
        return cls(get_version(), duckdb.__version__)


def map_rows(
    batches: Iterable[pa.RecordBatch], query: str, schema: pa.Schema, versions: Versions
) -> Iterator[pa.RecordBatch]:
    """Apply a query to each batch, which the query refers to as `ROWS`."""
    here = Versions.here()
    if here.trailprint != versions.trailprint:
        raise RuntimeError(OTHER_KERNELS)
    if here.duckdb != versions.duckdb:
        raise RuntimeError(OTHER_DUCKDB)
    for batch in batches:
        found = _run(query, pa.Table.from_batches([batch]))
        yield from found.cast(schema).to_batches()


def describe_rows(query: str, schema: pa.Schema) -> pa.Schema:
    """The result schema of a query on rows of this schema."""
    return _run(query, schema.empty_table()).schema


def _run(query: str, rows: pa.Table) -> pa.Table:
    connection = _connect()
    define_cells(connection, query)
    connection.register(ROWS, rows)
    try:
        return connection.sql(query).to_arrow_table()
    finally:
        connection.unregister(ROWS)
