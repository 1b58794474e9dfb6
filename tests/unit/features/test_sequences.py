"""Sequences against a naive twin, on ordinary days and where clocks change."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.sequences import spell_out

from trailprint import ReadOptions, read
from trailprint.features.sequences import NA, build_sequence_pair, build_sequences

HOUR = dt.timedelta(hours=1)


def spelled_out(sequences):
    places = [*sequences.locations.to_pylist(), None]
    users = sequences.users.to_pylist()
    return [
        (
            users[sequences.user[i]],
            int(sequences.day[i]),
            places[sequences.location[i]],
            float(sequences.duration_s[i]),
            int(sequences.weekday[i]),
            int(sequences.slot[i]),
            places[sequences.previous[i]],
            places[sequences.next_to_previous[i]],
            places[sequences.next[i]],
        )
        for i in range(sequences.n_visits)
    ]


def events_of(engine, stays, timezone):
    user, location, start, end = zip(*stays, strict=True)
    kind = pa.timestamp("us", "UTC")
    table = pa.table(
        {
            "user": user,
            "location": location,
            "start": pa.array(start, kind),
            "end": pa.array(end, kind),
        }
    )
    return read(table, ReadOptions(timezone=timezone), engine=engine)


def check(engine, stays, timezone):
    found = build_sequences(events_of(engine, stays, timezone))
    assert spelled_out(found) == spell_out(stays, timezone)
    return found


def at(month, day, hour, minute=0):
    return dt.datetime(2024, month, day, hour, minute)


@pytest.mark.parametrize(
    ("stays", "timezone"),
    [
        pytest.param([("a", "x", at(5, 1, 9), at(5, 1, 10))], "UTC", id="one visit"),
        pytest.param([("a", "x", at(5, 1, 9), None)], "UTC", id="open end"),
        pytest.param([("a", "x", at(5, 1, 22), at(5, 2, 2))], "UTC", id="over midnight"),
        pytest.param([("a", "x", at(5, 1, 22), at(5, 5, 2))], "UTC", id="several days"),
        pytest.param([("a", "x", at(5, 1, 22), at(5, 2, 0))], "UTC", id="until midnight sharp"),
        pytest.param([("a", "x", at(5, 1, 0), at(5, 2, 0))], "UTC", id="a whole day"),
        pytest.param([("a", "x", at(5, 1, 0), at(5, 1, 0))], "UTC", id="nothing at midnight"),
        pytest.param(
            [("a", "x", at(5, 1, 20), at(5, 1, 23))], "Europe/Zurich", id="local midnight"
        ),
        pytest.param([("a", "x", at(3, 30, 20), at(4, 1, 9))], "Europe/Zurich", id="23 hours"),
        pytest.param([("a", "x", at(10, 26, 20), at(10, 28, 9))], "Europe/Zurich", id="25 hours"),
        pytest.param([("a", "x", at(3, 10, 3), at(3, 10, 7))], "America/Havana", id="no midnight"),
        pytest.param([("a", "x", at(3, 10, 3), at(3, 10, 5))], "America/Havana", id="until none"),
        pytest.param(
            [("a", "x", at(10, 26, 22), at(10, 27, 9))], "Atlantic/Azores", id="two midnights"
        ),
        pytest.param(
            [("a", "x", at(10, 27, 0, 10), at(10, 27, 0, 40))], "Atlantic/Azores", id="between"
        ),
    ],
)
def test_days_are_cut_at_local_midnight(engine, stays, timezone):
    found = check(engine, stays, timezone)
    total = sum(((end or start) - start).total_seconds() for _, _, start, end in stays)
    assert found.duration_s.sum() == total
    assert (found.duration_s >= 0).all()


@pytest.mark.parametrize(("month", "day", "hours"), [(3, 31, 23), (10, 27, 25), (6, 1, 24)])
def test_a_day_in_zurich_may_have_23_or_25_hours(engine, month, day, hours):
    stay = ("a", "x", at(month, day, 12) - 36 * HOUR, at(month, day, 12) + 36 * HOUR)
    found = build_sequences(events_of(engine, [stay], "Europe/Zurich"))
    number = (dt.date(2024, month, day) - dt.date(1970, 1, 1)).days
    assert found.duration_s[found.day == number].tolist() == [hours * 3600]


def test_neighbours_end_with_the_day(engine):
    stays = [("a", place, at(5, 1, 9 + i), at(5, 1, 10 + i)) for i, place in enumerate("xyzx")]
    found = build_sequences(events_of(engine, [*stays, ("a", "y", at(5, 2, 9), None)], "UTC"))
    x, y, z = 0, 1, 2
    assert found.previous.tolist() == [NA, x, y, z, NA]
    assert found.next_to_previous.tolist() == [NA, NA, x, y, NA]
    assert found.next.tolist() == [y, z, x, NA, NA]
    assert found.day_starts().tolist() == [0, 4, 5]


MONDAY = dt.datetime(2024, 3, 25)
stays = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from("xyz"),
        st.integers(0, 9 * 24 * 2),
        st.one_of(st.none(), st.integers(0, 70)),
    ),
    min_size=1,
    max_size=25,
    unique_by=lambda stay: (stay[0], stay[2]),
)


@settings(max_examples=25, deadline=None)
@given(stays, st.sampled_from(["UTC", "Europe/Zurich", "America/New_York", "Asia/Kathmandu"]))
def test_sequences_equal_their_naive_twin(engine, drawn, timezone):
    half = dt.timedelta(minutes=30)
    check(
        engine,
        [
            (user, place, MONDAY + n * half, None if m is None else MONDAY + (n + m) * half)
            for user, place, n, m in drawn
        ],
        timezone,
    )


def test_both_sides_share_one_list_of_locations(engine):
    first = events_of(engine, [("a", "x", at(5, 1, 9), None)], "UTC")
    second = events_of(engine, [("b", "y", at(5, 1, 9), None)], "UTC")
    released, auxiliary = build_sequence_pair(first, second)
    assert released.locations.to_pylist() == auxiliary.locations.to_pylist() == ["x", "y"]
    np.testing.assert_array_equal([released.location[0], auxiliary.location[0]], [0, 1])


def three_days(engine):
    stays = [
        (user, place, at(5, day, 9 + i), None)
        for user, day, places in (("a", 1, "xy"), ("a", 4, "z"), ("b", 2, "x"), ("a", 9, "yx"))
        for i, place in enumerate(places)
    ]
    return build_sequences(events_of(engine, stays, "UTC"))


def test_days_with_data_are_counted_for_each_user(engine):
    assert three_days(engine).nth_day().tolist() == [0, 0, 1, 2, 2, 0]


def test_the_first_days_keep_their_neighbours_and_users(engine):
    found = three_days(engine).first_days(2)
    assert found.location.tolist() == [0, 1, 2, 0]
    assert found.next.tolist() == [1, NA, NA, NA]
    assert found.users.to_pylist() == ["a", "b"]


def test_users_without_a_day_can_be_dropped(engine):
    sequences = three_days(engine)
    late = sequences.at_days(sequences.user == 1)
    assert late.users.to_pylist() == ["a", "b"]
    alone = late.without_idle_users()
    assert (alone.users.to_pylist(), alone.user.tolist()) == (["b"], [0])
    nothing = alone.at_days(np.zeros(1, dtype=bool))
    assert nothing.day_starts().tolist() == [0]
    assert nothing.nth_day().tolist() == []
