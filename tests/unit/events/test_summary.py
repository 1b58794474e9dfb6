"""What a dataset is said to hold."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from trailprint.errors import ColumnError
from trailprint.events.options import ReadOptions
from trailprint.events.reading.read import read
from trailprint.events.summary import count_duplicates, inspect, summarise


def at(day: int, hour: int = 12) -> dt.datetime:
    return dt.datetime(2024, 5, day, hour, tzinfo=dt.UTC)


@pytest.fixture
def visits(make_events):
    rows = [
        ("a", "x", at(1)),
        ("a", "x", at(1)),
        ("a", "y", at(3)),
        ("b", "x", at(2)),
        ("c", "z", at(9)),
    ]
    return make_events(rows, "user", "location", "start")


def test_people_places_and_medians_per_person(visits):
    found = summarise(visits)
    assert (found.rows, found.events, found.users, found.locations) == (5, 5, 3, 3)
    assert (found.first, found.last) == ("2024-05-01", "2024-05-09")
    assert (found.events_per_user_median, found.locations_per_user_median) == (1.0, 1.0)
    assert found.active_days_median == 1.0
    assert found.columns == ("location", "start", "user")


def test_days_are_those_of_the_zone(make_events):
    rows = [("a", "x", at(1, 23)), ("b", "x", at(2, 22))]
    found = summarise(make_events(rows, "user", "location", "start", timezone="Asia/Tokyo"))
    assert (found.first, found.last, found.timezone) == ("2024-05-02", "2024-05-03", "Asia/Tokyo")


def test_a_stay_until_midnight_ends_the_day_before(make_events):
    events = make_events([("a", "x", at(1, 8), at(2, 0))], "user", "location", "start", "end")
    assert summarise(events).last == "2024-05-01"


def test_equal_rows_are_counted_kept_or_dropped(write, engine):
    path = write("v.csv", "user,location\na,x\na,x\nb,y\n")
    kept = read(path, engine=engine)
    dropped = read(path, ReadOptions(drop_duplicates=True), engine=engine)
    assert (count_duplicates(kept), summarise(kept).events) == (1, 3)
    assert (count_duplicates(dropped), summarise(dropped).events) == (1, 2)


@pytest.mark.parametrize(("counts", "events"), [((2, 3), 5), ((2.5, 3.0), 5.5)])
def test_a_table_of_counts_is_summed_and_whole_sums_stay_whole(make_events, counts, events):
    rows = [("a", "x", counts[0]), ("b", "y", counts[1])]
    found = summarise(make_events(rows, "user", "location", "count")).events
    assert found == events
    assert isinstance(found, int) == (events == 5)


def test_without_times_there_are_no_days(make_events):
    found = summarise(make_events([("a", "x")], "user", "location"))
    assert (found.first, found.last, found.active_days_median) == (None, None, None)
    assert found.to_dict()["first"] is None


def test_positions_are_placed_by_inspect_and_refused_by_summarise(make_events):
    events = make_events([("a", 46.5, 6.6), ("b", 46.5, 6.6)], "user", "lat", "lon")
    assert inspect(events).locations == 1
    with pytest.raises(ColumnError, match="Counting locations"):
        summarise(events)


def test_a_summary_shows_itself_and_speaks_of_options_as_python_does():
    found = inspect(pa.table({"user": ["a", "b"], "location": ["x", "<y>"]}))
    assert any("column_names['start']" in note for note in found.notes)
    assert not any("--" in text for text in (*found.notes, *found.advice))
    shown = found._repr_html_()
    assert '<th scope="row" style="text-align:left">users</th><td>2</td>' in shown
    assert "column_names[" in shown
    assert dict(found.facts())["users"] == 2
