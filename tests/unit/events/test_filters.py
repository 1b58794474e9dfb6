"""Which events count."""

from __future__ import annotations

import datetime as dt

import pytest

from trailprint import FilterOptions
from trailprint.errors import ColumnError, InputError, OptionError
from trailprint.events.filters import lasting
from trailprint.events.options import Window
from trailprint.workflows import apply_filters

#: Friday evening to Monday, UTC; two hours later it is already Saturday in Zurich.
ROWS = [
    ("a", "x", dt.datetime(2024, 5, 17, 22, 30)),
    ("a", "x", dt.datetime(2024, 5, 18, 9, 0)),
    ("a", "y", dt.datetime(2024, 5, 20, 9, 0)),
    ("b", "y", dt.datetime(2024, 5, 20, 17, 0)),
    ("b", "z", dt.datetime(2024, 5, 20, 8, 59)),
]


@pytest.fixture
def kept(make_events, rows_of):
    """The numbers of the rows that a filter keeps."""

    def kept(timezone="UTC", **options):
        events = make_events(ROWS, "user", "location", "start", timezone=timezone)
        found = rows_of(
            apply_filters(events, FilterOptions(**options)), "user", "location", "start"
        )
        return sorted(ROWS.index(row) for row in found)

    return kept


@pytest.mark.parametrize(
    ("timezone", "options", "expected"),
    [
        ("UTC", {}, [0, 1, 2, 3, 4]),
        ("UTC", {"time_range": "2024-05-18..2024-05-18"}, [1]),
        ("UTC", {"time_range": "2024-05-18.."}, [1, 2, 3, 4]),
        ("UTC", {"time_range": "..2024-05-17"}, [0]),
        ("UTC", {"time_range": ".."}, [0, 1, 2, 3, 4]),
        ("UTC", {"time_range": "2024-05-18T09:00..2024-05-20T17:00"}, [1, 2, 4]),
        ("UTC", {"time_range": "2024-05-18T11:00+02:00..2024-05-20T17:00Z"}, [1, 2, 4]),
        ("Europe/Zurich", {"time_range": "2024-05-18..2024-05-18"}, [0, 1]),
        ("Asia/Tokyo", {"time_range": "2024-05-18T09:00Z..2024-05-18T09:01Z"}, [1]),
        ("UTC", {"weekdays": ("fri",)}, [0]),
        ("Europe/Zurich", {"weekdays": ("sat",)}, [0, 1]),
        ("UTC", {"weekdays": ("sat", "mon")}, [1, 2, 3, 4]),
        ("UTC", {"hours": Window.parse("09:00-17:00")}, [1, 2]),
        ("Europe/Zurich", {"hours": Window.parse("00:00-01:00")}, [0]),
        ("UTC", {"min_active_days": 2}, [0, 1, 2]),
        ("UTC", {"min_active_days": 3}, [0, 1, 2]),
        ("Europe/Zurich", {"min_active_days": 2}, [0, 1, 2]),
        ("UTC", {"min_events": 3}, [0, 1, 2]),
        ("UTC", {"top_locations": 1}, [0, 1]),
        ("UTC", {"top_locations": 2}, [0, 1, 2, 3]),
        ("UTC", {"top_locations": 9}, [0, 1, 2, 3, 4]),
        ("UTC", {"weekdays": ("mon",), "min_events": 2}, [3, 4]),
    ],
)
def test_each_filter(kept, timezone, options, expected):
    assert kept(timezone, **options) == expected


def test_nothing_left(kept):
    with pytest.raises(InputError, match="the filters leave none"):
        kept(min_events=99)


@pytest.mark.parametrize(
    "options",
    [
        {"weekdays": ("xyz",)},
        {"min_events": -1},
        {"min_active_days": -1},
        {"top_locations": 0},
        {"top_locations": 10**30},
    ],
)
def test_options_that_break_their_rule(options):
    with pytest.raises(OptionError):
        FilterOptions(**options)


@pytest.mark.parametrize(
    "text", ["2024-05-18", "then..now", "2024-13-01..", "infinity..", "12000-01-01.."]
)
def test_ranges_that_are_none(kept, text):
    with pytest.raises(OptionError, match="must look like"):
        kept(time_range=text)


@pytest.mark.parametrize(
    "options",
    [
        {"time_range": ".."},
        {"weekdays": ("mon",)},
        {"hours": Window.parse("09:00-17:00")},
        {"min_active_days": 2},
    ],
)
def test_filters_by_time_need_times(make_events, options):
    events = make_events([("a", "x", 3)], "user", "location", "count")
    with pytest.raises(ColumnError, match="needs a column 'start'"):
        apply_filters(events, FilterOptions(**options))


def test_counts_weigh(make_events, rows_of):
    events = make_events([("a", "x", 3), ("b", "y", 2), ("b", "x", 1)], "user", "location", "count")
    assert rows_of(apply_filters(events, FilterOptions(min_events=3)), "user") == [
        ("a",),
        ("b",),
        ("b",),
    ]
    assert (
        rows_of(apply_filters(events, FilterOptions(top_locations=1)), "location") == [("x",)] * 2
    )


def test_only_events_that_last_count(make_events, rows_of):
    start = dt.datetime(2024, 5, 17, 22, 30)
    lengths = {"x": 59.999, "y": 60, "z": 3600}
    rows = [("a", place, start, start + dt.timedelta(seconds=s)) for place, s in lengths.items()]
    events = make_events([*rows, ("a", "w", start, None)], "user", "location", "start", "end")
    assert rows_of(lasting(events, 60), "location") == [("y",), ("z",)]
    for wrong in (-1, float("nan")):
        with pytest.raises(OptionError, match="min_duration must be"):
            lasting(events, wrong)
    with pytest.raises(ColumnError, match="needs a column 'end'"):
        lasting(make_events([("a", "x", start)], "user", "location", "start"), 60)
