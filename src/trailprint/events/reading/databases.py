"""Tables of DuckDB and SQLite files: ``file.duckdb::table``, read without writing to the file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from trailprint.display.discreet import Discreet
from trailprint.errors import SourceError
from trailprint.events.engine import Engine, quote_name, translate
from trailprint.events.meeting import for_parquet, scratch_query
from trailprint.events.reading.headers import Header
from trailprint.events.reading.inner_names import split_source
from trailprint.kernels.stopping import check_stop

_SQLITE = b"SQLite format 3\0"
_DUCKDB = b"DUCK"
#: Rows per batch while a table is copied.
_BATCH_ROWS = 50_000
#: Nothing is downloaded, not even DuckDB extensions.
_CLOSED: Mapping[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Database(Discreet):
    """A database file and the table to read; None if the file must have only one."""

    path: str
    kind: Literal["duckdb", "sqlite"]
    table: str | None


def find_database(source: str | os.PathLike[str]) -> Database | None:
    """Return the database that a source names: ``file`` or ``file::table``; None for others."""
    named = split_source(source)
    if named is None:
        return None
    kind = _kind_of(named.path)
    if kind is not None:
        return Database(path=named.path, kind=kind, table=named.name)
    if named.name is not None and os.path.isfile(named.path):
        raise SourceError(
            "Only DuckDB, SQLite and Excel files have tables to name after '::', but this file is "
            "none of them."
        )
    return None


def _kind_of(path: str) -> Literal["duckdb", "sqlite"] | None:
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            start = file.read(16)
    except OSError:
        return None
    if start == _SQLITE:
        return "sqlite"
    return "duckdb" if start[8:12] == _DUCKDB else None


def copy_table(engine: Engine, database: Database) -> tuple[str, bool]:
    """
    Copy a table into a private file; return a query of it, and whether every value is text.

    Through a file, memory stays bounded and the database is closed again.
    """
    path = os.path.join(engine.scratch, engine.new_name("table") + ".parquet")
    if database.kind == "sqlite":
        _copy_sqlite(database, path)
        return scratch_query(path), True
    _copy_duckdb(database, path)
    return scratch_query(path), False


def _choose(wanted: str | None, tables: list[str]) -> str:
    """Return the table that was named, or the only one."""
    if wanted in tables:
        return wanted
    if wanted is None and len(tables) == 1:
        return tables[0]
    near = [] if wanted is None else [wanted]
    got = "none was named" if wanted is None else f"none is named {wanted!r}"
    there = Header(names=tuple(tables), is_proven=True)
    raise SourceError(
        f"A database must be given with one of its tables, as file.db::table, but {got}. "
        + there.describe(near=near, kind="tables"),
        option="table",
        suggestions=there.suggest(near),
    )


def _copy_duckdb(database: Database, path: str) -> None:
    try:
        with duckdb.connect(database.path, read_only=True, config={**_CLOSED}) as connection:
            tables = connection.execute(
                "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND NOT internal"
            ).fetchall()
            name = _choose(database.table, sorted(row[0] for row in tables))
            relation = connection.sql(f"FROM {quote_name(name)}")
            types = zip(relation.columns, map(str, relation.types), strict=True)
            relation.project(for_parquet(types)).write_parquet(path)
    except (duckdb.IOException, duckdb.ConnectionException):
        raise SourceError(
            "A DuckDB file must be whole and not open elsewhere, but this one could not be opened. "
            "In Python, give the open connection's table itself."
        ) from None
    except duckdb.Error as error:
        raise translate(error) from None


def _copy_sqlite(database: Database, path: str) -> None:
    address = Path(database.path).absolute().as_uri() + "?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = sorted(row[0] for row in rows if not row[0].startswith("sqlite_"))
            name = _choose(database.table, tables)
            _write_rows(connection, name, path)
    except (sqlite3.Error, UnicodeDecodeError):
        raise SourceError(
            "A SQLite file must be whole and its text UTF-8, but this one could not be read."
        ) from None


def _write_rows(connection: sqlite3.Connection, table: str, path: str) -> None:
    """Write every value as text, because a column of SQLite may mix types."""
    described = connection.execute(f"SELECT * FROM {quote_name(table)} LIMIT 0").description
    names = [column[0] for column in described]
    if len({name.casefold() for name in names}) < len(names):
        raise SourceError("A table's columns must have different names, but some are alike.")
    schema = pa.schema([(name, pa.string()) for name in names])
    chosen = ", ".join(map(_as_text, names))
    rows = connection.execute(f"SELECT {chosen} FROM {quote_name(table)}")
    with pq.ParquetWriter(path, schema) as writer:
        for batch in _batches(rows):
            columns = [pa.array(column, pa.string()) for column in zip(*batch, strict=True)]
            writer.write_table(pa.table(columns, schema=schema))


def _batches(rows: sqlite3.Cursor) -> Iterator[list[tuple[str | None, ...]]]:
    while batch := rows.fetchmany(_BATCH_ROWS):
        check_stop()
        yield batch


def _as_text(name: str) -> str:
    """SQL: a value as text; integral floats without a point, such as ids in a column with gaps."""
    column = quote_name(name)
    return (
        f"CASE typeof({column}) WHEN 'blob' THEN hex({column}) WHEN 'real' THEN "
        f"CASE WHEN abs({column}) < 1e15 AND {column} = CAST({column} AS INTEGER) "
        f"THEN CAST(CAST({column} AS INTEGER) AS TEXT) ELSE printf('%!.17g', {column}) END "
        f"ELSE CAST({column} AS TEXT) END"
    )
