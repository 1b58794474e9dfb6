"""Numbers that are none: counted as bad rows wherever they stand, whatever the source."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import trailprint as tp
from trailprint.events.reading.delimited import _unique_names

GOOD: dict[str, Any] = {
    "user": [f"u{i % 3}" for i in range(6)],
    "location": [f"p{i % 2}" for i in range(6)],
    "start": [1000.0 + i for i in range(6)],
    "end": [1010.0 + i for i in range(6)],
    "lat": [47.0] * 6,
    "lon": [8.0] * 6,
    "count": [float(i + 1) for i in range(6)],
}
REASONS = {
    "start": "unreadable time",
    "end": "unreadable time",
    "lat": "missing or unreadable position",
    "lon": "missing or unreadable position",
    "count": "count is not a number of events",
}


def _source(form: str, table: pa.Table, folder: Path) -> Any:
    if form == "parquet":
        pq.write_table(table, folder / "data.parquet")
        return folder / "data.parquet"
    if form == "csv":
        rows = [",".join(map(str, row.values())) for row in table.to_pylist()]
        (folder / "data.csv").write_text("\n".join([",".join(table.column_names), *rows]) + "\n")
        return folder / "data.csv"
    if form == "polars":
        return pl.from_arrow(table)
    return table.to_pandas() if form == "pandas" else table


@pytest.mark.parametrize("form", ["parquet", "csv", "pandas", "polars", "arrow"])
@pytest.mark.parametrize("column", REASONS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_number_that_is_none_is_a_bad_row(form, column, kind, tmp_path) -> None:
    values = np.array(GOOD[column], dtype=kind)
    values[1:4] = math.nan, math.inf, -math.inf
    table = pa.table({**GOOD, column: pa.array(values)})
    events = tp.read(_source(form, table, tmp_path), tp.ReadOptions(allow_bad_rows=True))
    # pandas writes NaN for what is missing, and a stay without an end is open.
    n_good = 4 if form == "pandas" and column == "end" else 3
    assert events.tally.bad == {REASONS[column]: 6 - n_good}
    assert events.count() == n_good
    kept = events.engine.rows(f'SELECT "user" FROM ({events.query})')
    rows = [0, 1, 4, 5] if n_good == 4 else [0, 4, 5]
    assert sorted(user for (user,) in kept) == sorted(GOOD["user"][row] for row in rows)


@pytest.mark.parametrize("column", ["user", "location"])
@pytest.mark.parametrize("form", ["parquet", "pandas", "arrow"])
def test_an_identifier_that_is_no_number_is_missing(column, form, tmp_path) -> None:
    table = pa.table({**GOOD, column: pa.array([1.0, 2.0, math.nan, 1.0, 2.0, 3.0])})
    events = tp.read(_source(form, table, tmp_path), tp.ReadOptions(allow_bad_rows=True))
    assert events.tally.bad == {f"missing {column}": 1}


def test_a_column_the_first_file_lacks_is_missing_there(tmp_path) -> None:
    pq.write_table(pa.table({"user": ["a"], "note": ["n"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"user": ["b"], "location": ["x"]}), tmp_path / "2.parquet")
    events = tp.read(tmp_path, tp.ReadOptions(allow_bad_rows=True))
    assert events.tally.bad == {"missing location": 1}


EMPTY = {
    "nothing": ("a.csv", b"", "empty"),
    "blanks": ("a.csv", b" \n\n\n", "empty"),
    "a header": ("a.csv", b"user,location,start\n", "it has none"),
    "a header without an end of line": ("a.csv", b"user,location,start", "it has none"),
    "JSON of nothing": ("a.jsonl", b"", "empty"),
    "a header, compressed by nobody": ("a.csv.gz", b"", "a.csv.gz"),
}


@pytest.mark.parametrize("case", EMPTY)
def test_files_without_rows_are_refused_in_a_sentence(write, run, case) -> None:
    name, content, says = EMPTY[case]
    found = run("inspect", write(name, content))
    assert found.code == 2
    assert says in " ".join(found.err.split())
    assert "Traceback" not in found.err


@pytest.mark.parametrize("form", ["parquet", "pandas", "polars", "arrow"])
def test_tables_without_rows_are_refused_in_a_sentence(form, tmp_path) -> None:
    table = pa.table({"user": pa.array([], pa.string()), "location": pa.array([], pa.string())})
    with pytest.raises(tp.TrailprintError, match="must have rows"):
        tp.read(_source(form, table, tmp_path))


def test_thousands_of_equal_names_are_distinguished_quickly() -> None:
    names = ["user", "x_1", "X", *["x"] * 20_000, ""]
    unique = _unique_names(names)
    assert len({name.casefold() for name in unique}) == len(names)
    assert unique[:3] == ["user", "x_1", "X"]
    assert unique[-1] == f"column{len(names)}"
