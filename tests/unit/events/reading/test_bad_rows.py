"""Which rows cannot be used, which reason counts first, and when a file proves it has none."""

from __future__ import annotations

import datetime as dt

import pytest

from trailprint.events.reading.bad_rows import (
    LONG_STAY,
    OFF_GLOBE,
    UNREADABLE_POSITION,
    UNREADABLE_TIME,
    bad_conditions,
    proves_clean,
)
from trailprint.events.reading.files import ColumnRange

DAY = dt.datetime(2024, 5, 1, tzinfo=dt.UTC)


def reason_of(engine, max_stay_days: float = 366.0, **row: object) -> str | None:
    """The first reason that holds of a row of SQL values."""
    columns = frozenset(row) - {"has_end"}
    conditions = bad_conditions(columns, max_stay_days)  # type: ignore[arg-type]
    values = ", ".join(f'{value} AS "{name}"' for name, value in row.items())
    cases = " ".join(f"WHEN {sql} THEN '{why}'" for why, sql in conditions.items())
    return engine.row(f"SELECT CASE {cases} END FROM (SELECT {values})")[0]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"user": "'a'", "location": "'x'"}, None),
        ({"user": "'  '", "location": "'x'"}, "missing user"),
        ({"user": "NULL", "location": "NULL"}, "missing user"),
        ({"user": "7", "location": "''"}, "missing location"),
        ({"user": "'a'", "start": "NULL::TIMESTAMP"}, UNREADABLE_TIME),
        ({"user": "'a'", "start": "'infinity'::TIMESTAMP"}, UNREADABLE_TIME),
        ({"user": "'a'", "lat": "'NaN'::DOUBLE", "lon": "0.0"}, UNREADABLE_POSITION),
        ({"user": "'a'", "lat": "90.5", "lon": "0.0"}, OFF_GLOBE),
        ({"user": "'a'", "lat": "90.0", "lon": "-180.0"}, None),
        ({"user": "'a'", "weight": "-1.0"}, "count is not a number of events"),
        ({"user": "'a'", "weight": "'NaN'::DOUBLE"}, "count is not a number of events"),
        ({"user": "'a'", "weight": "0.0"}, None),
    ],
)
def test_the_first_reason_that_holds(engine, row, reason):
    assert reason_of(engine, **row) == reason


@pytest.mark.parametrize(
    ("start", "end", "has_end", "reason"),
    [
        ("2024-05-01", "2024-05-02", True, None),
        ("2024-05-02", "2024-05-01", True, "end before start"),
        ("2024-05-01", "2024-05-09", True, LONG_STAY),
        ("2024-05-01", None, True, UNREADABLE_TIME),
        ("2024-05-01", None, False, None),
    ],
)
def test_stays_end_after_they_start_and_not_much_later(engine, start, end, has_end, reason):
    row = {
        "user": "'a'",
        "start": f"TIMESTAMP '{start}'",
        "end": "NULL::TIMESTAMP" if end is None else f"TIMESTAMP '{end}'",
        "has_end": str(has_end).lower(),
    }
    assert reason_of(engine, 7.0, **row) == reason


@pytest.mark.parametrize(
    ("column", "known", "is_clean"),
    [
        ("user", ColumnRange(low="a", high="z", n_missing=0), True),
        ("user", ColumnRange(low="a", high="z", n_missing=1), False),
        ("user", ColumnRange(low=" a", high="z", n_missing=0), False),
        ("location", ColumnRange(low=3, high=9, n_missing=0), True),
        ("start", ColumnRange(low=DAY, high=DAY, n_missing=0), True),
        ("start", ColumnRange(low="2024", high="2025", n_missing=0), False),
        ("weight", ColumnRange(low=0, high=2**53, n_missing=0), True),
        ("weight", ColumnRange(low=-1, high=5, n_missing=0), False),
        ("weight", ColumnRange(low=0.0, high=5.0, n_missing=0), False),
        ("lat", ColumnRange(low=1.0, high=2.0, n_missing=0), False),
    ],
)
def test_a_footer_proves_only_what_it_can(column, known, is_clean):
    assert proves_clean({column: '"x"'}, {"x": known}) == is_clean
    assert not proves_clean({column: '"x"'}, {})
