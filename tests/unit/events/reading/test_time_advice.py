"""Times that cannot be used: what is said about them, and what they may not cost."""

from __future__ import annotations

import time

import pandas as pd
import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.features.sequences import build_sequences

HEADER = "user,location,start\n"
ADVICE = {
    "wrong format": ("a,x,17/05/2024\nb,y,18/05/2024\n", "%Y.%m.%d", "does not fit these times"),
    "right format": (
        "a,x,17/05/2024\nb,y,18/05/2024\nb,y,unknown\n",
        "%d/%m/%Y",
        "--time-format fits the others",
    ),
    "missing format": ("a,x,17/05/2024\nb,y,18/05/2024\n", None, "need --time-format"),
    "no time": ("a,x,monday\nb,y,\n", None, "name the column of times"),
    "no time whatever the format": ("a,x,\nb,y,\n", "%d/%m/%Y", "name the column of times"),
}


@pytest.mark.parametrize("case", ADVICE)
def test_errors_of_times_are_distinguished(write, run, case) -> None:
    rows, time_format, says = ADVICE[case]
    given = () if time_format is None else ("--time-format", time_format)
    found = run("inspect", write("v.csv", HEADER + rows), *given)
    assert found.code == 2
    assert says in " ".join(found.err.split())
    others = {text for _, _, text in ADVICE.values()} - {says}
    assert not any(text in " ".join(found.err.split()) for text in others)


def test_a_sentinel_is_no_end(write) -> None:
    """A stay until the year 9999 would be cut into three million days."""
    rows = "".join(f"u{i},x,2024-05-01 08:00,2024-05-02 09:00\n" for i in range(200))
    rows += "u1,x,2024-05-03 08:00,9999-12-31 00:00\n"
    began = time.perf_counter()
    events = tp.read(write("v.csv", "user,location,start,end\n" + rows))
    assert events.tally.bad == {"stay longer than the maximum": 1}
    assert build_sequences(events).n_visits == 400
    assert time.perf_counter() - began < 20


def test_the_longest_stay_is_an_option(write, run) -> None:
    path = write("v.csv", "user,location,start,end\na,x,2024-05-01,2024-05-03\nb,x,2024-05-01,\n")
    assert run("inspect", path).code == 0
    found = run("inspect", path, "--max-stay-days", 1)
    assert found.code == 2
    assert "A stay may last 1 days (--max-stay-days)" in " ".join(found.err.split())
    assert run("inspect", path, "--max-stay-days", 2).code == 0
    for wrong in (0, -1, "nan", "inf", 1e9):
        assert run("inspect", path, "--max-stay-days", wrong).code == 2


def test_a_record_is_no_stay_until_one_years_later(write, rows_of) -> None:
    path = write("starts.csv", "d1,ap3,2013-03-04 08:10:00\nd1,ap4,2016-03-04 11:00:00\n")
    events = tp.read(path)
    assert not events.tally.bad
    assert [row[0] for row in rows_of(events, "end")] == [None, None]


@pytest.mark.parametrize("unit", ["D", "M", "h"])
def test_periods_of_pandas_start_when_they_start(unit, rows_of) -> None:
    periods = pd.period_range("2024-05-01", periods=3, freq=unit)
    frame = pd.DataFrame({"user": list("abc"), "location": "x", "start": periods})
    starts = [row[0] for row in rows_of(tp.read(frame), "start")]
    assert sorted(starts) == sorted(periods.start_time.to_pydatetime())


def test_periods_that_are_numbers_already_are_refused() -> None:
    periods = pd.period_range("2024-05-01", periods=3, freq="D")
    frame = pd.DataFrame({"user": list("abc"), "location": "x", "start": periods})
    indexed = frame.set_index("start")
    for source in (pa.table(frame), indexed):
        with pytest.raises(tp.TrailprintError, match="holds periods of pandas"):
            tp.read(source)
