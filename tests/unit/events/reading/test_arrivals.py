"""Stays rebuilt from arrivals: by hand, and against a definition on random days."""

from __future__ import annotations

from datetime import datetime, timedelta

import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.stays import stays_of_arrivals

from trailprint.events.options import Window
from trailprint.events.reading.arrivals import stays_in_window, stays_until_next

MONDAY = datetime(2024, 3, 4)
WINDOW = Window(start=9 * 60, end=17 * 60)

Record = tuple[str, str, datetime | None]
Stay = tuple[str, str, datetime | None, datetime | None]


def at(hour: float, day: int = 0) -> datetime:
    return MONDAY + timedelta(days=day, hours=hour)


def query(records: list[Record], sql) -> list[Stay]:
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE records ("user" TEXT, location TEXT, "start" TIMESTAMP)')
        connection.executemany("INSERT INTO records VALUES (?, ?, ?)", records)
        rows = connection.execute(
            f'SELECT "user", location, "start", "end" FROM ({sql("SELECT * FROM records")})'
        ).fetchall()
    return sorted(rows, key=str)


def until_next(records: list[Record], max_days: float = 1.0) -> list[Stay]:
    return query(records, lambda table: stays_until_next(table, max_days))


def in_window(records: list[Record], *, throughout: bool, zone: str = "UTC") -> list[Stay]:
    return query(records, lambda table: stays_in_window(table, WINDOW, zone, throughout=throughout))


def test_a_record_lasts_until_the_same_persons_next_one():
    records: list[Record] = [("u", "a", at(8)), ("v", "c", at(8.5)), ("u", "b", at(9))]
    assert until_next(records) == [
        ("u", "a", at(8), at(9)),
        ("u", "b", at(9), None),
        ("v", "c", at(8.5), None),
    ]


def test_a_next_record_too_far_away_ends_nothing():
    records: list[Record] = [("u", "a", at(8)), ("u", "b", at(8, day=2))]
    assert [end for *_, end in until_next(records, 1.0)] == [None, None]
    assert until_next(records, 2.0)[0][3] == at(8, day=2)


def test_a_record_without_a_time_ends_no_other():
    records: list[Record] = [("u", "a", at(8)), ("u", "b", None), ("u", "c", at(9))]
    assert ("u", "a", at(8), at(9)) in until_next(records)
    assert ("u", "b", None, None) in until_next(records)


def test_a_stay_is_carried_into_the_window_and_closed_at_its_end():
    records: list[Record] = [("u", "a", at(8)), ("u", "b", at(12)), ("u", "c", at(18))]
    assert in_window(records, throughout=False) == [
        ("u", "a", at(9), at(12)),
        ("u", "b", at(12), at(17)),
    ]


def test_only_days_that_began_before_the_window_count_as_throughout():
    records: list[Record] = [("u", "a", at(8)), ("u", "b", at(10, day=1))]
    assert in_window(records, throughout=True) == [("u", "a", at(9), at(17))]
    assert len(in_window(records, throughout=False)) == 2


def test_the_window_is_local_and_its_stays_are_utc():
    records: list[Record] = [("u", "a", at(6))]
    assert in_window(records, throughout=False, zone="Europe/Berlin") == [("u", "a", at(8), at(16))]


arrivals = st.lists(
    st.builds(
        lambda user, place, minutes: (user, place, MONDAY + timedelta(minutes=minutes)),
        st.sampled_from("uv"),
        st.sampled_from("abc"),
        st.integers(0, 3 * 24 * 60),
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None, max_examples=40)
@given(arrivals, st.booleans())
def test_stays_in_the_window_equal_their_definition(records: list[Record], throughout: bool):
    found = in_window(records, throughout=throughout)
    limits = WINDOW.start, WINDOW.end
    assert found == stays_of_arrivals(records, limits, throughout=throughout)
