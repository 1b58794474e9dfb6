"""Reading of a source into clean events: find columns, convert values, count unusable rows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from trailprint.arguments import check_arguments
from trailprint.errors import BadRowsError, OptionError
from trailprint.events.engine import Engine, default_engine, quote_name
from trailprint.events.events import DUPLICATE_ROWS, Column, Events, Tally
from trailprint.events.options import ReadOptions
from trailprint.events.reading.advice import Advice, advise
from trailprint.events.reading.bad_rows import bad_conditions, proves_clean
from trailprint.events.reading.columns import check_kept, require_columns
from trailprint.events.reading.databases import find_database
from trailprint.events.reading.encodings import NotUtf8Error, in_utf8
from trailprint.events.reading.files import Files, find_files
from trailprint.events.reading.layouts import LAYOUTS, recognise_layout
from trailprint.events.reading.on_spark import find_on_spark
from trailprint.events.reading.raw import (
    Raw,
    open_database,
    open_files,
    open_on_spark,
    open_table,
)
from trailprint.events.reading.times import (
    check_timezone,
    is_number,
    is_whole_number,
    time_expression,
)
from trailprint.events.reading.workbooks import copy_sheet, find_workbook

_NO_TIMES = "No column of times was found: if there is one, name it with --start-column."
_NO_PLACES = "Nothing says where: everything counts as in one place."

#: Names, in SQL text, of tables that hold a source's text.
_TEXTS = re.compile(r"\btext_\d+\b")

#: Reading fails if more than this share of rows is unusable, unless ``allow_bad_rows`` is set.
BAD_ROWS_LIMIT = 0.01


@check_arguments()
def read(
    source: Any, options: ReadOptions | None = None, *, engine: Engine | None = None
) -> Events:
    """
    Open a dataset as lazy events.

    Parameters
    ----------
    source : path, glob, folder or table
        CSV, TSV, JSON lines or Parquet (also compressed), a table of a DuckDB or SQLite file
        (``file.db::table``), a sheet of an Excel workbook (``file.xlsx::Sheet``), a known research
        layout, or a pandas, polars or Arrow table or DuckDB relation. Events are returned
        unchanged.
    options : ReadOptions, optional
        Column names, time zone, layout and the treatment of unusable rows.
    engine : Engine, optional
        The DuckDB to use; by default all reads of a process share one. Datasets of different
        engines can be used together, but one of them is then copied.

    Returns
    -------
    Events
        Rows that cannot be used are counted in its ``tally``, never silently dropped.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import trailprint as tp
    >>> visits = {"user": ["a", "a", "b"], "location": ["library", "cafe", None]}
    >>> events = tp.read(pa.table(visits), tp.ReadOptions(allow_bad_rows=True))
    >>> events.count(), sum(events.tally.bad.values())
    (2, 1)
    """
    if isinstance(source, Events):
        return _read_already(source, options)
    options = options or ReadOptions()
    engine = engine or default_engine()
    check_timezone(engine, options.timezone)
    _check_layout(source, options.layout)
    there = find_on_spark(source, engine)
    if there is not None:
        return _clean(there.engine, open_on_spark(there, options), options)
    raw = _open(engine, source, options)
    events = _clean(engine, raw, options)
    if raw.is_text:  # The text has been converted into a new table.
        for name in _TEXTS.findall(raw.query):
            engine.drop(name)
    return events


def _read_already(events: Events, options: ReadOptions | None) -> Events:
    if options is not None:
        raise OptionError(
            "options are for data that is not yet read, got Events. Give them to the first "
            "trailprint.read."
        )
    return events


def _open(engine: Engine, source: Any, options: ReadOptions) -> Raw:
    if not isinstance(source, (str, os.PathLike)):
        return open_table(engine, source, options)
    workbook = find_workbook(source)
    if workbook is not None:
        return _open_files(engine, copy_sheet(engine, workbook), options)
    database = find_database(source)
    if database is not None:
        return open_database(engine, database, options)
    return _open_text(engine, find_files(source), options)


def _check_layout(source: Any, layout: str | None) -> None:
    if layout is None:
        return
    if layout not in LAYOUTS:
        known = ", ".join(sorted(LAYOUTS))
        raise OptionError(
            f"--layout must be one of {known}, got {layout!r} instead.", option="layout"
        )
    if not isinstance(source, (str, os.PathLike)):
        raise OptionError(
            f"--layout must be left out for a table, got {layout!r} and {type(source).__name__}. "
            "Name the table's columns instead, with column_names.",
            option="layout",
        )


def _open_text(engine: Engine, files: Files, options: ReadOptions) -> Raw:
    """Open files as UTF-8; if that fails and no encoding was given, in the detected encoding."""
    known, notes = in_utf8(engine, files, options.encoding)
    try:
        raw = _open_files(engine, known, options)
    except NotUtf8Error:
        if known is not files or options.encoding is not None:
            raise
        known, notes = in_utf8(engine, files, None, is_doubtful=True)
        raw = _open_files(engine, known, options)
    return replace(raw, notes=(*raw.notes, *notes))


def _open_files(engine: Engine, files: Files, options: ReadOptions) -> Raw:
    name = options.layout or recognise_layout(files, options)
    if name is not None:
        return LAYOUTS[name].open(engine, files, options)
    return open_files(engine, files, options)


def _clean(engine: Engine, raw: Raw, options: ReadOptions) -> Events:
    """Convert the columns, count unusable rows, and leave them out."""
    types = raw.types or engine.columns(raw.query)
    if options.one_place:
        raw = _in_one_place(raw)
    require_columns(raw.parts, raw.header)
    if options.keep_columns:
        check_kept(options.keep_columns, raw.parts, replace(raw.header, names=tuple(types)))
    typed = _typed_query(engine, raw, types, options)
    if raw.is_text or options.drop_duplicates:
        with engine.table(typed, "typed") as name:
            return _keep_good(engine, raw, options, f"FROM {name}")
    return _keep_good(engine, raw, options, typed)


def _in_one_place(raw: Raw) -> Raw:
    """Return rows without a location or position as all in one place; others unchanged."""
    if {"location", "lat"} & set(raw.parts):
        return raw
    parts: dict[Column, str] = {**raw.parts, "location": "'everywhere'"}
    return replace(raw, parts=parts, notes=(*raw.notes, _NO_PLACES))


def _keep_good(engine: Engine, raw: Raw, options: ReadOptions, typed: str) -> Events:
    """Return the usable rows as events; the others are counted."""
    columns = frozenset(raw.parts)
    if not raw.left_out and proves_clean(raw.parts, raw.ranges):
        tally, good = Tally(rows=_count_rows(engine, typed)), None
    else:
        tally, good = _tally(engine, typed, raw, bad_conditions(columns, options.max_stay_days))
    if options.drop_duplicates:
        tally = _with_dropped(engine, raw, tally)
    _check_bad_rows(tally, options, lambda: advise(engine, raw, typed, options, tally))
    every = [*sorted(columns), *(f"carried_{i}" for i in range(len(options.keep_columns)))]
    chosen = ", ".join(map(quote_name, every))
    kept = f"SELECT {chosen} FROM ({typed})" + (f" WHERE {good}" if good else "")
    return Events(
        engine=engine,
        query=kept,
        carried=options.keep_columns,
        columns=columns,
        timezone=options.timezone,
        raw_query=f"SELECT row_hash FROM ({typed})",
        tally=tally,
        notes=raw.notes if "start" in columns or "weight" in columns else (*raw.notes, _NO_TIMES),
        stays_last=raw.stays_last,
    )


def _typed_query(engine: Engine, raw: Raw, types: Mapping[str, str], options: ReadOptions) -> str:
    parts = [
        f"{_convert(engine, raw, options, column, kind)} AS {quote_name(column)}"
        for column, kind in _kinds(engine, raw, types).items()
    ]
    parts += [
        f"{quote_name(name)} AS carried_{place}" for place, name in enumerate(options.keep_columns)
    ]
    parts += [
        f"({condition}) AS {quote_name(reason)}" for reason, condition in raw.left_out.items()
    ]
    everything = ", ".join(quote_name(name) for name in types)
    parts.append(f"hash({everything}) AS row_hash")
    parts += _unread_ends(raw)
    distinct = "DISTINCT " if options.drop_duplicates else ""
    return f"SELECT {distinct}{', '.join(parts)} FROM ({raw.query})"


def _count_rows(engine: Engine, query: str) -> int:
    return int(engine.row(f"SELECT count(*) FROM ({query})")[0])


def _with_dropped(engine: Engine, raw: Raw, tally: Tally) -> Tally:
    """Add dropped duplicates to the counts of rows left out."""
    n_rows = _count_rows(engine, raw.query) + raw.n_misshapen
    if n_rows == tally.rows:
        return tally
    left_out = {**tally.left_out, DUPLICATE_ROWS: n_rows - tally.rows}
    return replace(tally, rows=n_rows, left_out=left_out)


def _unread_ends(raw: Raw) -> list[str]:
    """SQL: whether an end was given: it may be missing (an open stay) but not unreadable."""
    if "end" not in raw.parts:
        return []
    part = raw.parts["end"]
    given = f"trim(CAST({part} AS VARCHAR)) <> ''" if raw.is_text else f"{part} IS NOT NULL"
    return [f"coalesce({given}, false) AS has_end"]


def _kinds(engine: Engine, raw: Raw, types: Mapping[str, str]) -> dict[Column, str]:
    """Return the DuckDB type of each part; most parts are columns, whose types are known."""
    known = {quote_name(name): kind for name, kind in types.items()}
    return {
        column: known.get(part)
        or engine.columns(f"SELECT {part} AS part FROM ({raw.query})")["part"]
        for column, part in raw.parts.items()
    }


def _convert(
    engine: Engine,
    raw: Raw,
    options: ReadOptions,
    column: Column,
    kind: str,
) -> str:
    part = raw.parts[column]
    if kind.startswith("ENUM("):
        part, kind = f"CAST({part} AS VARCHAR)", "VARCHAR"
    if column in ("start", "end"):
        return time_expression(
            engine,
            f"({raw.query})",
            part,
            kind,
            timezone=options.timezone,
            time_format=options.time_format,
        )
    if column in ("lat", "lon", "weight"):
        return _number(part, kind, may_count=column == "weight")
    return _identifier(part, kind, is_text=raw.is_text)


def _number(part: str, kind: str, *, may_count: bool) -> str:
    """
    SQL: a number, which in text may have a decimal comma.

    A count such as 1,234 is ambiguous and becomes NULL.
    """
    if is_number(kind):
        return f"CAST({part} AS DOUBLE)"
    if kind != "VARCHAR":
        return f"TRY_CAST({part} AS DOUBLE)"
    number = f"TRY_CAST(replace({part}, ',', '.') AS DOUBLE)"
    if not may_count:
        return number
    return f"CASE WHEN NOT regexp_matches({part}, '^\\s*[1-9]\\d*,\\d{{3}}\\s*$') THEN {number} END"


def _identifier(part: str, kind: str, *, is_text: bool) -> str:
    """SQL: an id; text is trimmed, and integers stay integers (they group faster)."""
    if kind == "VARCHAR":
        return f"nullif(trim({part}), '')" if is_text else part
    if is_whole_number(kind):
        return part
    if kind in ("FLOAT", "DOUBLE"):
        # pandas turns 12 into 12.0 if a column has gaps.
        whole = f"CASE WHEN isfinite({part}) AND {part} = trunc({part}) AND abs({part}) < 1e15 "
        return (
            f"{whole} THEN CAST(CAST({part} AS BIGINT) AS VARCHAR) "
            f"WHEN isfinite({part}) THEN TRY_CAST({part} AS VARCHAR) END"
        )
    return f"TRY_CAST({part} AS VARCHAR)"


def _tally(
    engine: Engine, typed: str, raw: Raw, reasons: Mapping[str, str]
) -> tuple[Tally, str | None]:
    """Count unusable rows in one pass; also return the condition that leaves them out, if any."""
    left_out = {reason: quote_name(reason) for reason in raw.left_out}
    conditions = {**left_out, **reasons}
    counted = []
    earlier = "true"
    for condition in conditions.values():
        counted.append(f"count_if({earlier} AND coalesce({condition}, false))")
        earlier += f" AND NOT coalesce({condition}, false)"
    n_rows, *counts = engine.row(f"SELECT count(*), {', '.join(counted)} FROM ({typed})")
    found = {reason: n for reason, n in zip(conditions, counts, strict=True) if n}
    bad = {reason: n for reason, n in found.items() if reason not in left_out}
    if raw.n_misshapen:
        bad["wrong number of fields"] = raw.n_misshapen
    tally = Tally(
        rows=n_rows + raw.n_misshapen,
        bad=bad,
        left_out={reason: n for reason, n in found.items() if reason in left_out},
    )
    # Only reasons that occur are filtered: a clean file is scanned without any condition.
    unusable = [f"NOT coalesce({conditions[reason]}, false)" for reason in found]
    return tally, " AND ".join(unusable) or None


def _check_bad_rows(tally: Tally, options: ReadOptions, advise: Callable[[], Advice]) -> None:
    n_bad = sum(tally.bad.values())
    reasons = ", ".join(f"{reason}: {n:,}" for reason, n in tally.bad.items())
    if n_bad + sum(tally.left_out.values()) == tally.rows:
        which = "its only row cannot" if tally.rows == 1 else f"none of its {tally.rows:,} can"
        why = f"{which} be used ({reasons})" if n_bad else "it has none"
        advice = advise()
        raise BadRowsError(
            f"The data must have rows that can be used, but {why}.{advice.text}",
            option=advice.option,
            suggestions=advice.suggestions,
        )
    if options.allow_bad_rows or n_bad <= BAD_ROWS_LIMIT * tally.rows:
        return
    raise BadRowsError(
        f"At most {BAD_ROWS_LIMIT:.0%} of the rows may be unusable, but {n_bad:,} of "
        f"{tally.rows:,} are ({reasons}). Fix them, or go on without them with "
        f"--allow-bad-rows.{advise().text}",
        option="allow-bad-rows",
    )
