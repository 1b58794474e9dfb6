"""H3 cells as a DuckDB function, in this process and in workers."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
from duckdb.func import PythonUDFType

_NAME = re.compile(r"\bh3_cell_of_resolution_(\d+)\b", re.IGNORECASE)


def name_cells(resolution: int) -> str:
    """Return the name of the function from latitude and longitude to an H3 cell."""
    return f"h3_cell_of_resolution_{resolution}"


def define_cells(connection: Any, query: str) -> None:
    """Register the H3 functions that a query uses; needs the package h3 if there are any."""
    for resolution in {int(found) for found in _NAME.findall(query)}:
        _define(connection, resolution)


def _define(connection: Any, resolution: int) -> None:
    import h3

    def cells(lat: pa.ChunkedArray, lon: pa.ChunkedArray) -> pa.Array:
        pairs = zip(lat.to_pylist(), lon.to_pylist(), strict=True)
        return pa.array([h3.latlng_to_cell(a, b, resolution) for a, b in pairs], pa.string())

    name = name_cells(resolution)
    known = f"SELECT count(*) FROM duckdb_functions() WHERE function_name = '{name}'"
    if not connection.execute(known).fetchall()[0][0]:
        connection.create_function(
            name, cells, ["DOUBLE", "DOUBLE"], "VARCHAR", type=PythonUDFType.ARROW
        )
