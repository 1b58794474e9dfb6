"""Times in whatever form they come."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trailprint import ReadOptions, read
from trailprint.errors import BadRowsError, ColumnError, InputError, OptionError

MOMENT = dt.datetime(2024, 5, 17, 9, 30)


def start_of(engine, rows_of, write, text, **options):
    path = write("v.csv", f'user,location,start\na,x,"{text}"\n')
    return rows_of(read(path, ReadOptions(**options), engine=engine), "start")[0][0]


@pytest.mark.parametrize(
    ("text", "timezone", "expected"),
    [
        ("1715938200", "UTC", MOMENT),
        ("1715938200", "Asia/Tokyo", MOMENT),
        ("1715938200.25", "UTC", MOMENT + dt.timedelta(seconds=0.25)),
        ("1715938200000", "UTC", MOMENT),
        ("1715938200000000", "UTC", MOMENT),
        ("1715938200000000000", "UTC", MOMENT),
        ("-86400", "UTC", dt.datetime(1969, 12, 31)),
        ("0", "UTC", dt.datetime(1970, 1, 1)),
        ("2024-05-17T09:30:00", "UTC", MOMENT),
        ("2024-05-17 09:30", "UTC", MOMENT),
        (" 2024-05-17T09:30 ", "UTC", MOMENT),
        ("2024-05-17T09:30:00", "Europe/Zurich", MOMENT - dt.timedelta(hours=2)),
        ("2024-01-17T09:30:00", "Europe/Zurich", dt.datetime(2024, 1, 17, 8, 30)),
        ("2024-05-17T09:30:00Z", "Europe/Zurich", MOMENT),
        ("2024-05-17T09:30:00z", "Europe/Zurich", MOMENT),
        ("2024-05-17T11:30:00+02:00", "Asia/Tokyo", MOMENT),
        ("2024-05-17T11:30:00+0200", "UTC", MOMENT),
        ("2024-05-17 11:30:00 +0200", "UTC", MOMENT),
        ("2024-05-17T04:30-05", "UTC", MOMENT),
        ("2024-05-17 09:30:00 UTC", "Asia/Tokyo", MOMENT),
        ("2024-05-17 11:30:00 Europe/Zurich", "UTC", MOMENT),
        ("2024-05-17", "UTC", dt.datetime(2024, 5, 17)),
        ("2024-05-17", "America/New_York", dt.datetime(2024, 5, 17, 4)),
    ],
)
def test_text_of_every_form(engine, rows_of, write, text, timezone, expected):
    assert start_of(engine, rows_of, write, text, timezone=timezone) == expected


@pytest.mark.parametrize(
    ("text", "time_format", "expected"),
    [
        ("17/05/2024 09:30", "%d/%m/%Y %H:%M", MOMENT - dt.timedelta(hours=2)),
        ("17.5.24", "%d.%m.%y", dt.datetime(2024, 5, 16, 22)),
        ("17/05/2024 09:30 +0000", "%d/%m/%Y %H:%M %z", MOMENT),
    ],
)
def test_a_format_of_its_own(engine, rows_of, write, text, time_format, expected):
    found = start_of(
        engine, rows_of, write, text, time_format=time_format, timezone="Europe/Zurich"
    )
    assert found == expected


@pytest.mark.parametrize("time_format", ["%Q", ""])
def test_a_format_that_is_none(engine, rows_of, write, time_format):
    with pytest.raises(OptionError, match="time_format must be a format"):
        start_of(engine, rows_of, write, "17/05/2024", time_format=time_format)


@pytest.mark.parametrize(
    "text",
    [
        "2024-02-30",
        "2024-05-17 09:30:00 PM",
        "10000-01-01",
        "infinity",
        "nan",
        "17/05/2024",
        "yesterday",
        "2024-05-17T25:00",
        "1e300",
    ],
)
def test_what_is_no_time_is_a_bad_row(engine, rows_of, write, text):
    with pytest.raises(BadRowsError, match="unreadable time: 1"):
        start_of(engine, rows_of, write, text)


@pytest.mark.parametrize(
    ("first", "second", "complaint"),
    [
        ("2024-05-17", "1715938200", "1 numbers and 1 times without a zone"),
        ("2024-05-17T00:00Z", "2024-05-17T00:00", "1 times with a zone and 1 times without"),
        ("1715938200", "1715938200000", "seconds and others like milliseconds"),
    ],
)
def test_mixed_forms_are_refused(engine, write, first, second, complaint):
    path = write("v.csv", f"user,location,start\na,x,{first}\nb,x,{second}\n")
    with pytest.raises(InputError, match=complaint):
        read(path, engine=engine)


def test_a_column_called_text_changes_nothing(engine, rows_of, write):
    """Names of the source must not shadow those a query gives."""
    path = write(
        "v.csv",
        "user,location,start,text,clock,iso,zoned,row_hash,has_end,here,day\n"
        "a,x,2024-05-17T09:30:00Z,one,two,three,four,five,six,seven,eight\n",
    )
    events = read(path, ReadOptions(timezone="Asia/Tokyo"), engine=engine)
    assert rows_of(events, "start") == [(MOMENT,)]


@pytest.mark.parametrize(
    ("kind", "timezone", "expected"),
    [
        (pa.timestamp("us", "UTC"), "Asia/Tokyo", MOMENT),
        (pa.timestamp("ns", "Europe/Zurich"), "UTC", MOMENT),
        (pa.timestamp("us"), "UTC", MOMENT),
        (pa.timestamp("ms"), "Europe/Zurich", MOMENT - dt.timedelta(hours=2)),
        (pa.timestamp("s"), "UTC", MOMENT),
    ],
)
def test_parquet_timestamps(engine, rows_of, tmp_path, kind, timezone, expected):
    table = pa.table({"user": ["a"], "location": ["x"], "start": pa.array([MOMENT], kind)})
    pq.write_table(table, tmp_path / "v.parquet")
    events = read(tmp_path / "v.parquet", ReadOptions(timezone=timezone), engine=engine)
    assert rows_of(events, "start") == [(expected,)]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1715938200], pa.int32()),
        pa.array([1715938200.0]),
        pa.array([1715938200000]),
        pa.array(["2024-05-17T09:30"]),
        pa.array(["2024-05-17T09:30"]).dictionary_encode(),
    ],
)
def test_numbers_and_text_in_tables(engine, rows_of, values):
    events = read(pa.table({"user": ["a"], "location": ["x"], "start": values}), engine=engine)
    assert rows_of(events, "start") == [(MOMENT,)]


def test_dates_in_tables(engine, rows_of):
    table = pa.table({"user": ["a"], "location": ["x"], "start": [dt.date(2024, 5, 17)]})
    events = read(table, ReadOptions(timezone="Asia/Tokyo"), engine=engine)
    assert rows_of(events, "start") == [(dt.datetime(2024, 5, 16, 15),)]


def test_timestamps_beyond_the_calendar_are_bad_rows(engine, tmp_path):
    values = pa.array([2**62, 0], pa.timestamp("us"))
    pq.write_table(
        pa.table({"user": ["a", "b"], "location": ["x", "y"], "start": values}),
        tmp_path / "v.parquet",
    )
    events = read(tmp_path / "v.parquet", ReadOptions(allow_bad_rows=True), engine=engine)
    assert events.tally.bad == {"unreadable time": 1}


#: Types that count longer units than microseconds, and so further.
LONG_UNITS = {
    pa.date32(): 10**9,
    pa.timestamp("s"): 2**62,
    pa.timestamp("ms"): -(2**62),
    pa.timestamp("s", "UTC"): -(2**62),
    pa.timestamp("ms", "UTC"): 2**62,
}


@pytest.mark.parametrize("timezone", ["UTC", "Europe/Zurich"])
@pytest.mark.parametrize("kind", LONG_UNITS, ids=str)
@pytest.mark.parametrize("column", ["start", "end"])
def test_times_that_microseconds_cannot_count_are_bad_rows(engine, kind, column, timezone):
    number = pa.int32() if kind == pa.date32() else pa.int64()
    found = pa.array([LONG_UNITS[kind], 0, None], number).view(kind)
    table = {"user": ["a", "b", "c"], "location": ["x"] * 3, "start": ["1970-01-01"] * 3}
    options = ReadOptions(timezone=timezone, allow_bad_rows=True)
    events = read(pa.table(table | {column: found}), options, engine=engine)
    assert events.tally.bad == {"unreadable time": 1 if column == "end" else 2}


@pytest.mark.parametrize("values", [[True], [[1]], [b"SECRET"], [{"SECRET": 1}], [dt.time(9, 30)]])
def test_other_types_hold_no_times(engine, values):
    with pytest.raises(ColumnError, match="must hold times") as caught:
        read(pa.table({"user": ["a"], "location": ["x"], "start": values}), engine=engine)
    assert "SECRET" not in str(caught.value)


def test_the_hour_that_clocks_skip_and_the_one_they_repeat(engine, rows_of, write):
    """Zurich, 31 March 2024: 02:30 does not exist; 27 October: 02:30 is twice."""
    skipped = start_of(engine, rows_of, write, "2024-03-31T02:30", timezone="Europe/Zurich")
    repeated = start_of(engine, rows_of, write, "2024-10-27T02:30", timezone="Europe/Zurich")
    assert skipped == dt.datetime(2024, 3, 31, 1, 30)
    assert repeated in (dt.datetime(2024, 10, 27, 0, 30), dt.datetime(2024, 10, 27, 1, 30))
