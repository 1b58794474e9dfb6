"""Small files beside the data: true pairs of ids, and the region of each location."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import pyarrow as pa

from trailprint.errors import ColumnError, OptionError
from trailprint.events.engine import Engine, quote_name
from trailprint.events.reading.arrow_tables import check_used, to_arrow
from trailprint.events.reading.delimited import load_delimited
from trailprint.events.reading.dialects import sniff
from trailprint.events.reading.files import find_files
from trailprint.events.reading.frames import NoTableError, plain_frame
from trailprint.events.reading.headers import Header

#: Two columns of text: a path or a table.
PairSource: TypeAlias = Any


def open_pairs(engine: Engine, source: PairSource, names: tuple[str, str], what: str) -> str:
    """
    Return a query of the two named columns as text; rows with a missing value are left out.

    ``source`` is a path or an Arrow table.
    """
    if isinstance(source, pa.Table):
        return _whole_pairs(_open_table(engine, source, names, what), names)
    return _whole_pairs(_open_file(engine, source, names, what), names)


def to_table(given: Any, option: str, columns: tuple[str, str]) -> pa.Table:
    """Return a table of any library as Arrow; an error says what ``option`` must be."""
    if isinstance(given, pa.Table):
        return given
    plain = plain_frame(given)
    try:
        converted = to_arrow(plain)
    except NoTableError:
        raise OptionError(
            f"{option} must be a path or a table with columns {' and '.join(columns)}, got "
            f"{type(given).__name__} instead."
        ) from None
    check_used(converted.refused, columns, Header(names=columns))
    return converted.table


def _open_table(engine: Engine, table: pa.Table, names: tuple[str, str], what: str) -> str:
    for name in names:
        if table.column_names.count(name) != 1:
            raise ColumnError(
                f"{what} must have one column {' and one column '.join(names)}, but "
                f"{table.column_names.count(name)} are named {name}."
            )
    return f"FROM {engine.register(table.select(list(names)), 'pairs')}"


def _open_file(
    engine: Engine, path: str | os.PathLike[str], names: tuple[str, str], what: str
) -> str:
    files = find_files(path)
    if files.format == "parquet":
        query = f"FROM read_parquet({files.sql_list}, hive_partitioning=false)"
        there = Header(names=files.parquet_names(), given=names, is_proven=True)
    else:
        if (
            files.format == "json"
            or not sniff(files, files.paths[0], delimiter=None, wanted=names).names
        ):
            raise ColumnError(
                f"{what} must be a CSV or Parquet file whose columns are named "
                f"{' and '.join(names)}, but no such names were found."
            )
        text = load_delimited(engine, files, wanted=names)
        query = f"FROM {text.name}"
        there = Header(names=text.columns, given=names, is_proven=text.has_names)
    for name in names:
        if name not in there.names:
            raise ColumnError(
                f"{what} must have the columns {' and '.join(names)}, but {name!r} is missing. "
                + there.describe(near=[name])
            )
    return query


def _whole_pairs(query: str, names: tuple[str, str]) -> str:
    columns = [f"nullif(trim({quote_name(name)}::VARCHAR), '')" for name in names]
    aliased = ", ".join(f"{c} AS {quote_name(n)}" for c, n in zip(columns, names, strict=True))
    whole = " AND ".join(f"{quote_name(name)} IS NOT NULL" for name in names)
    return f"SELECT * FROM (SELECT {aliased} FROM ({query})) WHERE {whole}"


def read_truth(engine: Engine, path: str | os.PathLike[str], what: str = "A truth") -> pa.Table:
    """Return the true pairs of ids, in columns released and auxiliary."""
    return engine.arrow(open_pairs(engine, path, ("released", "auxiliary"), what))
