"""Who shares a trace in a release, before and after a protection."""

import datetime as dt

import trailprint as tp
from trailprint.studies.shared_traces import compare_sharing, measure_shared, share_release

DAY = dt.datetime(2024, 1, 1, 9, tzinfo=dt.UTC)
ROWS = [
    ("a", "x", DAY),
    ("b", "x", DAY + dt.timedelta(minutes=20)),
    ("c", "x", DAY + dt.timedelta(days=1)),
    ("c", "y", DAY + dt.timedelta(days=2)),
]


def alone(shared):
    return {one.what: round(one.unique_share * one.people) for one in shared}


def test_a_trace_is_places_with_hours_or_with_counts(make_events):
    timed = make_events(ROWS, "user", "location", "start")
    assert share_release(timed, None)["trace"].tolist() == [2, 2, 1]
    untimed = make_events([row[:2] for row in ROWS], "user", "location")
    assert alone(measure_shared(share_release(untimed, None))) == {
        "trace": 1,
        "places": 1,
        "top-1": 0,
        "top-2": 1,
        "top-3": 1,
    }


def test_protecting_says_who_is_alone_before_and_after(make_events):
    events = make_events(ROWS, "user", "location", "start")
    found = tp.protect(events, "common-locations:min_users=2").to_dict()["singling_out"]
    unique = {
        when: {one["what"]: round(one["unique_share"] * one["people"]) for one in found[when]}
        for when in found
    }
    assert unique["before"]["places"] == 1
    assert unique["after"] == {"trace": 1, "places": 0, "top-1": 0, "top-2": 0, "top-3": 0}


def test_where_nobody_is_left_nothing_is_shared(make_events):
    events = make_events(ROWS, "user", "location", "start")
    found = compare_sharing(events, events.having("false"), None)
    assert found.after == ()
    assert {row["release"] for row in found.rows()} == {"before"}
