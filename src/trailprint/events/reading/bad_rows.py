"""Unusable rows: the test for each reason, and when there can be none."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from trailprint.events.events import Column
from trailprint.events.reading.files import ColumnRange

#: Reasons why a row is unusable: a time is missing or in an unknown form; a stay ends before it
#: starts, or is too long.
UNREADABLE_TIME = "unreadable time"
END_FIRST = "end before start"
LONG_STAY = "stay longer than the maximum"
#: A position is missing or not a number; or its coordinates are out of range.
UNREADABLE_POSITION = "missing or unreadable position"
OFF_GLOBE = "coordinates off the globe"
_DAY_US = 86_400_000_000

#: Largest range in which a double represents every integer exactly.
_LARGEST_COUNT = 2**53


def bad_conditions(columns: frozenset[Column], max_stay_days: float) -> dict[str, str]:
    """Return an SQL condition for each reason a row is unusable; the first that holds counts."""
    conditions = {"missing user": _is_blank('"user"')}
    if "location" in columns:
        conditions["missing location"] = _is_blank("location")
    if "start" in columns:
        conditions[UNREADABLE_TIME] = _not_a_time('"start"')
    if "end" in columns:
        unread_end = f"(has_end AND {_not_a_time(chr(34) + 'end' + chr(34))})"
        start = conditions.get(UNREADABLE_TIME)
        conditions[UNREADABLE_TIME] = f"({start} OR {unread_end})" if start else unread_end
        if "start" in columns:
            conditions[END_FIRST] = '"end" < "start"'
            longest = round(max_stay_days * _DAY_US)
            conditions[LONG_STAY] = f'epoch_us("end") - epoch_us("start") > {longest}'
    if "lat" in columns:
        inside = f"{_is_within('lat', -90, 90)} AND {_is_within('lon', -180, 180)}"
        conditions[UNREADABLE_POSITION] = "NOT coalesce(isfinite(lat) AND isfinite(lon), false)"
        conditions[OFF_GLOBE] = f"NOT coalesce({inside}, false)"
    if "weight" in columns:
        conditions["count is not a number of events"] = (
            f"NOT coalesce({_is_within('weight', 0, _LARGEST_COUNT)}, false)"
        )
    return conditions


def _is_blank(column: str) -> str:
    return f"coalesce(trim(CAST({column} AS VARCHAR)), '') = ''"


def _is_within(number: str, low: int, high: int) -> str:
    """
    SQL: whether a number lies in a range.

    The isfinite test is needed because DuckDB trusts the footers of Parquet files, whose ranges
    leave out NaN, and may skip a plain comparison.
    """
    return f"isfinite({number}) AND {number} BETWEEN {low} AND {high}"


def _not_a_time(column: str) -> str:
    years = "BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31'"
    return f"NOT coalesce({column} {years}, false)"


def proves_clean(parts: Mapping[Column, str], ranges: Mapping[str, ColumnRange]) -> bool:
    """
    Return whether the known ranges of the columns rule out every reason, without reading them.

    Ends are compared with starts row by row, and Parquet's ranges leave out NaN: with ends,
    positions or fractional counts the result is False.
    """
    known = {column: ranges.get(part.strip('"')) for column, part in parts.items()}
    return all(
        found is not None and found.n_missing == 0 and _is_fine(column, found)
        for column, found in known.items()
    )


def _is_fine(column: Column, found: ColumnRange) -> bool:
    if column in ("user", "location"):
        return isinstance(found.low, int) or (isinstance(found.low, str) and found.low[:1] > " ")
    if column == "start":
        return isinstance(found.low, (date, datetime))
    is_count = column == "weight" and isinstance(found.low, int)
    return is_count and bool(found.low >= 0 and found.high <= _LARGEST_COUNT)
