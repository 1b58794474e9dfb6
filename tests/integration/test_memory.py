"""Data larger than the memory allowed still works: the rest goes to disk."""

from __future__ import annotations

import os

import duckdb
import pytest
from tests.presence import present

from trailprint import Engine, inspect, read
from trailprint.features.histograms import build_histograms


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A CSV of about 30 MB that needs a few times as much as a table of text."""
    path = tmp_path_factory.mktemp("memory") / "large.csv"
    table = duckdb.sql(
        "SELECT 'somebody-' || hash(i % 5000)::VARCHAR AS user, 'place-' || (i % 997) AS location, "
        "1700000000 + i AS start FROM range(600000) t(i)"
    )
    present(table).write_csv(str(path))
    return path


def spilled(engine):
    return sum(entry.stat().st_size for entry in os.scandir(engine.scratch))


def test_a_file_larger_than_memory(path):
    engine = Engine(memory="50MB", threads=2)
    events = read(path, engine=engine)
    assert spilled(engine) > 0
    assert inspect(events).events == 600_000
    assert build_histograms(events).totals.sum() == 600_000


def test_the_option_of_the_program(run, path):
    found = run("inspect", path, "--memory", "100MB", "--threads", 2, "--json").json
    assert (found["events"], found["users"]) == (600_000, 5000)
