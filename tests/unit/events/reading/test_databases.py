"""Tables of DuckDB and SQLite files are read like files of rows, and never written to."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trailprint as tp
from trailprint.errors import InputError, SourceError

CANARY = "SECRETZQX"
CREATE = "CREATE TABLE visits (card_id TEXT, stop_id TEXT, tap_time TEXT, lat DOUBLE, lon DOUBLE)"
ROWS = [
    ("007", "A", "2024-05-13 08:10", 46.52, 6.57),
    ("007", "B", "2024-05-13 09:10", 46.53, 6.58),
    (CANARY, "A", "2024-05-14 08:10", 47.0, 7.0),
]


def make_sqlite(path, rows=ROWS):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(CREATE)
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?)", rows)
    return str(path)


def make_duckdb(path, rows=ROWS):
    with duckdb.connect(str(path)) as connection:
        connection.execute(CREATE)
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?)", rows)
    return str(path)


MAKERS = {"duckdb": make_duckdb, "sqlite": make_sqlite}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_table_is_read_and_the_file_left_alone(run, kind, tmp_path):
    path = MAKERS[kind](tmp_path / f"data.{kind}")
    before = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    for source in (path, f"{path}::visits"):
        found = run("inspect", source, "--json")
        assert found.code == 0, found.err
        shown = json.loads(found.out)
        assert (shown["users"], shown["events"], shown["last"]) == (2, 3, "2024-05-14")
    assert hashlib.sha256(Path(path).read_bytes()).hexdigest() == before
    assert [name.name for name in tmp_path.iterdir()] == [f"data.{kind}"]


@pytest.mark.parametrize("kind", MAKERS)
def test_both_read_the_same(kind, tmp_path, rows_of):
    events = tp.read(MAKERS[kind](tmp_path / "data.db"))
    assert sorted(rows_of(events, "user", "location", "lat")) == sorted(
        (row[0], row[1], row[3]) for row in ROWS
    )


@pytest.mark.parametrize("kind", MAKERS)
def test_one_of_several_tables_must_be_named(kind, tmp_path):
    path = MAKERS[kind](tmp_path / "data.db")
    create = f"CREATE TABLE users AS SELECT '{CANARY}' AS user"
    if kind == "duckdb":
        with duckdb.connect(path) as connection:
            connection.execute(create)
    else:
        with contextlib.closing(sqlite3.connect(path)) as other, other:
            other.execute(create)
    for source in (path, f"{path}::vists"):
        with pytest.raises(SourceError, match=r"as file\.db::table") as caught:
            tp.read(source)
        assert "visits" in str(caught.value)
        assert CANARY not in str(caught.value)
    assert tp.read(f"{path}::visits").count() == 3


def test_only_databases_have_tables(write):
    with pytest.raises(SourceError, match="this file is none of them"):
        tp.read(f"{write('v.csv', 'user,location')}::visits")


def test_a_file_may_have_colons_in_its_name(write):
    assert tp.read(write("a::b.csv", "user,location\na,x\n")).count() == 1


@pytest.mark.parametrize("kind", MAKERS)
def test_a_damaged_database_is_refused_in_a_sentence(run, kind, tmp_path):
    path = Path(MAKERS[kind](tmp_path / "data.db"))
    path.write_bytes(path.read_bytes()[:1000])
    found = run("inspect", str(path))
    assert found.code == 2
    assert "must be whole" in " ".join(found.err.split())


def test_an_output_never_replaces_the_database(run, tmp_path):
    path = make_sqlite(tmp_path / "data.csv")
    found = run("protect", f"{path}::visits", "--apply", "perturb-times", "--out", path)
    assert found.code == 2
    assert "must not overwrite the data" in " ".join(found.err.split())


VALUES = st.one_of(
    st.none(), st.integers(-(2**53), 2**53), st.text("ab07 ", max_size=4), st.floats(-1e6, 1e6)
)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(VALUES, min_size=1, max_size=6))
def test_a_column_may_mix_kinds_of_values(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("mixed") / "data.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE visits (user, location)")
        connection.executemany("INSERT INTO visits VALUES (?, 'x')", [(v,) for v in values])
    n_usable = sum(v is not None and str(v).strip() != "" for v in values)
    options = tp.ReadOptions(allow_bad_rows=True)
    if not n_usable:
        with pytest.raises(InputError):
            tp.read(path, options)
        return
    events = tp.read(path, options)
    assert (events.count(), events.tally.rows) == (n_usable, len(values))
