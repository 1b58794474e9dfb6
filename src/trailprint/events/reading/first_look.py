"""Columns of a source before it is read: their names, types and probable meanings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trailprint.errors import ColumnError, InputError
from trailprint.events.engine import Engine, quote_text
from trailprint.events.events import Column
from trailprint.events.options import ReadOptions
from trailprint.events.reading.columns import find_columns
from trailprint.events.reading.databases import find_database
from trailprint.events.reading.dialects import sniff
from trailprint.events.reading.files import Files, escape_glob, find_files
from trailprint.events.reading.headers import Header
from trailprint.events.reading.layouts import LAYOUTS, recognise_layout

#: Plain names of DuckDB's types; every other type is shown as text.
_WORDS = (
    (("TIMESTAMP", "DATE", "TIME"), "time"),
    (("DOUBLE", "FLOAT", "DECIMAL", "REAL"), "number"),
    (("BIGINT", "INTEGER", "SMALLINT", "TINYINT", "HUGEINT", "UBIGINT"), "whole number"),
    (("BOOLEAN",), "true or false"),
)
_SAMPLE_ROWS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceColumn:
    """
    A column of a source.

    Attributes
    ----------
    name : str, optional
        Name of the column; None if the name itself may be data.
    kind : str
        Type of its first rows: text, time, number, whole number, true or false.
    meaning : str, optional
        The canonical column it is used as; None if it is not used.
    """

    name: str | None
    kind: str
    meaning: Column | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLook:
    """The columns of a source, or the layout that defines them."""

    columns: tuple[SourceColumn, ...] = ()
    layout: str | None = None


def look_at_columns(source: str, options: ReadOptions, engine: Engine) -> FirstLook:
    """
    Guess what columns mean from their names and first rows, without returning values of the data.

    A source that cannot be inspected has no columns here; reading it reports why.
    """
    if find_database(source) is not None:
        return FirstLook()
    files = find_files(source)
    layout = options.layout or recognise_layout(files, options)
    if layout is not None:
        return FirstLook(layout=LAYOUTS[layout].description if layout in LAYOUTS else None)
    header, kinds = _list_names(files, options, engine)
    meanings = _guess(header, options)
    shown = header.shown()
    return FirstLook(
        columns=tuple(
            SourceColumn(
                name=name if name in shown else None,
                kind=kinds.get(name, "text"),
                meaning=meanings.get(name),
            )
            for name in header.names
        )
    )


def _list_names(
    files: Files, options: ReadOptions, engine: Engine
) -> tuple[Header, Mapping[str, str]]:
    """Return the header, and the types of its columns."""
    path = quote_text(escape_glob(files.paths[0]))
    if files.format != "delimited":
        kinds = _kinds(engine, f"read_{files.format}({path})")
        names = tuple(kinds)
        return Header(names=names, given=options.given_names, is_proven=True), kinds
    found = sniff(files, files.paths[0], delimiter=options.delimiter, wanted=options.given_names)
    # Without a header, DuckDB's column names could be values of the data.
    names = tuple(options.header) or found.names
    kinds = _kinds(
        engine,
        f"read_csv({path}, delim={quote_text(found.delimiter)}, header={not options.header}, "
        f"sample_size={_SAMPLE_ROWS}, compression='{files.compression}', ignore_errors=true)",
    )
    proven = bool(options.header) or found.header.is_proven
    header = Header(names=names, given=options.given_names, is_proven=proven)
    return header, dict(zip(names, kinds.values(), strict=False))


def _kinds(engine: Engine, call: str) -> Mapping[str, str]:
    """Return the columns that DuckDB finds and their types; empty if it cannot read the file."""
    try:
        types = engine.columns(f"SELECT * FROM {call}")
    except InputError:
        return {}
    return {name: _in_words(kind) for name, kind in types.items()}


def _in_words(kind: str) -> str:
    return next((word for names, word in _WORDS if kind.startswith(names)), "text")


def _guess(header: Header, options: ReadOptions) -> dict[str, Column]:
    try:
        found = find_columns(header, options.column_names)
    except ColumnError:
        return {}
    return {name: column for column, name in found.items()}
