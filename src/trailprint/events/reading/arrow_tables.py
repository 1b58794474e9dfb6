"""Conversion of tables of other libraries to Arrow, column by column and in memory of our own."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from trailprint.display.discreet import Discreet
from trailprint.errors import ColumnError, InputError, SourceError
from trailprint.events.engine import Engine
from trailprint.events.reading.frames import check_table, no_dataset
from trailprint.events.reading.headers import Header
from trailprint.events.reading.times import describe_mixed

_MIXED = (
    "Each column of a table must hold values of one kind, but {column} mixes several. "
    "Make it text first."
)
_UNKNOWN = (
    "Each column of a table must hold numbers, text or times of usual types, but {column} holds "
    "others. Make it text first."
)
_SPARSE = (
    "Each column of a table must hold all its values, but {column} is sparse. Make it dense first, "
    "with .sparse.to_dense()."
)
_NOT_UNICODE = (
    "Text must be valid Unicode, but {column} holds half characters (lone surrogates). Replace "
    "them first."
)

_NOT_UTF8 = "Text must be UTF-8, but {column} holds other bytes. Convert it to UTF-8."
_DAMAGED = (
    "Each column of a table must be whole, but {column} is damaged. Make the table "
    "again from its source."
)

#: Microseconds in the units of time that are longer.
_MICROSECONDS = {"ms": 10**3, "s": 10**6}


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted(Discreet):
    """
    A table as Arrow.

    Attributes
    ----------
    table : pa.Table
        The columns that can be used.
    refused : mapping
        Why each other column cannot: a sentence by the column's name, with ``{column}`` for it.
    """

    table: pa.Table
    refused: Mapping[str, str]


def check_used(refused: Mapping[str, str], used: Iterable[str], there: Header) -> None:
    """Raise an error if one of the columns ``used`` is among those of `Converted.refused`."""
    for name in used:
        if name in refused:
            shown = repr(name) if name in there.shown() else "one"
            raise SourceError(refused[name].format(column=shown))


def to_arrow(table: Any) -> Converted:
    """Convert a table; columns that cannot be converted are left out, as few of them are used."""
    check_table(table)
    table = _without_periods(table)
    refused: dict[Hashable, str] = {}
    arrow = _convert(table)
    if arrow is None:
        reasons = {label: _why_not(column) for label, column in _columns(table)}
        refused = {label: why for label, why in reasons.items() if why is not None}
        arrow = _convert(_without(table, refused)) if refused else None
    if arrow is None:
        raise _no_table(table)
    _check_periods(arrow)
    refused |= _find_mixed_times(arrow, table) | _find_damaged(arrow)
    names = {str(label): why for label, why in refused.items()}
    # By their places: the names of an Arrow table may repeat.
    usable = arrow.select([i for i, name in enumerate(arrow.column_names) if name not in names])
    return Converted(table=_fit_types(_own_memory(usable, table)), refused=names)


def leave_out_unknown(engine: Engine, converted: Converted) -> Converted:
    """Leave out the columns whose types DuckDB does not know."""
    table = converted.table
    known = [i for i in range(table.num_columns) if _is_known(engine, table.select([i]))]
    unknown = [name for i, name in enumerate(table.column_names) if i not in known]
    refused = {**converted.refused, **dict.fromkeys(unknown, _UNKNOWN)}
    return Converted(table=table.select(known), refused=refused)


def _is_known(engine: Engine, table: pa.Table) -> bool:
    try:
        with engine.registered(table.slice(0, 0), "empty"):
            return True
    except InputError:
        return False


def _fit_types(arrow: pa.Table) -> pa.Table:
    """Make columns of types that DuckDB does not take, or not in full, such as it takes."""
    for place, field in enumerate(arrow.schema):
        column = arrow.column(place)
        if pa.types.is_float16(field.type):
            column = column.cast(pa.float32())
        elif pa.types.is_timestamp(field.type) and field.type.unit in _MICROSECONDS:
            column = _within_microseconds(column)
        arrow = arrow.set_column(place, field.with_type(column.type), column)
    return arrow


def _within_microseconds(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Move times that microseconds cannot count to the ends of time, far from the year 9999."""
    limit = 2**62 // _MICROSECONDS[column.type.unit]
    numbers = pa.chunked_array([chunk.view(pa.int64()) for chunk in column.chunks], pa.int64())
    low, high = pc.min_max(numbers).as_py().values()
    if low is None or -limit <= low <= high <= limit:
        return column
    near = pc.min_element_wise(numbers, limit, skip_nulls=False)
    near = pc.max_element_wise(near, -limit, skip_nulls=False)
    return pa.chunked_array([chunk.view(column.type) for chunk in near.chunks], column.type)


def _convert(table: Any) -> pa.Table | None:
    """Return None if Arrow or the table's own library cannot convert it."""
    try:
        return pa.table(table)
    except MemoryError:
        raise
    except Exception:  # Its type depends on the library, and its message may hold values.
        return None


def _columns(table: Any) -> Iterator[tuple[Hashable, Any]]:
    """Yield the names and columns of a table of arrays; other tables are of Arrow already."""
    if isinstance(table, Mapping) or _is_pandas(table):
        yield from table.items()


def _levels(table: Any) -> Iterator[tuple[Hashable, Any]]:
    """Yield the names and values of an index of pandas that becomes columns."""
    for level, name in enumerate(table.index.names if _is_pandas(table) else ()):
        if name is not None and name not in table.columns:
            yield name, table.index.get_level_values(level)


def _is_pandas(table: Any) -> bool:
    return hasattr(table, "iloc") and hasattr(table, "columns")


def _why_not(column: Any) -> str | None:
    """Return why Arrow cannot hold a column; None if it can."""
    try:
        pa.table({"column": column})
    except MemoryError:
        raise
    except UnicodeError:
        return _NOT_UNICODE
    except Exception:
        if hasattr(column, "sparse"):
            return _SPARSE
        return _MIXED if _count_kinds(column) > 1 else _UNKNOWN
    return None


def _count_kinds(column: Any) -> int:
    """Return how many types the values of a column have, missing ones left out."""
    values = column if isinstance(column, Iterable) else ()
    kinds = {type(value).__name__ for value in values if not _is_nan(value)}
    return len(kinds - {"NoneType", "NAType", "NaTType"})


def _find_mixed_times(arrow: pa.Table, table: Any) -> dict[Hashable, str]:
    """
    Return which columns of objects mix times with a zone, times without one, or dates.

    Arrow takes the form of the first for that of all, which moves or cuts the others.
    """
    found = {}
    for label, column in itertools.chain(_columns(table), _levels(table)):
        if str(label) in arrow.column_names and _holds_objects(column):
            present = _count_forms(column) if pa.types.is_temporal(arrow[str(label)].type) else ()
            if len(present) > 1:
                found[label] = describe_mixed("{column}", present)
    return found


def _find_damaged(arrow: pa.Table) -> dict[Hashable, str]:
    """
    Return which columns break the rules of Arrow, such as text that is not UTF-8.

    DuckDB trusts them, and one such value ends it. Times are left out: those of half a day in a
    column of days break a rule too, but do no harm.
    """
    found: dict[Hashable, str] = {}
    for name, column in zip(arrow.column_names, arrow.columns, strict=True):
        try:
            column.validate(full=not pa.types.is_temporal(column.type))
        except pa.ArrowInvalid as error:
            found[name] = _NOT_UTF8 if "UTF8" in str(error) else _DAMAGED
    return found


def _holds_objects(column: Any) -> bool:
    return isinstance(column, list | tuple) or str(getattr(column, "dtype", "")) == "object"


def _count_forms(column: Iterable[Any]) -> list[str]:
    """Return how many of the times and dates of a column there are of each form, in words."""
    forms: Counter[str] = Counter()
    for value in column:
        if isinstance(value, datetime) and value == value:  # NaT is unlike itself.
            forms["times without a zone" if value.tzinfo is None else "times with a zone"] += 1
        elif isinstance(value, date) and not isinstance(value, datetime):
            forms["dates"] += 1
    return [f"{n:,} {form}" for form, n in sorted(forms.items())]


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def _without(table: Any, labels: Mapping[Hashable, str]) -> Any:
    if isinstance(table, Mapping):
        return {label: column for label, column in table.items() if label not in labels}
    return table.drop(columns=list(labels))


def _no_table(table: Any) -> InputError:
    """Return the error for a table of which no part could be converted."""
    if _is_pandas(table):
        if not table.columns.is_unique:
            return ColumnError(
                "Each column of a table must have a name of its own, but some have the same. "
                "Rename them first."
            )
        return SourceError(
            "The index of a frame must hold values of one kind, but this one does not. Drop it "
            "first, with .reset_index(drop=True)."
        )
    if hasattr(table, "__arrow_c_stream__"):
        return SourceError(
            "The rows of a table must be readable to their end, but this "
            f"{type(table).__name__} stopped with an error. Make a table of what it reads first."
        )
    return no_dataset(table)


def _without_periods(table: Any) -> Any:
    """Replace pandas periods by their start times; Arrow would make them counts since 1970."""
    kinds = getattr(table, "dtypes", None)
    if kinds is None or not getattr(getattr(table, "columns", None), "is_unique", False):
        return table
    periods = [
        name
        for name, kind in zip(table.columns, kinds, strict=True)
        if str(kind).startswith("period[")
    ]
    if periods:
        table = table.copy(deep=False)
    for name in periods:
        table[name] = table[name].dt.start_time
    return table


def _check_periods(arrow: pa.Table) -> None:
    if any(getattr(kind, "extension_name", "") == "pandas.period" for kind in arrow.schema.types):
        raise SourceError(
            "A column of times must hold times, but one holds periods of pandas as numbers. "
            "Make them times first, with .dt.start_time."
        )


def _own_memory(arrow: pa.Table, table: Any) -> pa.Table:
    """
    Return a table that later changes of ``table``, from which it was converted, do not reach.

    Arrow shares the memory of NumPy arrays, and so of most columns of pandas. What other libraries
    hand over as Arrow never changes and is not copied.
    """
    if not isinstance(table, Mapping) and not _is_pandas(table):
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
