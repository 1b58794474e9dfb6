"""Tables of a Spark session: views that queries refer to, collected as Arrow tables."""

from __future__ import annotations

import contextlib
import queue
import threading
import uuid
import warnings
from contextlib import AbstractContextManager
from functools import cache, partial

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from trailprint.engines.spark.failures import explaining_failures
from trailprint.engines.spark.job_groups import in_job_group
from trailprint.engines.spark.rows import Versions, describe_rows, map_rows

#: Settings that our queries rely on, whatever those of the given session are.
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
#: Settings copied from the given session: the degree of parallelism.
_TAKEN_OVER = ("spark.sql.shuffle.partitions", "spark.sql.adaptive.enabled")
#: From Spark's names of types to DuckDB's.
_TYPES = {
    "string": "VARCHAR",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BLOB",
}
#: Unsigned types, and the Spark types that can hold their values.
_SIGNED = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
}


class SparkTables:
    """
    Tables in a new session derived from a given one.

    The new session has its own settings and views, and shares the cluster of the given one.
    """

    def __init__(self, session: SparkSession) -> None:
        self._given = session
        self._session = session.newSession()
        for key, value in _SETTINGS.items():
            self._session.conf.set(key, value)
        for key in _TAKEN_OVER:
            self._session.conf.set(key, str(session.conf.get(key)))
        self._frames: dict[str, DataFrame] = {}
        self._group = f"trailprint-{uuid.uuid4().hex}"
        _close_unneeded()

    @property
    def given(self) -> SparkSession:
        """The session that was given."""
        return self._given

    def __contains__(self, name: str) -> bool:
        return name in self._frames

    def adopt(self, name: str, frame: DataFrame) -> None:
        """Register a DataFrame of the given session for queries."""
        shared = f"trailprint_{uuid.uuid4().hex}"
        with explaining_failures(_NOT_READ):
            frame.createGlobalTempView(shared)
            try:
                self._show(name, self._session.table(f"global_temp.{shared}"))
            finally:
                self._given.catalog.dropGlobalTempView(shared)

    def upload(self, name: str, table: pa.Table) -> None:
        """Register an Arrow table for queries."""
        table = _with_signs(table)
        with explaining_failures(_NOT_READ):
            schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
            self._show(name, self._session.createDataFrame(table, schema=schema))

    def define(self, name: str, sql: str) -> None:
        """Register a Spark query for other queries; it runs once, when first used."""
        with explaining_failures(_NOT_READ):
            self._show(name, self._session.sql(sql).persist(StorageLevel.MEMORY_AND_DISK))

    def map(self, name: str, sql: str, query: str) -> bool:
        """
        Register the rows of a Spark query ``sql``, mapped by a DuckDB query ``query``.

        Return False if Spark has no type for a column of the result.
        """
        with explaining_failures(_NOT_READ):
            rows = self._session.sql(sql)
            made = describe_rows(query, to_arrow_schema(rows.schema, timezone="UTC"))
            if any(pa.types.is_unsigned_integer(kind) for kind in made.types):
                return False
            there = from_arrow_schema(made, prefer_timestamp_ntz=True)
            work = partial(map_rows, query=query, schema=made, versions=Versions.here())
            with warnings.catch_warnings():
                # pyspark warns that it does not support the newest pandas, which is not used.
                warnings.simplefilter("ignore", FutureWarning)
                self._show(name, rows.mapInArrow(work, there))
        return True

    def columns(self, sql: str) -> dict[str, str]:
        """Column names of a Spark query and DuckDB's names of their types."""
        with explaining_failures(_NOT_READ):
            fields = self._session.sql(sql).schema.fields
        return {field.name: _type_name(field.dataType.simpleString()) for field in fields}

    def collect(self, sql: str) -> pa.Table:
        """The rows of a Spark query."""
        with explaining_failures(_NOT_READ), self._in_group():
            return self._session.sql(sql).toArrow()

    def drop(self, name: str) -> None:
        """Drop a table and its cached rows."""
        frame = self._frames.pop(name, None)
        with contextlib.suppress(Exception):  # The session may be gone.
            self._session.catalog.dropTempView(name)
            if frame is not None:
                frame.unpersist()

    def close(self) -> None:
        """Drop all tables."""
        for name in list(self._frames):
            self.drop(name)

    def close_soon(self) -> None:
        """
        Drop all tables in another thread: for finalizers.

        Garbage may be collected in the middle of a call to Java, and a second call in the same
        thread would break the connection and end the session.
        """
        _UNNEEDED.put(self)

    def stop(self) -> None:
        """Cancel the jobs of all queries."""
        self._session.sparkContext.cancelJobGroup(self._group)

    def _show(self, name: str, frame: DataFrame) -> None:
        frame.createOrReplaceTempView(name)
        self._frames[name] = frame

    def _in_group(self) -> AbstractContextManager[None]:
        """Put this thread's jobs into this object's group; cancel them if interrupted."""
        return in_job_group(self._session.sparkContext, self._group, self.stop)


#: What finalizers want closed; a simple queue, because its put() may interrupt another one.
_UNNEEDED: queue.SimpleQueue[SparkTables] = queue.SimpleQueue()


@cache
def _close_unneeded() -> None:
    """Start the thread that closes what is no longer needed, once."""

    def work() -> None:
        while True:
            _UNNEEDED.get().close()

    threading.Thread(target=work, name="trailprint-closing-tables", daemon=True).start()


_NOT_READ = (
    "Spark could not read or count the data. Its log says why (here with --spark-conf "
    "spark.log.level=ERROR; it may quote data); see that the data is whole and that every worker "
    "may read it."
)


def _with_signs(table: pa.Table) -> pa.Table:
    """The same table with unsigned columns cast to signed types, as Spark has no unsigned ones."""
    kinds = [_SIGNED.get(field.type, field.type) for field in table.schema]
    fields = [pa.field(name, kind) for name, kind in zip(table.column_names, kinds, strict=True)]
    return table.cast(pa.schema(fields))


def _type_name(kind: str) -> str:
    return _TYPES.get(kind, kind.upper())
