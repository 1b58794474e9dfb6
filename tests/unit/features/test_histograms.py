"""Histograms, trails and ids on small data that can be counted by hand."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.histograms import SLOTS, weigh_visits

from trailprint import ReadOptions, read
from trailprint.errors import ColumnError, OptionError
from trailprint.features.histograms import build_histogram_pair, build_histograms
from trailprint.features.ids import encode
from trailprint.features.options import HistogramOptions, Weight
from trailprint.features.trails import build_trail_pair, build_trails, shared_trails, trails_of

ZONE = "Europe/Zurich"
MONDAY = dt.datetime(2024, 3, 25)

visits = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from("xyz"),
        st.integers(0, 9 * 24 * 2).map(lambda n: MONDAY + dt.timedelta(minutes=30 * n)),
        st.one_of(st.none(), st.integers(0, 90_000)),
    ),
    min_size=1,
    max_size=30,
)
quick = settings(max_examples=15, deadline=None)


def events_of(engine, rows, timezone=ZONE):
    user, location, start, seconds = zip(*rows, strict=True)
    ends = [
        None if s is None else t + dt.timedelta(seconds=s)
        for t, s in zip(start, seconds, strict=True)
    ]
    kind = pa.timestamp("us", "UTC")
    table = pa.table(
        {
            "user": user,
            "location": location,
            "start": pa.array(start, kind),
            "end": pa.array(ends, kind),
        }
    )
    return read(table, ReadOptions(timezone=timezone), engine=engine)


def spelled_out(histograms):
    """{(user, slot, location): amount} of what is above zero."""
    n = len(histograms.locations)
    places, users = histograms.locations.to_pylist(), histograms.users.to_pylist()
    rows, columns = histograms.matrix.nonzero()
    return {
        (users[i], histograms.slots[j // n], places[j % n]): histograms.matrix[i, j]
        for i, j in zip(rows, columns, strict=True)
    }


@pytest.mark.parametrize("slots", SLOTS)
@pytest.mark.parametrize("weight", ["visits", "duration", "day-balanced"])
@quick
@given(visits)
def test_weights_and_slots_equal_their_naive_twin(engine, weight, slots, rows):
    options = HistogramOptions(weight=weight, slots=slots)
    found = spelled_out(build_histograms(events_of(engine, rows), options))
    assert found == pytest.approx(weigh_visits(rows, weight, slots, ZONE), abs=1e-9)


@quick
@given(visits)
def test_a_total_is_its_users_total(engine, rows):
    found = build_histograms(events_of(engine, rows))
    expected = Counter(row[0] for row in rows)
    assert dict(zip(found.users.to_pylist(), found.totals, strict=True)) == expected
    assert found.matrix.sum() == len(rows)


@quick
@given(visits)
def test_probabilities_add_up_to_one_in_each_slot(engine, rows):
    found = build_histograms(events_of(engine, rows), HistogramOptions(slots="weekday"))
    dense = found.probabilities().toarray().reshape(found.n_users, 7, -1).sum(axis=2)
    assert np.all(np.isclose(dense, 1) | (dense == 0))


@quick
@given(visits, st.permutations("abc"), st.permutations("xyz"))
def test_other_names_permute_results_and_change_nothing_else(engine, rows, users, places):
    person, place = dict(zip("abc", users, strict=True)), dict(zip("xyz", places, strict=True))
    renamed = [(person[u], place[p], t, s) for u, p, t, s in rows]
    options = HistogramOptions(weight="day-balanced", slots="weekend")
    before = spelled_out(build_histograms(events_of(engine, rows), options))
    after = spelled_out(build_histograms(events_of(engine, renamed), options))
    assert after == {(person[u], slot, place[p]): n for (u, slot, p), n in before.items()}


def test_rows_are_sorted_and_hold_no_zeros(make_events):
    events = make_events([("b", "y", 0), ("b", "x", 2), ("a", "y", 1)], "user", "location", "count")
    found = build_histograms(events)
    assert found.users.to_pylist() == ["a", "b"]
    assert found.locations.to_pylist() == ["x", "y"]
    assert found.matrix.has_sorted_indices
    assert found.matrix.toarray().tolist() == [[0, 1], [2, 0]]
    assert found.matrix.nnz == 2


def test_counts_weigh_every_kind_of_histogram(make_events):
    rows = [("a", "x", MONDAY, MONDAY, 3), ("a", "y", MONDAY, MONDAY, 1)]
    events = make_events(rows, "user", "location", "start", "end", "count")
    shares: dict[Weight, list[float]] = {
        "visits": [3, 1],
        "duration": [3, 1],
        "day-balanced": [0.75, 0.25],
    }
    for weight, expected in shares.items():
        found = build_histograms(events, HistogramOptions(weight=weight))
        assert found.matrix.toarray().tolist() == [expected]


@pytest.mark.parametrize(("stays_last", "expected"), [(False, [61.0, 1.0]), (True, [60.0, 1.0])])
def test_the_last_second_counts_too_unless_stays_were_rebuilt(make_events, stays_last, expected):
    rows = [("a", "x", MONDAY, MONDAY + dt.timedelta(minutes=1)), ("a", "y", MONDAY, MONDAY)]
    events = make_events(rows, "user", "location", "start", "end")
    events = replace(events, stays_last=stays_last)
    found = build_histograms(events, HistogramOptions(weight="duration"))
    assert found.matrix.toarray().tolist() == [expected]


def test_trails_are_compared_at_locations_that_both_sides_visit(make_events):
    released = make_events([("a", "x"), ("a", "y"), ("b", "x")], "user", "location")
    auxiliary = make_events([("a", "y"), ("b", "y"), ("b", "z")], "user", "location")
    first, second = shared_trails(*build_histogram_pair(released, auxiliary))
    assert first.locations.take(first.indices).to_pylist() == ["y"]
    assert second.locations.take(second.indices).to_pylist() == ["y", "y"]
    assert (first.lengths.tolist(), second.lengths.tolist()) == ([1, 0], [1, 1])


def test_both_sides_share_one_index_and_numbers_meet_text(engine, make_events, write):
    numbers = make_events([(7, 1), (12, 2), (7, 10)], "user", "location")
    text = read(write("v.csv", "user,location\n12,10\n7,3\n007,1\n"), engine=engine)
    released, auxiliary = build_histogram_pair(numbers, text)
    assert released.locations.to_pylist() == auxiliary.locations.to_pylist()
    assert set(released.locations.to_pylist()) == {"1", "2", "3", "10"}
    assert set(released.users.to_pylist()) == {"7", "12"}
    assert set(auxiliary.users.to_pylist()) == {"7", "12", "007"}
    assert set(spelled_out(released)) == {("7", "all", "1"), ("7", "all", "10"), ("12", "all", "2")}
    assert set(spelled_out(auxiliary)) == {
        ("12", "all", "10"),
        ("7", "all", "3"),
        ("007", "all", "1"),
    }


def test_select_keeps_the_order_asked_for(make_events):
    found = build_histograms(make_events([("a", "x"), ("b", "y")], "user", "location"))
    chosen = found.select(np.array([1, 0]))
    assert chosen.users.to_pylist() == ["b", "a"]
    assert chosen.matrix.toarray().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("options", "column"),
    [
        (HistogramOptions(weight="duration"), "end"),
        (HistogramOptions(weight="day-balanced"), "start"),
        (HistogramOptions(slots="weekday"), "start"),
    ],
)
def test_what_needs_times_says_so(make_events, options, column):
    events = make_events([("a", "x", 3)], "user", "location", "count")
    with pytest.raises(ColumnError, match=f"needs a column '{column}'"):
        build_histograms(events, options)


@pytest.mark.parametrize("options", [{"weight": "hours"}, {"slots": "monthly"}])
def test_options_that_break_their_rule(options):
    with pytest.raises(OptionError, match="must be one of"):
        HistogramOptions(**options)


@pytest.mark.parametrize("n_locations", [1, 63, 64, 65, 130])
def test_trails_are_the_bits_of_histograms(make_events, n_locations):
    rows = [(f"u{i % 7}", f"l{i:03}", 1) for i in range(n_locations)] + [("u0", "l000", 5)]
    histograms = build_histograms(make_events(rows, "user", "location", "count"))
    trails = trails_of(histograms)
    assert trails.bits.dtype == np.uint64
    assert trails.bits.shape == (histograms.n_users, -(-n_locations // 64))
    expected = histograms.matrix.toarray() > 0
    np.testing.assert_array_equal(trails.to_matrix().toarray(), expected)
    np.testing.assert_array_equal(trails.lengths, expected.sum(axis=1))
    for user, place in np.argwhere(expected):
        assert trails.bits[user, place // 64] >> np.uint64(place % 64) & np.uint64(1)


def test_trails_forget_slots(engine):
    rows = [
        ("a", "x", MONDAY, 1),
        ("a", "x", MONDAY + dt.timedelta(days=1), 1),
        ("a", "y", MONDAY, 1),
    ]
    histograms = build_histograms(events_of(engine, rows), HistogramOptions(slots="weekday"))
    assert trails_of(histograms).lengths.tolist() == [2]


def test_trail_pairs_share_one_index(make_events):
    pair = (
        make_events([("a", "y")], "user", "location"),
        make_events([("b", "x")], "user", "location"),
    )
    released, auxiliary = build_trail_pair(*pair)
    assert released.locations.to_pylist() == auxiliary.locations.to_pylist() == ["x", "y"]
    assert (released.bits[0, 0], auxiliary.bits[0, 0]) == (2, 1)
    assert build_trails(pair[0]).n_users == 1


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.int8(), [-128, 127, 0, -1]),
        (pa.int16(), [-32768, 32767, 5]),
        (pa.uint8(), [255, 0]),
        (pa.int32(), [-(2**31), 2**31 - 1]),
        (pa.int64(), [-(2**63), 2**63 - 1, 0]),
        (pa.uint64(), [2**64 - 1, 2**64 - 3, 2**63]),
        (pa.string(), ["b", "a", "", "é"]),
    ],
)
@pytest.mark.parametrize("repeats", [1, 10_000])
def test_codes_point_back_to_their_ids(kind, values, repeats):
    column = pa.chunked_array([pa.array(values * repeats, kind)])
    codes, ids = encode(column)
    assert [ids[int(code)].as_py() for code in codes[: len(values)]] == list(map(str, values))
    assert len(ids) == len(set(ids.to_pylist())) == len(values)
    assert codes.max() == len(values) - 1
