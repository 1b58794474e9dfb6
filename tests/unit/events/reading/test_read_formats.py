"""Every format, compression, way of naming files and kind of table gives the same events."""

from __future__ import annotations

import datetime as dt
import gzip
import json

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trailprint import Engine, ReadOptions, TrailprintError, inspect, read
from trailprint.errors import BadRowsError, ColumnError, InputError, SourceError
from trailprint.events.events import Column

ROWS = [
    ("alice", "home", "2024-05-17T08:00:00"),
    ("alice", "work", "2024-05-17T09:30:00"),
    ("bob", "work", "2024-05-18T09:00:00"),
]
NAMES = ("user", "location", "start")
EXPECTED = [(u, place, dt.datetime.fromisoformat(t)) for u, place, t in ROWS]


def delimited(delimiter: str = ",", names: tuple[str, ...] = NAMES) -> str:
    order = [NAMES.index(name) for name in names]
    lines = [names, *([row[i] for i in order] for row in ROWS)]
    return "".join(delimiter.join(line) + "\n" for line in lines)


def json_lines() -> str:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS)


def zstd(text: str) -> bytes:
    return bytes(pa.Codec("zstd").compress(text.encode(), asbytes=True))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("visits.csv", delimited()),
        ("visits.tsv", delimited("\t")),
        ("semicolons.csv", delimited(";")),
        ("bars.txt", delimited("|")),
        ("crlf.csv", delimited().replace("\n", "\r\n")),
        ("bom.csv", "\ufeff" + delimited()),
        ("blank-lines.csv", delimited() + "\n\n"),
        ("no-last-line-end.csv", delimited().rstrip("\n")),
        ("no-ending", delimited()),
        ("visits.jsonl", json_lines()),
        ("visits.json", "[" + json_lines().strip().replace("\n", ",") + "]"),
        ("visits.csv.gz", gzip.compress(delimited().encode(), mtime=0)),
        ("visits.csv.zst", zstd(delimited())),
        ("visits.jsonl.gz", gzip.compress(json_lines().encode(), mtime=0)),
        ("visits.jsonl.zst", zstd(json_lines())),
        ("no-ending-gzip", gzip.compress(delimited().encode(), mtime=0)),
        ("it's [odd] *name?.csv", delimited()),
    ],
)
def test_text_formats(write, engine, rows_of, name, content):
    assert rows_of(read(write(name, content), engine=engine), *NAMES) == EXPECTED


def test_parquet(tmp_path, engine, rows_of):
    pq.write_table(
        pa.table(dict(zip(NAMES, zip(*EXPECTED, strict=True), strict=True))), tmp_path / "v.parquet"
    )
    assert rows_of(read(tmp_path / "v.parquet", engine=engine), *NAMES) == EXPECTED


def test_one_delimiter_given_and_none_needed(write, engine, rows_of):
    path = write("tilde.csv", delimited("~"))
    events = read(path, ReadOptions(delimiter="~"), engine=engine)
    assert rows_of(events, *NAMES) == EXPECTED


@pytest.mark.parametrize("source", ["days", "days/*.csv", "days/**/*.csv"])
def test_folder_and_glob_join_files_by_name_whatever_the_order_of_columns(
    write, engine, rows_of, tmp_path, source
):
    write("days/a.csv", "user,location,start\nalice,home,2024-05-17T08:00:00\n")
    write("days/b.csv", "start;user;note;location\n2024-05-17T09:30:00;alice;x;work\n")
    write("days/c.csv", "location\tstart\tuser\nwork\t2024-05-18T09:00:00\tbob\n")
    write("days/.hidden.csv", "not,ours\n")
    write("days/README.md", "not data")
    assert rows_of(read(str(tmp_path / source), engine=engine), *NAMES) == EXPECTED


@pytest.mark.parametrize("column", ["user", "location"])
def test_parquet_that_lost_a_column_since_it_was_read(tmp_path, engine, column):
    path = tmp_path / "visits.parquet"
    table = pa.table({"user": ["a", "b"], "location": ["x", "y"]})
    pq.write_table(table, path)
    events = read(path, engine=engine)
    pq.write_table(table.drop_columns([column]), path)
    for use in (inspect, lambda events: events.engine.arrow(events.query)):
        with pytest.raises(SourceError, match="must stay as they are"):
            use(events)


def test_folder_of_parquet_with_other_column_orders(tmp_path, engine, rows_of):
    for i, row in enumerate(EXPECTED):
        names = NAMES if i % 2 else NAMES[::-1]
        values = dict(zip(NAMES, row, strict=True))
        pq.write_table(pa.table({n: [values[n]] for n in names}), tmp_path / f"{i}.parquet")
    assert rows_of(read(tmp_path, engine=engine), *NAMES) == EXPECTED


def test_files_of_several_formats_are_refused(write, engine, tmp_path):
    write("mixed/a.csv", delimited())
    write("mixed/b.jsonl", json_lines())
    with pytest.raises(SourceError, match="one format"):
        read(tmp_path / "mixed", engine=engine)


def as_dict() -> dict[str, list[object]]:
    return {
        name: list(column) for name, column in zip(NAMES, zip(*EXPECTED, strict=True), strict=True)
    }


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(lambda: pd.DataFrame(as_dict()), id="pandas"),
        pytest.param(lambda: pl.DataFrame(as_dict()), id="polars"),
        pytest.param(lambda: pa.table(as_dict()), id="arrow"),
        pytest.param(lambda: duckdb.from_arrow(pa.table(as_dict())), id="duckdb"),
        pytest.param(
            lambda: pd.DataFrame(as_dict()).astype({"user": "category", "location": "category"}),
            id="pandas categories",
        ),
    ],
)
def test_tables_of_python(engine, rows_of, table):
    assert rows_of(read(table(), engine=engine), *NAMES) == EXPECTED


def test_pandas_index_without_a_name_does_not_hide_duplicates(engine):
    frame = pd.DataFrame({"user": ["a", "b", "a"], "location": ["x", "y", "x"]})
    assert inspect(read(frame[frame.user == "a"], engine=engine)).duplicates == 1


def test_categories_of_times_are_read_as_text(engine, rows_of):
    frame = pd.DataFrame({"user": ["a"], "location": ["x"], "start": ["2024-01-02"]})
    events = read(frame.astype({"start": "category"}), engine=engine)
    assert rows_of(events, "start") == [(dt.datetime(2024, 1, 2),)]


def test_whole_numbers_of_128_bits_stay_apart(engine):
    relation = duckdb.sql(
        "SELECT unnest([170141183460469231731687303715884105720::HUGEINT, "
        "170141183460469231731687303715884105721::HUGEINT]) AS user, 'x' AS location"
    )
    assert inspect(read(relation, engine=engine)).users == 2


def test_no_table_at_all(engine):
    with pytest.raises(SourceError, match="got int instead"):
        read(42, engine=engine)


def test_a_column_of_several_kinds(engine):
    frame = pd.DataFrame({"user": ["SECRET", 1], "location": ["x", "y"]})
    with pytest.raises(SourceError, match="one kind") as caught:
        read(frame, engine=engine)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("uid,datetime,lat,lng", "7,2024-05-17 08:00:00,47.0,8.0"),
        ("user_id,tracked_at,latitude,longitude", "7,2024-05-17 08:00:00,47.0,8.0"),
        ("user_id,started_at,finished_at,location_id", "7,2024-05-17 08:00,2024-05-17 09:00,x"),
        ("User,Location,START", "7,x,2024-05-17T08:00"),
        ("user,location,timestamp", "7,x,2024-05-17T08:00"),
    ],
)
def test_names_of_other_libraries(write, engine, rows_of, header, row):
    events = read(write("v.csv", f"{header}\n{row}\n"), engine=engine)
    assert rows_of(events, "user", "start") == [("7", dt.datetime(2024, 5, 17, 8))]


def test_named_columns_win_over_known_names(write, engine, rows_of):
    path = write(
        "v.csv", "user,mac,location,building,start,seen\na,m1,x,b1,2024-01-01,2024-02-02\n"
    )
    names: dict[Column, str] = {"user": "mac", "location": "building", "start": "seen"}
    events = read(path, ReadOptions(column_names=names), engine=engine)
    assert rows_of(events, *NAMES) == [("m1", "b1", dt.datetime(2024, 2, 2))]


def test_a_name_given_elsewhere_leaves_the_next_best(write, engine, rows_of):
    path = write("v.csv", "user,uid,start\nplace,person,2024-01-01\n")
    events = read(path, ReadOptions(column_names={"location": "user"}), engine=engine)
    assert rows_of(events, "user", "location") == [("person", "place")]


@pytest.mark.parametrize(
    ("header", "names", "hint"),
    [
        ("usr,location,start", {}, "Nearest: usr"),
        ("user,locaton,start", {}, "Nearest: locaton"),
        ("user,location,start", {"user": "usr"}, r"column_names\['user'\] must name a column"),
        ("user,location,start,y", {"lat": "y"}, "two columns"),
        ("user,user,location,start", {}, "'user' is there 2 times"),
    ],
)
def test_missing_and_doubtful_columns(write, engine, header, names, hint):
    row = ",".join("2024-01-01" for _ in header.split(","))
    path = write("v.csv", f"{header}\n{row}\n")
    with pytest.raises(ColumnError, match=hint):
        read(path, ReadOptions(column_names=names), engine=engine)


def test_names_for_a_file_without_header(write, engine, rows_of):
    path = write("v.csv", "alice,home,2024-05-17T08:00:00\n")
    events = read(path, ReadOptions(header=NAMES), engine=engine)
    assert rows_of(events, *NAMES) == EXPECTED[:1]


@pytest.mark.parametrize(
    "content",
    [
        "SECRET1,SECRETHOME,y\nbob,work,z\n",
        "SECRET1,SECRETHOME,2024-01-01,x\nSECRET2,work,2024-01-01,y\n",
        "SECRET1,time,5,x\nSECRET2,time,6,y\n",
        "SECRET1,SECRETHOME,unknown,x\nSECRET2,work,2024-01-01,y\n",
        "SECRET1,SECRETHOME,word,x\nSECRET1,work,2024-01-01,y\n",
    ],
)
def test_a_first_row_of_data_is_never_shown(write, engine, content):
    with pytest.raises(TrailprintError) as caught:
        read(write("v.csv", content), engine=engine)
    assert "SECRET" not in str(caught.value)
    assert "header" in str(caught.value)


def test_odd_names_of_columns_are_shown_as_one_short_line(write, engine):
    header = '"lo\ncat","\x1b[31m",start,' + "x" * 200
    with pytest.raises(ColumnError) as caught:
        read(write("v.csv", f"{header}\na,b,2024-01-01,d\n"), engine=engine)
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert "x" * 61 not in str(caught.value)


def test_quotes_sql_and_emoji_in_names_and_values(write, engine, rows_of):
    name = "loc\"ation'); DROP TABLE x; --"
    path = write(
        "v.csv",
        'user,"loc""ation\'); DROP TABLE x; --",start,😀\n"a\nb\'; --","x""y, z",2024-01-01,1\n',
    )
    events = read(path, ReadOptions(column_names={"location": name}), engine=engine)
    assert rows_of(events, "user", "location") == [("a\nb'; --", 'x"y, z')]


def test_leading_zeros_stay(write, engine, rows_of):
    path = write("v.csv", "user,location,start\n007,01.0,2024-01-01\n7,1,2024-01-01\n")
    assert rows_of(read(path, engine=engine), "user", "location") == [("007", "01.0"), ("7", "1")]


def test_leading_zeros_stay_in_json(write, engine, rows_of):
    path = write("v.jsonl", '{"user": "007", "location": "x"}\n{"user": "8", "location": "y"}\n')
    assert rows_of(read(path, engine=engine), "user") == [("007",), ("8",)]


def test_whole_floats_read_as_whole_numbers(engine, rows_of):
    table = pa.table({"user": [12.0, 13.0], "location": [1.5, 2.0]})
    assert rows_of(read(table, engine=engine), "user", "location") == [("12", "1.5"), ("13", "2")]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False], {"true", "false"}),
        (pa.array([2**64 - 1, 5], pa.uint64()), {2**64 - 1, 5}),
        ([b"ab", b"\xff"], {"ab", "\\xFF"}),
        ([[1], [2]], {"[1]", "[2]"}),
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], {"2024-01-01", "2024-01-02"}),
    ],
)
def test_ids_of_any_type(engine, rows_of, values, expected):
    events = read(pa.table({"user": values, "location": ["x", "y"]}), engine=engine)
    assert {user for (user,) in rows_of(events, "user")} == expected


def test_count_tables_need_no_times(write, engine):
    path = write("c.csv", "user,location,count\na,x,3\na,y,2.5\nb,x,1\n")
    summary = inspect(read(path, engine=engine))
    assert (summary.events, summary.users, summary.first) == (6.5, 2, None)
    assert summary.active_days_median is None


def bad(write, engine, rows, names="user,location,start,end", **options):
    good = ["a,x,2024-01-01,2024-01-02"] * options.pop("good", 0)
    path = write("v.csv", "\n".join([names, *good, *rows]) + "\n")
    return read(path, ReadOptions(**options), engine=engine).tally


def test_bad_rows_are_counted_by_reason(write, engine):
    rows = [
        ",x,2024-01-01,2024-01-02",
        "a,,2024-01-01,2024-01-02",
        "a,x,17th of May,2024-01-02",
        "a,x,2024-01-01,soon",
        "a,x,2024-01-03,2024-01-02",
        "a,x,2024-01-01",
    ]
    tally = bad(write, engine, rows, good=2, allow_bad_rows=True)
    assert tally.rows == 8
    assert tally.bad == {
        "missing user": 1,
        "missing location": 1,
        "unreadable time": 2,
        "end before start": 1,
        "wrong number of fields": 1,
    }


@pytest.mark.parametrize(
    ("lat", "lon", "reason"),
    [
        (91, 0, "coordinates off the globe"),
        (0, 181, "coordinates off the globe"),
        *((lat, 0, "missing or unreadable position") for lat in ("nan", "", "north", "inf")),
    ],
)
def test_positions_that_cannot_be_used(write, engine, lat, lon, reason):
    path = write("g.csv", f"user,lat,lon\na,{lat},{lon}\nb,90,-180\n")
    events = read(path, ReadOptions(allow_bad_rows=True), engine=engine)
    assert events.tally.bad == {reason: 1}


@pytest.mark.parametrize("count", ["-1", "nan", "inf", "many", "", "1e300"])
def test_counts_that_are_none(write, engine, count):
    path = write("c.csv", f"user,location,count\na,x,{count}\nb,x,0\n")
    events = read(path, ReadOptions(allow_bad_rows=True), engine=engine)
    assert events.tally.bad == {"count is not a number of events": 1}
    assert events.count() == 1


def test_one_percent_of_bad_rows_does_not_stop_it(write, engine):
    assert bad(write, engine, [",x,2024-01-01,"], good=99).bad == {"missing user": 1}


def test_more_than_one_percent_of_bad_rows_stops(write, engine):
    with pytest.raises(BadRowsError, match=r"1 of 99 are \(missing user: 1\)"):
        bad(write, engine, [",x,2024-01-01,"], good=98)


def test_unreadable_times_point_to_the_format(write, engine):
    with pytest.raises(BadRowsError, match="time_format"):
        bad(write, engine, ["a,x,17/05/2024,"], good=1)


def test_all_rows_bad_stops_even_when_allowed(write, engine):
    with pytest.raises(BadRowsError, match="none of its 2 can be used"):
        bad(write, engine, [",x,2024-01-01,", ",y,2024-01-01,"], allow_bad_rows=True)


def test_a_header_and_nothing_else(write, engine):
    with pytest.raises(BadRowsError, match="it has none"):
        bad(write, engine, [])


def test_a_stay_without_end_is_open_not_bad(write, engine, rows_of):
    path = write("v.csv", "user,location,start,end\na,x,2024-01-01,\nb,x,2024-01-01,2024-01-02\n")
    events = read(path, engine=engine)
    assert events.tally.bad == {}
    assert rows_of(events, "end") == [(None,), (dt.datetime(2024, 1, 2),)]


@pytest.mark.parametrize("blank", [None, "", " ", "   "])
@pytest.mark.parametrize("column", ["user", "location"])
def test_blank_ids_in_parquet_are_bad_rows(tmp_path, engine, blank, column):
    values = {"user": ["a", "b"], "location": ["x", "y"]}
    values[column][0] = blank
    pq.write_table(pa.table(values), tmp_path / "v.parquet")
    events = read(tmp_path / "v.parquet", ReadOptions(allow_bad_rows=True), engine=engine)
    assert events.tally.bad == {f"missing {column}": 1}


def test_counts_in_parquet_are_checked(tmp_path, engine):
    table = pa.table({"user": ["a", "b", "c"], "location": ["x"] * 3, "count": [-1, 1, 2**60]})
    pq.write_table(table, tmp_path / "c.parquet")
    events = read(tmp_path / "c.parquet", ReadOptions(allow_bad_rows=True), engine=engine)
    assert events.tally.bad == {"count is not a number of events": 2}


def test_duplicates_are_counted_and_kept(write, engine):
    path = write(
        "v.csv", "user,location,start,note\n" + "a,x,2024-01-01,n\n" * 3 + "a,x,2024-01-01,m\n"
    )
    summary = inspect(read(path, engine=engine))
    assert (summary.rows, summary.events, summary.duplicates) == (4, 4, 2)


def test_duplicates_are_dropped_on_request_and_still_counted(write, engine):
    path = write(
        "v.csv", "user,location,start,note\n" + "a,x,2024-01-01,n\n" * 3 + "a,x,2024-01-01,m\n"
    )
    summary = inspect(read(path, ReadOptions(drop_duplicates=True), engine=engine))
    assert (summary.rows, summary.events, summary.duplicates) == (4, 2, 2)
    assert summary.left_out == {"duplicate rows": 2}


def test_sources_that_meet_share_an_engine_and_others_do_not_leak(write):
    path = write("v.csv", delimited())
    first, second = read(path, engine=Engine()), read(path, engine=Engine())
    assert first.engine is not second.engine
    assert first.count() == second.count() == 3


def test_unknown_options_are_refused(write, engine):
    path = write("v.csv", delimited())
    with pytest.raises(TrailprintError, match="layout must be one of"):
        read(path, ReadOptions(layout="moon"), engine=engine)
    with pytest.raises(TrailprintError, match="timezone must be a zone"):
        read(path, ReadOptions(timezone="Mars/Base"), engine=engine)
    with pytest.raises(InputError, match="No such file"):
        read("nowhere.csv", engine=engine)
