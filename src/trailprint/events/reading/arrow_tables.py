"""Conversion of tables of other libraries to Arrow, in memory of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa


def own_memory(arrow: pa.Table, table: Any) -> pa.Table:
    """
    Return a table that later changes of ``table``, from which it was converted, do not reach.

    Arrow shares the memory of NumPy arrays, and so of most columns of pandas. What other libraries
    hand over as Arrow never changes and is not copied.
    """
    if not isinstance(table, Mapping) and not hasattr(table, "iloc"):
        return arrow
    columns = [
        column if _is_frozen(table, name) or _is_built(column.type) else _copy(column)
        for name, column in zip(arrow.column_names, arrow.columns, strict=True)
    ]
    return pa.table(columns, schema=arrow.schema)


def _is_frozen(table: Any, name: str) -> bool:
    """Return whether a column was Arrow before, whose memory is never written again."""
    column = table.get(name)
    is_arrow = isinstance(column, pa.Array | pa.ChunkedArray)
    return is_arrow or hasattr(getattr(column, "dtype", None), "pyarrow_dtype")


def _is_built(kind: pa.DataType) -> bool:
    """Return whether a conversion from NumPy always makes new memory for values of a type."""
    tests = (pa.types.is_boolean, pa.types.is_string, pa.types.is_large_string)
    return any(test(kind) for test in tests)


def _copy(column: pa.ChunkedArray) -> pa.ChunkedArray:
    memory = pa.default_cpu_memory_manager()
    return pa.chunked_array([chunk.copy_to(memory) for chunk in column.chunks], column.type)
