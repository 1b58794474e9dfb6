"""An engine whose large tables are on Spark: queries that use one of them run there."""

from __future__ import annotations

import contextlib
import re
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa

from trailprint.events.engine import Connection, Engine
from trailprint.kernels.stopping import check_stop, interrupting

_NAMES = re.compile(r"\b[a-z][a-z0-9_]*_\d+\b")
_COPY = re.compile(r"^\s*COPY \((?P<query>.*)\) TO (?P<rest>'(?:[^']|'')*' \([^()]*\)\s*)$", re.S)


class SparkEngine(Engine):
    """
    An engine with tables on Spark beside those in its DuckDB.

    Every query is written for DuckDB. A query that names a table on Spark is translated and runs
    there, and its result is collected as Arrow. Of steps without an equivalent on Spark, row-wise
    ones run in a DuckDB on each worker; for all others, their input is collected. Small tables of
    the local DuckDB are sent to Spark.
    """

    is_on_spark = True

    def __init__(self, here: Engine, session: Any) -> None:
        from trailprint.engines.spark.tables import SparkTables

        # The same connection, lock and scratch folder: local tables are visible to both engines.
        self.__dict__.update(here.__dict__)
        self._unneeded = deque()
        self.here = here
        self._there = SparkTables(session)
        weakref.finalize(self, self._there.close_soon).atexit = False

    @property
    def session(self) -> Any:
        """The Spark session that was given."""
        return self._there.given

    def adopt(self, frame: Any) -> str:
        """Make a DataFrame available to queries; return its name."""
        name = self.new_name("spark")
        self._there.adopt(name, frame)
        return name

    def take_in(self, other: Engine, sql: str) -> str:
        """Upload the rows of another engine's query to Spark; return a query of them."""
        if not sql:
            return sql
        name = self.new_name("taken")
        self._there.upload(name, other.arrow(sql))
        return f"FROM {name}"

    def run(self, sql: str) -> Connection:
        """Execute ``sql`` locally; a COPY of tables on Spark collects the rows and writes them."""
        found = _COPY.match(sql) if self._is_there(sql) else None
        if found is None:
            return super().run(sql)
        with self.registered(self.arrow(found["query"]), "collected") as name:
            return super().run(f"COPY (FROM {name}) TO {found['rest']}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a small result."""
        if not self._is_there(sql):
            return super().rows(sql)
        columns = [column.to_pylist() for column in self.arrow(sql).columns]
        return [tuple(map(_plain, row)) for row in zip(*columns, strict=True)]

    def arrow(self, sql: str) -> pa.Table:
        """Return a result as an Arrow table."""
        if not self._is_there(sql):
            return super().arrow(sql)
        with self._planned(sql) as (query, is_there):
            return self._there.collect(query) if is_there else super().arrow(query)

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Yield a result in batches; a result on Spark is collected first."""
        if not self._is_there(sql):
            yield from super().batches(sql)
            return
        yield from (batch for batch in self.arrow(sql).to_batches() if batch.num_rows)

    def columns(self, sql: str) -> dict[str, str]:
        """Return the column names of a query and their DuckDB types, in order."""
        if not self._is_there(sql):
            return super().columns(sql)
        with self._planned(sql) as (query, is_there):
            return self._there.columns(query) if is_there else super().columns(query)

    def materialise(self, sql: str, stem: str) -> str:
        """Store the result of ``sql`` in a table where it runs; return the table's name."""
        if not self._is_there(sql):
            return super().materialise(sql, stem)
        name = self.new_name(stem)
        with self._planned(sql) as (query, is_there):
            if is_there:
                self._there.define(name, query)
            else:
                super().run(f"CREATE TEMP TABLE {name} AS {query}")
        return name

    @contextlib.contextmanager
    def brought_here(self, sql: str) -> Iterator[str]:
        """Yield a local DuckDB query of the same rows; its table is dropped as in `table`."""
        if not self._is_there(sql):
            yield sql
            return
        with (
            self.registered(self.arrow(sql), "collected") as name,
            self.table(f"FROM {name}", "events") as stored,
        ):
            yield f"FROM {stored}"

    def drop(self, name: str) -> None:
        """Drop a temporary table."""
        if name in self._there:
            self._there.drop(name)
        else:
            super().drop(name)

    def _drop_unneeded(self) -> None:
        for name in [name for name in self._unneeded if name in self._there]:
            self._there.drop(name)
        super()._drop_unneeded()

    def _is_there(self, sql: str) -> bool:
        return any(name in self._there for name in _NAMES.findall(sql))

    @contextlib.contextmanager
    def _planned(self, sql: str) -> Iterator[tuple[str, bool]]:
        """Yield a query that is ready to run, and whether it runs on Spark."""
        from trailprint.engines.spark.planning import planned

        with self._lock:
            self._drop_unneeded()
        try:
            with interrupting(self._there.stop), planned(sql, self._there, self.here) as found:
                yield found
        except Exception:
            # Stopped work fails with some error; the reason to stop is more informative.
            check_stop()
            raise


#: By engine and session: all DataFrames of a session share one engine.
_ENGINES: weakref.WeakValueDictionary[tuple[int, int], SparkEngine] = weakref.WeakValueDictionary()
_LOCK = threading.Lock()


def engine_on_spark(here: Engine, session: Any) -> SparkEngine:
    """Return the Spark engine of a session that shares the DuckDB of ``here``."""
    if isinstance(here, SparkEngine):
        here = here.here
    with _LOCK:
        key = (id(here), id(session))
        found = _ENGINES.get(key)
        if found is None or found.session is not session:
            found = _ENGINES[key] = SparkEngine(here, session)
        return found


def _plain(value: Any) -> Any:
    """Return a value as DuckDB would: integral decimals as integers."""
    return int(value) if isinstance(value, Decimal) and value == int(value) else value
