"""Opened sources: their unconverted rows, and the role of each column."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import duckdb

from trailprint.display.discreet import Discreet
from trailprint.errors import ColumnError, InputError
from trailprint.events.engine import Engine, HeldTable, quote_name, quote_text, translate
from trailprint.events.events import Column
from trailprint.events.meeting import for_parquet, scratch_query
from trailprint.events.options import ReadOptions
from trailprint.events.reading.arrow_tables import (
    Converted,
    check_used,
    leave_out_unknown,
    to_arrow,
)
from trailprint.events.reading.columns import (
    SHARE,
    check_once,
    describe_choice,
    find_columns,
    find_identity,
)
from trailprint.events.reading.databases import Database, copy_table
from trailprint.events.reading.delimited import PATH_COLUMN, PATH_PART, load_delimited
from trailprint.events.reading.encodings import check_utf8
from trailprint.events.reading.files import ColumnRange, Files
from trailprint.events.reading.frames import check_table, plain_frame
from trailprint.events.reading.headers import Header
from trailprint.events.reading.on_spark import OnSpark

_SHARES = "Rows hold shares of each user's activity: how many events there were is not known."
#: Spark types that cannot be hashed or compared.
_UNHASHABLE = ("map", "variant", "struct", "array")
_TIMES: tuple[Column, ...] = ("start", "end")
_UNNAMED_INDEX = re.compile(r"^__index_level_\d+__$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw(Discreet):
    """
    Rows of a source before any conversion.

    Attributes
    ----------
    query : str
        A SELECT of all its columns.
    parts : mapping
        SQL over these columns for each of ours; times still in the source's form.
    is_text : bool
        Whether every value is text, to be trimmed and converted.
    n_misshapen : int
        Number of rows with a wrong number of fields, already removed.
    left_out : mapping
        SQL conditions of rows left out on purpose, by reason.
    notes : tuple of str
        Assumptions made while opening.
    stays_last : bool
        Whether every stay was rebuilt with a positive length.
    ranges : mapping
        Ranges of the source's columns that are known without reading them.
    header : Header
        The names of the source's columns.
    types : mapping
        Names and DuckDB types of the columns of ``query``; empty if not determined yet.
    """

    query: str
    parts: Mapping[Column, str]
    is_text: bool
    n_misshapen: int = 0
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stays_last: bool = False
    ranges: Mapping[str, ColumnRange] = field(default_factory=dict)
    header: Header = field(default_factory=lambda: Header(names=()))
    types: Mapping[str, str] = field(default_factory=dict)
    #: References to the tables of ``query``, which keep them alive.
    tables: tuple[HeldTable, ...] = field(default=(), repr=False, compare=False)


def open_files(
    engine: Engine, files: Files, options: ReadOptions, *, path_part: str | None = None
) -> Raw:
    """
    Open files without a special layout; ``path_part`` is SQL for the column ``PATH_PART``.

    Folder names add columns that no file has; they never replace a column.
    """
    if files.format == "parquet":
        check_once(files.parquet_names(), options.given_names)
        return _open_parquet(engine, files, options, path_part)
    if files.format == "json":
        return _open_json(engine, files, options, path_part)
    table = load_delimited(
        engine,
        files,
        delimiter=options.delimiter,
        names=options.header,
        wanted=options.given_names,
        path_part=path_part,
        partitions=files.partitions,
    )
    raw = _open_query(
        engine, f"FROM {table.name}", options, is_text=True, has_names=table.has_names
    )
    raw = replace(raw, n_misshapen=table.n_misshapen)
    return _with_folders(raw, table.from_folders)


def _open_parquet(engine: Engine, files: Files, options: ReadOptions, path_part: str | None) -> Raw:
    call = f"read_parquet({files.sql_list}, union_by_name={len(files.paths) > 1}"
    query, from_folders = _with_path(engine, files, call, path_part)
    raw = _open_query(engine, query, options)
    names = {name: part.strip('"') for name, part in raw.parts.items()}
    files.check_types(names.values(), {names[name] for name in _TIMES if name in names})
    raw = replace(raw, ranges=files.parquet_ranges())
    return _with_folders(raw, from_folders)


def _with_path(
    engine: Engine, files: Files, call: str, path_part: str | None
) -> tuple[str, tuple[str, ...]]:
    """Return a SELECT over a reading function with columns from paths, and the added names."""
    plain = f"SELECT * FROM {call}, hive_partitioning=false)"
    if path_part is None and not files.partitions.keys:
        return plain, ()
    added = files.partitions.columns(PATH_COLUMN, engine.columns(plain))
    wanted = {**added, PATH_PART: path_part} if path_part else added
    columns = "".join(f", {sql} AS {quote_name(name)}" for name, sql in wanted.items())
    named = f"{call}, hive_partitioning=false, filename='{PATH_COLUMN}')"
    return f"SELECT * EXCLUDE {PATH_COLUMN}{columns} FROM {named}", tuple(added)


def _with_folders(raw: Raw, names: Sequence[str]) -> Raw:
    """Add a note on which columns come from folder names; their values are not shown."""
    there = Header(names=tuple(names), is_proven=True)
    return _with_names(raw, "Columns taken from the names of folders", names, there)


def _with_names(raw: Raw, what: str, names: Collection[str], there: Header) -> Raw:
    """Add a note that lists columns, but counts those whose names may be data."""
    if not names:
        return raw
    shown = [name for name in there.shown() if name in names]
    listed = [*shown, f"{len(names) - len(shown):,} more"] if len(shown) < len(names) else shown
    return replace(raw, notes=(*raw.notes, f"{what}: {', '.join(listed)}."))


def open_database(engine: Engine, database: Database, options: ReadOptions) -> Raw:
    """Open a table of a DuckDB or SQLite file."""
    query, is_text = copy_table(engine, database)
    check_once(list(engine.columns(query)), options.given_names)
    return _open_query(engine, query, options, is_text=is_text)


def open_table(engine: Engine, table: Any, options: ReadOptions) -> Raw:
    """Open a pandas, polars or Arrow table or a DuckDB relation."""
    if isinstance(table, duckdb.DuckDBPyRelation):
        # The relation is in another DuckDB: copying through a file keeps memory bounded.
        path = os.path.join(engine.scratch, engine.new_name("relation") + ".parquet")
        try:
            types = zip(table.columns, map(str, table.types), strict=True)
            table.project(for_parquet(types)).write_parquet(path)
        except duckdb.Error as error:
            raise translate(error) from None
        return _open_query(engine, scratch_query(path), options)
    plain = plain_frame(table, options.column_names)
    converted = _to_arrow(plain, options)
    try:
        return _open_arrow(engine, converted, options)
    except InputError:
        known = leave_out_unknown(engine, converted)
        if known.table.num_columns == converted.table.num_columns:
            raise
    return _open_arrow(engine, known, options)


def _open_arrow(engine: Engine, converted: Converted, options: ReadOptions) -> Raw:
    if not converted.table.num_columns:
        check_used(converted.refused, converted.refused, Header(names=tuple(converted.refused)))
        raise ColumnError("A dataset must have columns, but this table has none.")
    with engine.held(converted.table) as name:
        raw = _open_query(engine, f"SELECT * FROM {name}", options, refused=converted.refused)
        return replace(raw, tables=engine.tables_in(raw.query))


def open_on_spark(source: OnSpark, options: ReadOptions) -> Raw:
    """Open a source on Spark; columns that cannot be hashed are left out."""
    frame = source.frame
    check_once(frame.columns, options.given_names)
    kept = [quote_column(name) for name, kind in frame.dtypes if not kind.startswith(_UNHASHABLE)]
    name = source.engine.adopt(frame.select(*kept))
    raw = _open_query(source.engine, f"SELECT * FROM {name}", options)
    return _with_folders(raw, source.from_folders)


def quote_column(name: str) -> str:
    """Return a column name quoted for Spark."""
    return "`" + name.replace("`", "``") + "`"


def _to_arrow(table: Any, options: ReadOptions) -> Converted:
    check_table(table)
    names = [str(name) for name in getattr(table, "columns", ())]
    check_once(names, options.given_names)
    converted = to_arrow(table)
    # An unnamed pandas index numbers the rows: with it, no two rows would be equal.
    unnamed = [name for name in converted.table.column_names if _UNNAMED_INDEX.match(name)]
    kept = converted.table.drop_columns(unnamed)
    check_once([*kept.column_names, *converted.refused], options.given_names)
    return replace(converted, table=kept)


def _open_query(
    engine: Engine,
    query: str,
    options: ReadOptions,
    *,
    is_text: bool = False,
    has_names: bool = True,
    refused: Mapping[str, str] = MappingProxyType({}),
) -> Raw:
    """
    Find the columns of a query; ``has_names``: they are known to be names and not data.

    ``refused`` are further columns of the source, which cannot be used.
    """
    types = engine.columns(query)
    there = Header(
        names=(*(name for name in types if name != PATH_PART), *refused),
        given=options.given_names,
        is_proven=has_names,
    )
    found = find_columns(there, options.column_names)
    parts = {column: quote_name(name) for column, name in found.items()}
    identity = find_identity(there, found, options)
    if identity:
        parts["user"] = _join_columns(identity)
    used = [*found.values(), *identity]
    kept = refused if options.drop_duplicates else options.keep_columns
    check_used(refused, [*used, *kept], there)
    has_shares = found.get("weight", "").casefold() == SHARE
    raw = Raw(
        query=query,
        parts=parts,
        is_text=is_text,
        header=there,
        types=types,
        notes=(
            *((_SHARES,) if has_shares else ()),
            *describe_choice(there, found, [*used, *refused]),
        ),
    )
    return _with_names(raw, "Columns left out because they cannot be read", refused, there)


def _join_columns(names: Sequence[str]) -> str:
    """SQL: several columns as one value that identifies their combination; NULL if all are NULL."""
    if len(names) == 1:
        return quote_name(names[0])
    texts = [f"trim(CAST({quote_name(name)} AS VARCHAR))" for name in names]
    joined = " || chr(31) || ".join(f"coalesce({text}, '')" for text in texts)
    return f"CASE WHEN coalesce({', '.join(texts)}) IS NOT NULL THEN {joined} END"


def _open_json(engine: Engine, files: Files, options: ReadOptions, path_part: str | None) -> Raw:
    """Open JSON lines, every value as text: an id such as 007 keeps its zeros."""
    files.check_not_empty()
    common = f"{files.sql_list}, compression='{files.compression}', format='auto'"
    try:
        names = engine.columns(
            f"SELECT * FROM read_json({common}, union_by_name=true, hive_partitioning=false)"
        )
        check_once(list(names), options.given_names)
        types = ", ".join(f"{quote_text(name)}: 'VARCHAR'" for name in names)
        call = f"read_json({common}, columns={{{types}}}"
        query, from_folders = _with_path(engine, files, call, path_part)
        name = engine.materialise(query, "text")
    except InputError:
        check_utf8(files)
        raise
    raw = _open_query(engine, f"FROM {name}", options, is_text=True)
    return _with_folders(raw, from_folders)
