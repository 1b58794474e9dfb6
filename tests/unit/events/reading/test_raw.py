"""A source opened: which column plays which part, and what was assumed."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from trailprint.errors import ColumnError, SourceError
from trailprint.events.options import ReadOptions
from trailprint.events.reading.files import find_files
from trailprint.events.reading.raw import open_files, open_table

COLUMNS = {"user": ["a", "b"], "location": ["x", "y"]}


@pytest.mark.parametrize(
    "make", [pa.table, pd.DataFrame, pl.DataFrame, pl.LazyFrame], ids=lambda make: make.__module__
)
def test_every_kind_of_table_has_the_same_parts_and_rows(engine, make):
    table = make(COLUMNS)
    raw = open_table(engine, table.collect() if make is pl.LazyFrame else table, ReadOptions())
    assert raw.parts == {"user": '"user"', "location": '"location"'}
    assert engine.rows(raw.query) == [("a", "x"), ("b", "y")]
    assert not raw.is_text


def test_a_relation_of_another_duckdb_is_read(engine):
    relation = duckdb.connect().sql("SELECT 'a' AS \"user\", 'x' AS location")
    raw = open_table(engine, relation, ReadOptions())
    assert engine.rows(raw.query) == [("a", "x")]


def test_an_index_without_a_name_is_no_column(engine):
    frame = pd.DataFrame(COLUMNS, index=[5, 9])
    assert open_table(engine, frame, ReadOptions()).header.names == ("user", "location")


def test_periods_of_pandas_are_the_moments_they_start_at(engine):
    frame = pd.DataFrame({**COLUMNS, "start": pd.period_range("2024-05", periods=2, freq="M")})
    raw = open_table(engine, frame, ReadOptions())
    found = engine.rows(f"SELECT CAST(start AS DATE)::VARCHAR FROM ({raw.query}) ORDER BY 1")
    assert found == [("2024-05-01",), ("2024-06-01",)]
    assert str(frame["start"].dtype) == "period[M]"


@pytest.mark.parametrize(
    ("table", "error", "says"),
    [
        (7, SourceError, "got int instead"),
        (pd.DataFrame({"user": ["a", 1], "location": ["x", "y"]}), SourceError, "mixes several"),
        (pa.table({}), ColumnError, "this table has none"),
    ],
)
def test_what_is_no_table_is_refused(engine, table, error, says):
    with pytest.raises(error, match=says):
        open_table(engine, table, ReadOptions())


def test_several_columns_together_make_the_user(engine):
    table = pa.table({"first": ["a", "ab", None], "last": ["bc", "c", None], "location": ["x"] * 3})
    raw = open_table(engine, table, ReadOptions(identity=("first", "last")))
    users = [user for (user,) in engine.rows(f"SELECT {raw.parts['user']} FROM ({raw.query})")]
    assert users == ["a\x1fbc", "ab\x1fc", None]


def test_text_stays_text_and_rows_of_a_wrong_width_are_counted(engine, write):
    path = write("v.csv", "user,location\n007,x\n008\n009,y\n")
    raw = open_files(engine, find_files(path), ReadOptions())
    assert (raw.is_text, raw.n_misshapen) == (True, 1)
    assert engine.rows(f"SELECT {raw.parts['user']} FROM ({raw.query})") == [("007",), ("009",)]


def test_shares_are_reported(engine):
    table = pa.table({**COLUMNS, "share": [0.5, 0.5]})
    (note, *_) = open_table(engine, table, ReadOptions()).notes
    assert note.startswith("Rows hold shares of each user's activity")
