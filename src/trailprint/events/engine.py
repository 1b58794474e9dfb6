"""An embedded DuckDB: its limits, its scratch folder, and the translation of its errors."""

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

#: Invalid SQL is a bug of ours, not a mistake of the user: these errors are not translated.
_OUR_DEFECTS = (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException)

#: After one of these errors, DuckDB refuses every further query.
_ENDINGS = (duckdb.FatalException, duckdb.InternalException)

_NO_MEMORY = "The work needs more memory than there is. Try less data at once."

_CHANGED = (
    "Parquet files must stay as they are while they are used, but the columns of one have changed. "
    "Read it again."
)

#: Upper limit: more threads than any machine can use only exhaust its resources.
_MOST_THREADS = 1024


#: Rows per batch of a result.
_BATCH_ROWS = 1_000_000

#: One counter for all engines: a name used in the wrong engine is then unknown there instead of
#: being a different table.
_NUMBERS = itertools.count()


#: Names, in SQL text, of tables that are dropped once they are no longer used.
_OWNED = re.compile(r"\b(?:events|typed|table)_\d+\b")
#: How the names of Arrow tables among them begin.
_ARROW = "table"


class HeldTable:
    """Reference to a temporary table; the table is dropped after the last reference is gone."""

    __slots__ = ("__weakref__",)


class Engine:
    """
    A DuckDB connection with bounded memory that spills to a private folder.

    Threads may share an engine: their queries run one at a time.

    Parameters
    ----------
    memory : str, optional
        Memory limit of DuckDB, such as ``"2GB"``; it spills to disk beyond it. Default: 60 % of
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

    #: Whether the engine may have tables on Spark.
    is_on_spark = False

    def __init__(self, *, memory: str | None = None, threads: int | None = None) -> None:
        check_argument("memory", memory, str | None)
        check_argument("threads", threads, int | None)
        #: Memory limit set by the user, in bytes; None if the user set none.
        self.memory_bytes = None if memory is None else _parse_memory(memory)
        _check_threads(threads)
        # Spilled blocks hold personal data: the folder is private and is removed at the end.
        sweep_scratch()
        folder = Scratch()
        self.scratch = folder.name
        self._ended = threading.Event()
        # A connection holds one result at a time: no other query may come between run and fetch.
        self._lock = threading.RLock()
        self._tables: weakref.WeakValueDictionary[str, HeldTable] = weakref.WeakValueDictionary()
        self._unneeded: deque[str] = deque()
        config: dict[str, Any] = {"temp_directory": self.scratch}
        # Nothing is downloaded, not even DuckDB extensions.
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
                f"--memory must be a size the machine has, got {memory!r} instead. Try 2GB.",
                option="memory",
            ) from None
        self.connection.execute("SET TimeZone = 'UTC'")
        self._usual_limit = memory or _limit_of(self.connection)
        _count_progress(self.connection)
        weakref.finalize(self, _close, self.connection, folder)

    @contextlib.contextmanager
    def _speaking(self, sql: str = "") -> Iterator[None]:
        """Make the query ``sql`` interruptible and translate DuckDB's errors."""
        with interrupting(self.connection.interrupt), _our_words(sql):
            try:
                yield
            except _ENDINGS:
                self._ended.set()
                raise

    @property
    def has_ended(self) -> bool:
        """Whether DuckDB met an internal error, after which it refuses every query."""
        return self._ended.is_set()

    @contextlib.contextmanager
    def keeping_to(self, memory: str) -> Iterator[None]:
        """
        Lower the memory limit to ``memory`` within the block, unless the user set a limit.

        For work that needs much memory outside DuckDB; DuckDB spills the rest to disk.
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
        # If DuckDB cannot spill enough at once, the old limit stays.
        with self._lock, contextlib.suppress(duckdb.OutOfMemoryException):
            self.connection.execute(f"SET memory_limit = '{memory}'")

    def new_name(self, stem: str) -> str:
        """Return an unused name for a table or view."""
        return f"{stem}_{next(_NUMBERS)}"

    def run(self, sql: str) -> Connection:
        """Execute ``sql``; DuckDB's errors become ours, without any values from the data."""
        with self._lock, self._speaking(sql):
            self._drop_unneeded()
            return self.connection.execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a small result."""
        with self._lock, self._speaking():
            try:
                return self.run(sql).fetchall()
            except BaseException:
                self._discard_result()
                raise

    def _discard_result(self) -> None:
        """Drop a result whose rows could not all be fetched: it would block the connection."""
        with contextlib.suppress(duckdb.Error):
            self.connection.execute("SELECT 1").fetchall()

    def row(self, sql: str) -> tuple[Any, ...]:
        """Return the only row of a one-row result."""
        return self.rows(sql)[0]

    def arrow(self, sql: str) -> pa.Table:
        """Return a result as an Arrow table."""
        with self._lock, self._speaking(sql):
            self._drop_unneeded()
            return self.connection.sql(sql).to_arrow_table()

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Yield a result in batches; the whole result is never in memory."""
        with self._lock, self._speaking(sql):
            self._drop_unneeded()
            reader = self.connection.sql(sql).to_arrow_reader(_BATCH_ROWS)
            yield from (batch for batch in reader if batch.num_rows)

    def columns(self, sql: str) -> dict[str, str]:
        """Return the column names of a query and their DuckDB types, in order."""
        described = self.rows(f"DESCRIBE SELECT * FROM ({sql})")
        return {name: kind for name, kind, *_ in described}

    def materialise(self, sql: str, stem: str) -> str:
        """Store the result of ``sql`` in a temporary table (spilled if needed); return its name."""
        name = self.new_name(stem)
        self.run(f"CREATE TEMP TABLE {name} AS {sql}")
        return name

    def table(
        self, sql: str, stem: Literal["events", "typed"]
    ) -> contextlib.AbstractContextManager[str]:
        """
        Store the result of ``sql`` in a temporary table; the context is its name.

        It is dropped after the block, once no reference from `tables_in` to it is left.
        """
        return self._owned(self.materialise(sql, stem))

    def held(self, table: pa.Table) -> contextlib.AbstractContextManager[str]:
        """Make an Arrow table available without a copy, until it is dropped as in `table`."""
        return self._owned(self.register(table, _ARROW))

    @contextlib.contextmanager
    def _owned(self, name: str) -> Iterator[str]:
        table = self._tables[name] = HeldTable()
        weakref.finalize(table, self._unneeded.append, name).atexit = False
        yield name

    def holds(self, query: str) -> bool:
        """Return whether a query just reads a whole table made by `table`."""
        return query.startswith("FROM ") and query.removeprefix("FROM ") in self._tables

    def tables_in(self, *queries: str) -> tuple[HeldTable, ...]:
        """Return references to the tables of `table` used in queries; keep them with the query."""
        names = {name for query in queries for name in _OWNED.findall(query)}
        found = (self._tables.get(name) for name in names)
        return tuple(table for table in found if table is not None)

    def _drop_unneeded(self) -> None:
        """
        Drop tables that are no longer referenced, before the next query.

        Not in the finalizer itself, which may run in any thread, in the middle of a query.
        """
        while self._unneeded:
            name = self._unneeded[0]
            if name.startswith(f"{_ARROW}_"):
                self.connection.unregister(name)
            else:
                self.connection.execute(f"DROP TABLE IF EXISTS {name}")
            self._unneeded.popleft()

    def register(self, table: pa.Table, stem: str) -> str:
        """Make an Arrow table available to queries, without a copy; return its name."""
        name = self.new_name(stem)
        with self._lock, self._speaking():
            self.connection.register(name, table)
        return name

    @contextlib.contextmanager
    def registered(self, table: pa.Table, stem: str) -> Iterator[str]:
        """Make an Arrow table available to queries within the block; yield its name."""
        name = self.register(table, stem)
        try:
            yield name
        finally:
            with self._lock:
                self.connection.unregister(name)

    def drop(self, name: str) -> None:
        """Drop a temporary table."""
        self.run(f"DROP TABLE {name}")

    @contextlib.contextmanager
    def brought_here(self, sql: str) -> Iterator[str]:
        """Yield a query of the same rows in this process; its table is dropped as in `table`."""
        yield sql

    def take_in(self, other: Engine, sql: str) -> str:
        """Return a query for this engine that gives the rows of another engine's query."""
        return sql if other is self else f"FROM {self.register(other.arrow(sql), 'taken')}"


def _parse_memory(text: str) -> int:
    n_bytes = parse_size(text)
    if n_bytes is None:
        raise OptionError(
            f"--memory must be a size with its unit, got {text!r} instead. Try 2GB.",
            option="memory",
        )
    return n_bytes


def _check_threads(number: int | None) -> None:
    if number is not None and not 1 <= number <= _MOST_THREADS:
        raise OptionError(
            f"threads must be from 1 to {_MOST_THREADS}, got {number} instead.",
            option="threads",
        )


def _connect(config: dict[str, Any]) -> Connection:
    return duckdb.connect(":memory:", config=config)


def _limit_of(connection: Connection) -> str:
    found = connection.execute("SELECT current_setting('memory_limit')").fetchone()
    return str(found[0]) if found else "0KB"


def _count_progress(connection: Connection) -> None:
    """Let DuckDB track the progress of queries, which needs its progress bar to be enabled."""
    # In a notebook without ipywidgets it refuses, even if nothing is to be shown.
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = true")
        connection.execute("SET enable_progress_bar_print = false")


#: By process id: a connection does not survive a fork, so a child process makes its own.
_DEFAULTS: dict[int, Engine] = {}
_DEFAULTS_LOCK = threading.Lock()


def default_engine() -> Engine:
    """Return the default engine: one per process, created when first needed or when it ended."""
    with _DEFAULTS_LOCK:
        process = os.getpid()
        found = _DEFAULTS.get(process)
        if found is None or found.has_ended:
            found = _DEFAULTS[process] = Engine()
        return found


@contextlib.contextmanager
def _our_words(sql: str = "") -> Iterator[None]:
    """Translate DuckDB's errors; an interrupted query raises the reason for which it stopped."""
    try:
        yield
    except duckdb.InterruptException:
        check_stop()
        raise KeyboardInterrupt from None
    except duckdb.BinderException as error:
        # Files of Parquet are read by every query; all other sources are read once.
        if "read_parquet(" in sql and "referenced" in str(error).lower():
            raise SourceError(_CHANGED) from None
        raise
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
    """Return a column or table name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return a text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def translate(error: duckdb.Error) -> Exception:
    """Return DuckDB's error as one of ours: its kind and place, without values from the data."""
    if isinstance(error, _OUR_DEFECTS):
        return error
    text = str(error)
    if isinstance(error, _ENDINGS):
        return InputError(
            "The engine must be running, but DuckDB ended with an internal error. Read the data "
            "again, with a new Engine if one was given."
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return _report_shortage(text)
    line = re.search(r"(?:CSV Error on Line: |\bin line |\bon line )(\d+)", text)
    place = f" at line {line.group(1)}" if line else ""
    if "utf" in text.lower() and ("unicode" in text.lower() or "encod" in text.lower()):
        return SourceError(f"Text must be UTF-8, found other bytes{place}. Convert it to UTF-8.")
    if "invalid state" in text:
        return SourceError(
            "All lines must have the same ending, but some end in \\r\\n and others in \\n. "
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


def _report_shortage(text: str) -> InputError:
    """Return the error that says what to do about too little memory, given what DuckDB says."""
    if "temp" in text.lower() and "directory" in text.lower() and "max" in text.lower():
        return InputError(
            "The work needs more room on disk than there is for temporary files. "
            "Free some, or point TMPDIR at a larger disk."
        )
    # "used)" means DuckDB's own limit was reached; otherwise the system had no more memory.
    if "used)" not in text:
        return InputError(_NO_MEMORY)
    return InputError(
        "The work needs more memory than it may use. Raise --memory (for example 8GB).",
        option="memory",
    )
