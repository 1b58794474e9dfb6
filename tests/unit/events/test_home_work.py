"""How much of the time at a place is night, and how much work hours."""

from __future__ import annotations

import datetime as dt

import pytest

from trailprint.events.home_work import presence_columns

HOUR = 3_600_000_000
SECOND = 1_000_000


def at(day: int, hour: int, minute: int = 0) -> dt.datetime:
    """4 March 2024 is a Monday."""
    return dt.datetime(2024, 3, day, hour, minute, tzinfo=dt.UTC)


@pytest.fixture
def presence(make_events):
    """Night and work of all events of one person at one place, in microseconds."""

    def measure(rows, *names, timezone="UTC"):
        events = make_events(
            [("a", "x", *row) for row in rows], "user", "location", *names, timezone=timezone
        )
        query = f"SELECT {presence_columns(events)} FROM ({events.query})"
        return tuple(map(int, events.engine.row(query)))

    return measure


@pytest.mark.parametrize(
    ("start", "end", "night", "work"),
    [
        (at(4, 22), at(5, 7), 9, 0),
        (at(4, 9), at(4, 17), 0, 8),
        (at(4, 16), at(4, 23), 1, 1),
        (at(9, 9), at(9, 17), 0, 0),
        (at(4, 0), at(11, 0), 7 * 9, 5 * 8),
        (at(8, 12), at(11, 12), 3 * 9, 5 + 3),
    ],
    ids=["a night", "a working day", "an evening", "a Saturday", "a week", "over a weekend"],
)
def test_time_spent_counts_by_its_hours(presence, start, end, night, work):
    counted = presence([(start, end)], "start", "end")
    begins = (start.hour >= 22 or start.hour < 7) * SECOND
    works = (start.isoweekday() <= 5 and 9 <= start.hour < 17) * SECOND
    assert counted == (night * HOUR + begins, work * HOUR + works)


def test_events_without_a_duration_count_a_second_each(presence):
    rows = [(at(4, 23),), (at(5, 6, 59),), (at(5, 7),), (at(5, 9),), (at(9, 9),)]
    assert presence(rows, "start") == (2 * SECOND, SECOND)


def test_hours_are_those_of_the_place(presence):
    # 21:30 UTC is 22:30 in Zurich in winter.
    assert presence([(at(4, 21, 30),)], "start") == (0, 0)
    assert presence([(at(4, 21, 30),)], "start", timezone="Europe/Zurich") == (SECOND, 0)


def test_counted_events_count_as_often(presence):
    assert presence([(at(4, 23), 5)], "start", "count") == (5 * SECOND, 0)


def test_without_times_nothing_is_known(presence):
    assert presence([()]) == (0, 0)
