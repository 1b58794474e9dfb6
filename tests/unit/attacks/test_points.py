"""Known points: scikit-mobility's six people, all kinds against enumeration, bad options."""

from __future__ import annotations

import datetime as dt
import itertools
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.subsets import fewest_by_definition

from trailprint.attacks.points.drawn import draw_candidates
from trailprint.attacks.points.options import (
    Knowledge,
    PointsOptions,
    parse_numbers,
    parse_resolution,
)
from trailprint.attacks.points.singling_out import find_same_trace, find_sharing
from trailprint.attacks.points.worst import find_worst, find_worst_order
from trailprint.errors import OptionError
from trailprint.features.points import build_points, build_visit_order, rank_places, top_places

MONDAY = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)

#: The visits of the six people in scikit-mobility's tests, places by their latitude.
SIX = ["dabc", "dbda", "abdc", "bac", "bcd", "da"]


def rows_of(people):
    """(user, location, start) of people's visits, in the order given."""
    return [
        (f"u{i}", f"p{place}", MONDAY + dt.timedelta(hours=int(time), seconds=at))
        for i, visits in enumerate(people)
        for at, (place, time) in enumerate(visits)
    ]


def six(make_events):
    return make_events(
        rows_of([[(place, 0) for place in visits] for visits in SIX]), "user", "location", "start"
    )


def risks(fewest):
    return [Fraction(1, int(n)) for n in fewest]


def test_places_of_the_six_people(make_events):
    """The results of scikit-mobility's LocationAttack on its own test data."""
    points = build_points(six(make_events), "place")
    expected = {1: (4, 5, 4, 4, 4, 5), 2: (3, 1, 3, 3, 3, 4)}
    for k, counts in expected.items():
        assert risks(find_worst(points, "place", k)) == [Fraction(1, n) for n in counts]


def test_people_with_fewer_points_than_are_drawn_are_counted_and_all_of_theirs_known(make_events):
    points = build_points(six(make_events), "place")
    found = draw_candidates(points, (3, 4), n_draws=2)
    assert found.n_shorter == (1, 4)
    # Two people have four places, three have three of them each, and one has two.
    assert found.tallies[1].tolist() == [0, 0, 2 * 2, 2 * 3, 2 * 1, 0, 0]
    some = draw_candidates(points, (3, 4), n_draws=1, targets=np.array([0, 5]))
    assert some.n_shorter == (1, 1)
    assert some.tallies[1].tolist() == [0, 0, 1, 0, 1, 0, 0]


def test_home_and_work_of_the_six_people(make_events):
    """
    scikit-mobility's results, and those of its definition.

    Its frequency vectors ascend, so that what it takes for the two most visited places are the two
    least visited ones.
    """
    points = build_points(six(make_events), "place")
    theirs = find_worst(points, "home-work", 1, home_work="least-visited")
    assert theirs.tolist() == [4, 4, 4, 4, 1, 1]
    assert find_worst(points, "home-work", 1).tolist() == [3, 2, 3, 3, 1, 2]


kinds = st.sampled_from(get_args(Knowledge))
visits = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(people=st.lists(visits, min_size=1, max_size=7), kind=kinds, k=st.integers(1, 3))
def test_every_kind_equals_enumeration_from_events_on(make_events, people, kind, k):
    ordered = [sorted(one, key=lambda visit: visit[1]) for one in people]
    events = make_events(rows_of(ordered), "user", "location", "start")
    tolerance = 0.4 if kind in ("frequency", "probability", "proportion") else 0.0
    if kind == "sequence":
        found = find_worst_order(build_visit_order(events), k)
    else:
        points = build_points(events, kind if kind in ("place-time", "time") else "place")
        found = find_worst(points, kind, k, tolerance=tolerance)
    k = 2 if kind == "home-work" else k
    assert found.tolist() == fewest_by_definition(kind, ordered, k, tolerance)


@settings(max_examples=100, deadline=None)
@given(people=st.lists(visits, min_size=1, max_size=7))
def test_sharing_counts_equal_people(make_events, people):
    events = make_events(rows_of(people), "user", "location", "start")
    places = build_points(events, "place")
    sets = [frozenset(place for place, _ in one) for one in people]
    traces = [sorted(one) for one in people]
    shared = find_sharing(places)
    assert shared["places"].tolist() == [sets.count(one) for one in sets]
    times = build_points(events, "place-time")
    assert find_same_trace(times).tolist() == [traces.count(one) for one in traces]
    indptr, keys = top_places(places, 2, rank_places(places))
    tops = [set(keys[a:b]) for a, b in itertools.pairwise(indptr)]
    assert shared["top-2"].tolist() == [tops.count(one) for one in tops]


def test_time_bins_begin_at_midnight_local_time(make_events):
    late, early = MONDAY.replace(hour=22, minute=30), MONDAY.replace(hour=23, minute=30)
    rows = [("a", "x", late), ("a", "x", early)]
    in_utc = make_events(rows, "user", "location", "start")
    in_paris = make_events(rows, "user", "location", "start", timezone="Europe/Paris")
    assert build_points(in_utc, "time", 86_400).n_keys == 1
    assert build_points(in_paris, "time", 86_400).n_keys == 2


def test_weeks_begin_on_mondays(make_events):
    sunday = MONDAY - dt.timedelta(hours=1)
    rows = [("a", "x", sunday), ("a", "x", MONDAY), ("a", "x", MONDAY + dt.timedelta(days=6))]
    points = build_points(make_events(rows, "user", "location", "start"), "time", 7 * 86_400)
    assert points.counts.tolist() == [1, 2]


def test_counts_stand_for_visits(make_events):
    events = make_events([("a", "x", 3), ("b", "x", 1)], "user", "location", "count")
    points = build_points(events, "place")
    assert points.counts.tolist() == [3, 1]
    assert find_worst(points, "place", 2).tolist() == [1, 2]


def test_select_keeps_keys(make_events):
    points = build_points(six(make_events), "place")
    some = points.select(np.array([5, 1]))
    assert [user.as_py() for user in some.users] == ["u5", "u1"]
    assert some.counts.tolist() == [1, 1, 1, 1, 2]
    assert some.n_keys == points.n_keys


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"knowledge": "shoes"}, "knowledge must be one of"),
        ({"worst_case": 11}, "worst_case must be from 0 to 10"),
        ({"points": (0,)}, "points must be from 1 to 100"),
        ({"points": ()}, "at least one number"),
        ({"draws": 0}, "draws must be from 1"),
        ({"tolerance": 2.0, "knowledge": "frequency"}, "from 0 to 1"),
        ({"tolerance": 0.5}, "goes with"),
        ({"time_resolution": "soon"}, "time_resolution must be a number of"),
        ({"populations": (1,)}, "populations must be from 2"),
    ],
)
def test_options_check_themselves(options, words):
    with pytest.raises(OptionError, match=words):
        PointsOptions(**options)


def test_numbers_and_lengths_of_time_are_read():
    assert parse_numbers("1-3,7") == (1, 2, 3, 7)
    assert parse_resolution("90min") == 5400
    for text in ("", "3-1", "x", "1-", "-2"):
        with pytest.raises(OptionError):
            parse_numbers(text)


@settings(max_examples=60, deadline=None)
@given(
    people=st.lists(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    ),
    k=st.integers(1, 3),
)
def test_rows_that_stand_for_several_visits_are_as_many_in_order(make_events, people, k):
    """Each pair is a place and how many visits its row stands for; none is no visit."""
    counted = [(*row, n) for row, n in zip(_in_order(people), _counts(people), strict=True)]
    if not any(n for *_, n in counted):
        return
    events = make_events(counted, "user", "location", "start", "count")
    visits = [[(place, 0) for place, n in one for _ in range(n)] for one in people]
    seen = [one for one in visits if one]
    order = build_visit_order(events)
    assert len(order.users) == len(build_points(events, "place").users) == len(seen)
    expected = fewest_by_definition("sequence", seen, k, 0.0)
    assert find_worst_order(order, k).tolist() == expected


def _in_order(people):
    return rows_of([[(place, 0) for place, _ in one] for one in people])


def _counts(people):
    return [n for one in people for _, n in one]


def test_very_many_visits_are_distinguished(make_events):
    """Numbers of visits beyond four bytes are counted as they are."""
    many = 5_000_000_000
    rows = [("u0", "home", many), ("u0", "work", many + 1), ("u1", "home", many + 1)]
    points = build_points(make_events(rows, "user", "location", "count"), "place")
    assert points.counts.tolist() == [many, many + 1, many + 1]
    assert find_worst(points, "frequency", 1).tolist() == [1, 1]


def test_numbers_of_points_are_put_in_order_and_named_once():
    options = PointsOptions(points=(4, 1, 4), populations=(300, 200, 300))
    assert options.points == (1, 4)
    assert options.populations == (200, 300)


def test_a_seed_is_not_negative():
    with pytest.raises(OptionError, match="seed must be from 0 to 9,223,"):
        PointsOptions(seed=-1)
