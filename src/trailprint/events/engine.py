"""One embedded DuckDB: its limits, its scratch folder, and its errors in our words."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import duckdb
import pyarrow as pa

from trailprint.arguments import check_argument
from trailprint.errors import InputError, OptionError, OutputError, SourceError
from trailprint.kernels.stopping import check_stop, interrupting
from trailprint.system.scratch import Scratch, sweep_scratch
from trailprint.system.sizes import parse_size

Connection: TypeAlias = duckdb.DuckDBPyConnection

#: SQL that DuckDB does not understand was written by us, not by the user.
_OUR_DEFECTS = (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException)

_NO_MEMORY = "The work needs more memory than there is. Try less data at once."

#: More threads than any machine has use for only exhaust it.
_MOST_THREADS = 1024


#: Rows of a result that are handed over at once.
_BATCH_ROWS = 1_000_000

#: One count for all engines: a name that strays into another engine is missing there, never
#: somebody else's table.
_NUMBERS = itertools.count()


#: Names of tables that are dropped when nobody needs them, wherever they are in SQL.
_OWNED = re.compile(r"\b(?:events|typed)_\d+\b")


class HeldTable:
    """A temporary table for as long as somebody holds this."""

    __slots__ = ("__weakref__",)


class Engine:
    """
    A DuckDB connection with bounded memory that spills to a private folder.

    Threads may share it: they wait for each other's queries.

    Parameters
    ----------
    memory : str, optional
        What DuckDB may hold, such as ``"2GB"``; more than that goes to disk. Default: 60 % of
        the machine's memory.
    threads : int, optional
        Worker threads; default: all cores.

    Examples
    --------
    >>> import trailprint as tp
    >>> engine = tp.Engine(memory="500MB", threads=1)
    >>> visits = {"user": ["a", "a", "b"], "location": ["library", "cafe", "library"]}
    >>> import pyarrow as pa
    >>> tp.read(pa.table(visits), engine=engine).count()
    3
    """

    #: Whether tables of the engine may be on Spark.
    is_on_spark = False

    def __init__(self, *, memory: str | None = None, threads: int | None = None) -> None:
        check_argument("memory", memory, str | None)
        check_argument("threads", threads, int | None)
        #: What was asked for, in bytes; None without a limit of the user's own.
        self.memory_bytes = None if memory is None else parse_size(memory)
        if memory is not None and self.memory_bytes is None:
            raise OptionError(
                f"--memory must be a size with its unit, got {memory!r} instead. Try 2GB."
            )
        if threads is not None and not 1 <= threads <= _MOST_THREADS:
            raise OptionError(
                f"--threads must be from 1 to {_MOST_THREADS}, got {threads} instead."
            )
        # Spilled blocks hold people's data: a folder only its owner can enter, gone at the end.
        sweep_scratch()
        folder = Scratch()
        self.scratch = folder.name
        # A connection holds one result at a time: run and fetch must not be torn apart.
        self._lock = threading.RLock()
        self._tables: weakref.WeakValueDictionary[str, HeldTable] = weakref.WeakValueDictionary()
        self._unneeded: deque[str] = deque()
        config: dict[str, Any] = {"temp_directory": self.scratch}
        # Nothing is fetched from the network, not even a part of DuckDB.
        config["autoinstall_known_extensions"] = False
        config["memory_limit"] = memory if memory is not None else "60%"
        if threads is not None:
            config["threads"] = threads
        try:
            self.connection: Connection = _connect(config)
        except duckdb.Error:
            folder.close()
            if memory is None:
                raise InputError(_NO_MEMORY) from None
            raise OptionError(
                f"--memory must be a size the machine has, got {memory!r} instead. Try 2GB."
            ) from None
        self.connection.execute("SET TimeZone = 'UTC'")
        self._usual_limit = memory or _limit_of(self.connection)
        _count_progress(self.connection)
        weakref.finalize(self, _close, self.connection, folder)

    @contextlib.contextmanager
    def _speaking(self) -> Iterator[None]:
        """A query can be stopped from outside; DuckDB's errors become ours."""
        with interrupting(self.connection.interrupt), _our_words():
            yield

    @contextlib.contextmanager
    def keeping_to(self, memory: str) -> Iterator[None]:
        """
        Hold no more than this meanwhile, unless somebody said how much may be held.

        For work that holds much itself beside what DuckDB holds; the rest goes to disk.
        """
        is_less = (parse_size(memory) or 0) < (parse_size(self._usual_limit) or 0)
        if self.memory_bytes is not None or not is_less:
            yield
            return
        self._limit(memory)
        try:
            yield
        finally:
            self._limit(self._usual_limit)

    def _limit(self, memory: str) -> None:
        # What cannot be put on disk at once stays where it is, and the limit as it was.
        with self._lock, contextlib.suppress(duckdb.OutOfMemoryException):
            self.connection.execute(f"SET memory_limit = '{memory}'")

    def new_name(self, stem: str) -> str:
        """A table or view name nobody else uses."""
        return f"{stem}_{next(_NUMBERS)}"

    def run(self, sql: str) -> Connection:
        """Execute ``sql``; DuckDB's errors become ours, without any value of the data."""
        with self._lock, self._speaking():
            self._drop_unneeded()
            return self.connection.execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a small result."""
        with self._lock, self._speaking():
            return self.run(sql).fetchall()

    def row(self, sql: str) -> tuple[Any, ...]:
        """The only row of a one-row result."""
        return self.rows(sql)[0]

    def arrow(self, sql: str) -> pa.Table:
        """A result as an Arrow table."""
        with self._lock, self._speaking():
            self._drop_unneeded()
            return self.connection.sql(sql).to_arrow_table()

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """A result batch by batch, so that it is never whole in memory."""
        with self._lock, self._speaking():
            self._drop_unneeded()
            reader = self.connection.sql(sql).to_arrow_reader(_BATCH_ROWS)
            yield from (batch for batch in reader if batch.num_rows)

    def columns(self, sql: str) -> dict[str, str]:
        """Column names of a query and their DuckDB types, in order."""
        described = self.rows(f"DESCRIBE SELECT * FROM ({sql})")
        return {name: kind for name, kind, *_ in described}

    def materialise(self, sql: str, stem: str) -> str:
        """Run ``sql`` once into a temporary table (on disk where memory is short); its name."""
        name = self.new_name(stem)
        self.run(f"CREATE TEMP TABLE {name} AS {sql}")
        return name

    @contextlib.contextmanager
    def table(self, sql: str, stem: Literal["events", "typed"]) -> Iterator[str]:
        """
        Run ``sql`` once into a temporary table; its name.

        It is dropped after the block, once nobody holds what `tables_in` gives for its name.
        """
        name = self.materialise(sql, stem)
        table = self._tables[name] = HeldTable()
        weakref.finalize(table, self._unneeded.append, name).atexit = False
        yield name

    def holds(self, query: str) -> bool:
        """Whether a query only reads a whole table of `table`."""
        return query.startswith("FROM ") and query.removeprefix("FROM ") in self._tables

    def tables_in(self, *queries: str) -> tuple[HeldTable, ...]:
        """The tables of `table` that queries name: whoever keeps a query keeps these with it."""
        names = {name for query in queries for name in _OWNED.findall(query)}
        found = (self._tables.get(name) for name in names)
        return tuple(table for table in found if table is not None)

    def _drop_unneeded(self) -> None:
        """
        Drop tables that nobody needs, before the next query.

        Not when that is noticed: it may be in the middle of a query, in whatever thread.
        """
        while self._unneeded:
            self.connection.execute(f"DROP TABLE IF EXISTS {self._unneeded[0]}")
            self._unneeded.popleft()

    def register(self, table: pa.Table, stem: str) -> str:
        """Make an Arrow table known to queries, without a copy; its name."""
        name = self.new_name(stem)
        with self._lock:
            self.connection.register(name, table)
        return name

    @contextlib.contextmanager
    def registered(self, table: pa.Table, stem: str) -> Iterator[str]:
        """The name of an Arrow table, for as long as it is needed."""
        name = self.register(table, stem)
        try:
            yield name
        finally:
            with self._lock:
                self.connection.unregister(name)

    def drop(self, name: str) -> None:
        """Forget a temporary table."""
        self.run(f"DROP TABLE {name}")

    @contextlib.contextmanager
    def brought_here(self, sql: str) -> Iterator[str]:
        """A query of the same rows in this process; its table is kept as that of `table` is."""
        yield sql

    def take_in(self, other: Engine, sql: str) -> str:
        """A query here of the rows of another engine's query."""
        return sql if other is self else f"FROM {self.register(other.arrow(sql), 'taken')}"


def _connect(config: dict[str, Any]) -> Connection:
    return duckdb.connect(":memory:", config=config)


def _limit_of(connection: Connection) -> str:
    found = connection.execute("SELECT current_setting('memory_limit')").fetchone()
    return str(found[0]) if found else "0KB"


def _count_progress(connection: Connection) -> None:
    """Let DuckDB count how far a query is, which it does only where it may show it."""
    # In a notebook it refuses without ipywidgets, whether or not anything is to be shown.
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = true")
        connection.execute("SET enable_progress_bar_print = false")


#: By process: a connection does not survive a fork, so a child makes its own.
_DEFAULTS: dict[int, Engine] = {}
_DEFAULTS_LOCK = threading.Lock()


def default_engine() -> Engine:
    """The engine of everything that names none: one per process, made when first needed."""
    with _DEFAULTS_LOCK:
        process = os.getpid()
        if process not in _DEFAULTS:
            _DEFAULTS[process] = Engine()
        return _DEFAULTS[process]


@contextlib.contextmanager
def _our_words() -> Iterator[None]:
    """DuckDB's errors become ours; a query that was stopped says by whom."""
    try:
        yield
    except duckdb.InterruptException:
        check_stop()
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise translate(error) from None
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            check_stop()
            raise KeyboardInterrupt from None
        raise


def _close(connection: Connection, scratch: Scratch) -> None:
    connection.close()
    scratch.close()


def quote_name(name: str) -> str:
    """A column or table name, safe inside SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A string literal, safe inside SQL."""
    return "'" + text.replace("'", "''") + "'"


def translate(error: duckdb.Error) -> Exception:
    """DuckDB's error in our words: what kind it is and where, never what the data says."""
    if isinstance(error, _OUR_DEFECTS):
        return error
    text = str(error)
    if isinstance(error, duckdb.OutOfMemoryException):
        if "temp" in text.lower() and "directory" in text.lower() and "max" in text.lower():
            return InputError(
                "The work needs more room on disk than there is for temporary files. "
                "Free some, or point TMPDIR at a larger disk."
            )
        # DuckDB says how much of its own limit is used; else the system gave it no more.
        if "used)" not in text:
            return InputError(_NO_MEMORY)
        return InputError(
            "The work needs more memory than it may use. Raise --memory (for example 8GB)."
        )
    line = re.search(r"(?:CSV Error on Line: |\bin line |\bon line )(\d+)", text)
    place = f" at line {line.group(1)}" if line else ""
    if "utf" in text.lower() and ("unicode" in text.lower() or "encod" in text.lower()):
        return SourceError(f"Text must be UTF-8, found other bytes{place}. Convert it to UTF-8.")
    if "invalid state" in text:
        return SourceError(
            "All lines must end alike, but some end in \\r\\n and others in \\n. "
            "Convert the file first, for example with dos2unix."
        )
    if "No space left" in text or "quota exceeded" in text.lower():
        return OutputError(
            "There must be room for the result and for temporary files, but the disk is full. Free "
            "some, or point TMPDIR at a larger disk."
        )
    if "File too large" in text:
        return OutputError(
            "Results and temporary files must be allowed to grow, but the system allows no larger "
            "files. Raise the limit (ulimit -f)."
        )
    if isinstance(error, duckdb.IOException):
        return SourceError(f"A file could not be read or written{place}: check that it is whole.")
    return InputError(f"The data could not be read{place} ({type(error).__name__}).")
