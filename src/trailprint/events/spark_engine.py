"""An engine whose large tables are on Spark: what names one of them runs there."""

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

    Every query is written for DuckDB. One that names a table on Spark is translated and runs there,
    and its result is collected as Arrow. Of what has no equal on Spark, steps that look at one row
    at a time run in a DuckDB of each worker; for all others, what they start from is collected.
    Small tables of the DuckDB here are sent along.
    """

    is_on_spark = True

    def __init__(self, here: Engine, session: Any) -> None:
        from trailprint.engines.spark.tables import SparkTables

        # The same connection, lock and scratch folder: tables here are known to both.
        self.__dict__.update(here.__dict__)
        self._unneeded = deque()
        self.here = here
        self._there = SparkTables(session)
        weakref.finalize(self, self._there.close).atexit = False

    @property
    def session(self) -> Any:
        """The session that was given."""
        return self._there.given

    def adopt(self, frame: Any) -> str:
        """Make a DataFrame known to queries; its name."""
        name = self.new_name("spark")
        self._there.adopt(name, frame)
        return name

    def take_in(self, other: Engine, sql: str) -> str:
        """A query on Spark of the rows of another engine's query, which are sent there."""
        if not sql:
            return sql
        name = self.new_name("taken")
        self._there.upload(name, other.arrow(sql))
        return f"FROM {name}"

    def run(self, sql: str) -> Connection:
        """Execute ``sql`` here; of a query that names tables on Spark the rows are written."""
        found = _COPY.match(sql) if self._is_there(sql) else None
        if found is None:
            return super().run(sql)
        with self.registered(self.arrow(found["query"]), "collected") as name:
            return super().run(f"COPY (FROM {name}) TO {found['rest']}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a small result."""
        if not self._is_there(sql):
            return super().rows(sql)
        columns = [column.to_pylist() for column in self.arrow(sql).columns]
        return [tuple(map(_plain, row)) for row in zip(*columns, strict=True)]

    def arrow(self, sql: str) -> pa.Table:
        """A result as an Arrow table."""
        if not self._is_there(sql):
            return super().arrow(sql)
        with self._planned(sql) as (query, is_there):
            return self._there.collect(query) if is_there else super().arrow(query)

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """A result batch by batch; one of Spark is collected first."""
        if not self._is_there(sql):
            yield from super().batches(sql)
            return
        yield from (batch for batch in self.arrow(sql).to_batches() if batch.num_rows)

    def columns(self, sql: str) -> dict[str, str]:
        """Column names of a query and their DuckDB types, in order."""
        if not self._is_there(sql):
            return super().columns(sql)
        with self._planned(sql) as (query, is_there):
            return self._there.columns(query) if is_there else super().columns(query)

    def materialise(self, sql: str, stem: str) -> str:
        """Run ``sql`` once into a table, where it runs; its name."""
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
        """A query of the same rows in the DuckDB here; its table is kept as that of `table` is."""
        if not self._is_there(sql):
            yield sql
            return
        with (
            self.registered(self.arrow(sql), "collected") as name,
            self.table(f"FROM {name}", "events") as stored,
        ):
            yield f"FROM {stored}"

    def drop(self, name: str) -> None:
        """Forget a temporary table."""
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
        """A query ready to run, and whether it runs on Spark."""
        from trailprint.engines.spark.planning import planned

        with self._lock:
            self._drop_unneeded()
        try:
            with interrupting(self._there.stop), planned(sql, self._there, self.here) as found:
                yield found
        except Exception:
            # What was stopped fails; the reason to stop it says more.
            check_stop()
            raise


#: By session and engine: all DataFrames of a session meet in one engine.
_ENGINES: weakref.WeakValueDictionary[tuple[int, int], SparkEngine] = weakref.WeakValueDictionary()
_LOCK = threading.Lock()


def engine_on_spark(here: Engine, session: Any) -> SparkEngine:
    """The engine of a session, beside this one."""
    if isinstance(here, SparkEngine):
        here = here.here
    with _LOCK:
        key = (id(here), id(session))
        found = _ENGINES.get(key)
        if found is None or found.session is not session:
            found = _ENGINES[key] = SparkEngine(here, session)
        return found


def _plain(value: Any) -> Any:
    """A value as DuckDB would give it: whole numbers are no decimals."""
    return int(value) if isinstance(value, Decimal) and value == int(value) else value
