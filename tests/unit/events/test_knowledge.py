"""What an adversary knows of each person."""

from __future__ import annotations

import datetime as dt

import pytest

from trailprint.errors import ColumnError, OptionError
from trailprint.events.knowledge import Knowledge, restrict

#: A Monday. They sleep at home, work at the office, and go to the club most often.
DAY = dt.datetime(2024, 5, 6)
WEEK = [
    ("a", "home", DAY + dt.timedelta(hours=20), DAY + dt.timedelta(hours=30)),
    ("a", "office", DAY + dt.timedelta(hours=8), DAY + dt.timedelta(hours=17)),
    *(
        ("a", "club", DAY + dt.timedelta(days=n, hours=18), DAY + dt.timedelta(days=n, hours=19))
        for n in range(5)
    ),
]
COLUMNS = ("user", "location", "start", "end")


@pytest.fixture
def places(make_events, rows_of):
    """The places that are known."""

    def places(rows, names, knows, **reading):
        known, _ = restrict(make_events(rows, *names, **reading), Knowledge.parse(knows))
        return {place for (place,) in rows_of(known, "location")}

    return places


def test_home_and_work_go_by_hours(places):
    assert places(WEEK, COLUMNS, "home-work") == {"home", "office"}


def test_hours_are_local(places):
    # Ten hours later in Sydney they are at the club at night, and at the office in the evening.
    known = places(WEEK, COLUMNS, "home-work", timezone="Australia/Sydney")
    assert known == {"club", "home"}


def test_starts_alone_reveal_home_and_work_too(places):
    rows = [(*row[:2], row[2] + dt.timedelta(hours=2)) for row in WEEK]
    assert places(rows, COLUMNS[:3], "home-work") == {"home", "office"}


def test_without_times_home_and_work_are_the_places_visited_most(places, make_events):
    rows = [row[:2] for row in [*WEEK, WEEK[1]]]
    assert places(rows, COLUMNS[:2], "home-work") == {"club", "office"}
    _, known = restrict(make_events(rows, *COLUMNS[:2]), Knowledge(kind="home-work"))
    assert known.note == "The data has no times: home and work are the two most visited places."


def test_a_weekend_is_no_work(places):
    saturday = [(*row[:2], *(t + dt.timedelta(days=5) for t in row[2:])) for row in WEEK[:2]]
    busy = [("a", "market", *(t + dt.timedelta(hours=1) for t in WEEK[1][2:]))]
    assert places([*saturday, *busy, WEEK[2]], COLUMNS, "home-work") == {"home", "market"}


def test_who_has_less_is_counted(make_events):
    rows = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x")]
    events = make_events(rows, "user", "location")
    for knows, n_less, mean in (("points:2", 1, 1.5), ("points:3", 1, 2.0), ("top:2", 1, 2.0)):
        _, known = restrict(events, Knowledge.parse(knows))
        assert (known.people_with_less, known.mean_points) == (n_less, mean)


def test_everybody_keeps_a_row_even_if_it_counts_nothing(make_events, rows_of):
    events = make_events([("a", "x", 0.0), ("b", "y", 3.0)], "user", "location", "count")
    known, _ = restrict(events, Knowledge.parse("points:2"))
    assert rows_of(known, "user", "weight") == [("a", 0.0), ("b", 1.0), ("b", 1.0)]


@pytest.mark.parametrize(
    "text", ["", "top", "top:0", "top:-1", "points:", "points:1.5", "days:x", "home-work:2", "all"]
)
def test_other_words_are_refused(text):
    with pytest.raises(OptionError, match="knows must be everything, home-work, top:K"):
        Knowledge.parse(text)


@pytest.mark.parametrize("options", [{"kind": "top"}, {"kind": "everything", "amount": 1}])
def test_an_object_checks_itself(options):
    with pytest.raises(OptionError, match="knows must be everything"):
        Knowledge(**options)


def test_what_the_data_lacks_is_said(make_events):
    events = make_events([("a", "x")], "user", "location")
    with pytest.raises(ColumnError, match="knows days:N needs a column 'start'"):
        restrict(events, Knowledge.parse("days:1"))
    with pytest.raises(OptionError, match="number of points of a person, which is 1"):
        restrict(events, Knowledge.parse("points:2"))


def test_rows_that_stand_for_too_many_events_are_refused_with_what_is_possible(make_events):
    rows = [(user, place, 1e9) for user in "ab" for place in "xyzuv"]
    events = make_events(rows, "user", "location", "count")
    with pytest.raises(OptionError, match=r"Ask for points:2000000 or fewer") as caught:
        restrict(events, Knowledge.parse("points:99999999"))
    assert "at most 20,000,000 events" in str(caught.value)
    _, known = restrict(events, Knowledge.parse("points:2000"))
    assert known.mean_points == 2000
