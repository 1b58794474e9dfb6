"""Columns before a source is read: names, kinds, meanings, and never a value."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trailprint import Engine, ReadOptions
from trailprint.errors import SourceError
from trailprint.events.reading.first_look import look_at_columns


def look(engine, path, **options):
    found = look_at_columns(str(path), ReadOptions(**options), engine)
    return [(column.name, column.kind, column.meaning) for column in found.columns]


def test_names_kinds_and_meanings_of_a_text_file(engine: Engine, write):
    path = write("a.csv", "uid;Station;start;n\n7;x;2024-03-04 10:00:00;1.5\n8;y;2024-03-05;2\n")
    assert look(engine, path) == [
        ("uid", "whole number", "user"),
        ("Station", "text", "location"),
        ("start", "time", "start"),
        ("n", "number", None),
    ]


def test_a_name_that_was_given_means_what_was_said(engine, write):
    path = write("a.csv", "who,location\na,x\nb,y\n")
    assert look(engine, path, column_names={"user": "who"})[0] == ("who", "text", "user")


def test_a_first_row_of_data_is_not_shown(engine, write):
    assert look(engine, write("a.csv", "anna,bank,5\nbob,home,6\n")) == []


def test_names_that_may_be_data_are_not_shown(engine, write):
    path = write("a.csv", "user,location,079 123 45 67\na,x,1\nb,y,2\n")
    assert look(engine, path)[2][0] is None


def test_parquet_and_json_say_it_themselves(engine, tmp_path, write):
    pq.write_table(pa.table({"user": [1], "location": ["x"]}), tmp_path / "a.parquet")
    expected = [("user", "whole number", "user"), ("location", "text", "location")]
    assert look(engine, tmp_path / "a.parquet") == expected
    assert look(engine, write("a.jsonl", '{"user": 1, "location": "x"}\n')) == expected


def test_a_known_layout_is_named(engine, write):
    write("Data/000/Trajectory/1.plt", "x\n" * 6 + "39.9,116.3,0,492,39744.1,2008-10-23,02:53:04\n")
    found = look_at_columns(
        write("Data/001/Trajectory/2.plt", "x\n" * 6).rsplit("/001", 1)[0], ReadOptions(), engine
    )
    assert found.columns == ()
    assert "GeoLife" in str(found.layout)


def test_what_is_not_there_is_an_error_in_our_words(engine, tmp_path):
    with pytest.raises(SourceError):
        look(engine, tmp_path / "nothing.csv")
