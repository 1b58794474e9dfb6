"""Small files beside the data: true pairs of ids, and the region of each location."""

from __future__ import annotations

import os

import pyarrow as pa

from trailprint.errors import ColumnError
from trailprint.events.engine import Engine, quote_name
from trailprint.events.reading.delimited import load_delimited
from trailprint.events.reading.dialects import sniff
from trailprint.events.reading.files import find_files
from trailprint.events.reading.headers import Header


def open_pairs(
    engine: Engine, path: str | os.PathLike[str], names: tuple[str, str], what: str
) -> str:
    """Return a query of the two named columns as text; rows with a missing value are left out."""
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
    columns = [f"nullif(trim({quote_name(name)}::VARCHAR), '')" for name in names]
    aliased = ", ".join(f"{c} AS {quote_name(n)}" for c, n in zip(columns, names, strict=True))
    whole = " AND ".join(f"{quote_name(name)} IS NOT NULL" for name in names)
    return f"SELECT * FROM (SELECT {aliased} FROM ({query})) WHERE {whole}"


def read_truth(engine: Engine, path: str | os.PathLike[str]) -> pa.Table:
    """Return the true pairs of ids, in columns released and auxiliary."""
    return engine.arrow(open_pairs(engine, path, ("released", "auxiliary"), "A truth"))
