"""Frames of other libraries become columns that can be read; what is named is left alone."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import polars as pl
import pytest

from trailprint.errors import SourceError
from trailprint.events.reading.frames import plain_frame

TIMES = pd.DatetimeIndex(["2024-03-04 08:00", "2024-03-04 09:00"], name="when")


def test_an_index_of_times_is_the_start_where_no_column_is():
    frame = pd.DataFrame({"user": ["a", "b"], "location": ["x", "y"]}, index=TIMES)
    plain = plain_frame(frame)
    assert list(plain["start"]) == list(TIMES)
    assert list(plain.index) == [0, 1]
    assert "start" not in frame.columns


@pytest.mark.parametrize("name", ["start", "datetime", "started_at"])
def test_a_column_of_times_comes_before_the_index(name):
    frame = pd.DataFrame({"user": ["a", "b"], name: TIMES[::-1]}, index=TIMES)
    assert plain_frame(frame) is frame


def test_a_column_that_was_named_is_left_alone():
    frame = pd.DataFrame({"user": ["a", "b"], "seen": TIMES}, index=TIMES)
    assert plain_frame(frame, {"start": "seen"}) is frame


def test_a_lazy_frame_is_collected_and_a_plain_one_stays():
    lazy = pl.LazyFrame({"user": ["a"], "location": ["x"]})
    assert plain_frame(lazy).equals(lazy.collect())
    eager = lazy.collect()
    assert plain_frame(eager) is eager


def test_a_frame_of_spark_is_collected():
    table = SimpleNamespace(toArrow=lambda: "rows", sparkSession=None)
    assert plain_frame(table) == "rows"


def test_what_spark_says_of_its_rows_is_not_repeated():
    def fail() -> None:
        raise RuntimeError("row SECRETZQX is too large")

    with pytest.raises(SourceError, match="could not collect") as refused:
        plain_frame(SimpleNamespace(toArrow=fail, sparkSession=None))
    assert "SECRETZQX" not in str(refused.value)


def test_a_lazy_frame_that_fails_is_refused_without_its_message():
    lazy = pl.LazyFrame({"user": ["SECRETZQX"]}).with_columns(pl.col("user").cast(pl.Int64))
    with pytest.raises(SourceError, match="stopped with InvalidOperationError") as refused:
        plain_frame(lazy)
    assert "SECRETZQX" not in str(refused.value)
