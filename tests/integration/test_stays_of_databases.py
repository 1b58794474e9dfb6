"""Fixes in a table of a database become visits, on the command line and in Python."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

import trailprint as tp
from trailprint.options import PlaceOptions

N_USERS, N_DAYS = 12, 21


def draw_fixes():
    """Everybody's half days at two places of their own, a fix every twenty minutes."""
    random = np.random.default_rng(4)
    spots = random.uniform(0, 0.3, (N_USERS, 2, 2))
    times = pd.date_range("2024-05-06", periods=N_DAYS * 72, freq="20min")
    rows = []
    for user in range(N_USERS):
        at = spots[user, (times.hour >= 8 + user % 4).astype(int)]
        lat, lon = 46.5 + at[:, 0], 6.5 + at[:, 1]
        whens = times.strftime("%Y-%m-%d %H:%M:%S")
        rows += [[f"u{user}", *row] for row in zip(lat.tolist(), lon.tolist(), whens, strict=True)]
    return rows


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def fixes(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("bases") / f"gps.{request.param}"
    frame = pd.DataFrame(draw_fixes(), columns=["device_id", "lat", "lon", "event_time"])
    if request.param == "duckdb":
        with duckdb.connect(str(path)) as base:
            base.execute("CREATE TABLE fixes AS FROM frame")
    else:
        with contextlib.closing(sqlite3.connect(path)) as file, file:
            file.execute("CREATE TABLE fixes (device_id, lat, lon, event_time)")
            file.executemany("INSERT INTO fixes VALUES (?, ?, ?, ?)", frame.values.tolist())
    return f"{path}::fixes"


def test_inspect_counts_the_fixes_of_a_table(run, fixes):
    found = json.loads(run("inspect", fixes, "--json").out)
    assert found["users"] == N_USERS
    assert found["events"] == N_USERS * N_DAYS * 72


def test_correlate_reads_stays_of_a_table(run, fixes):
    options = ("--at", "median", "--stays", "200m,20min", "--model", "markov", "--json")
    found = run("correlate", fixes, *options)
    assert found.code == 0, found.err
    assert json.loads(found.out)["common_users"] == N_USERS


def test_an_audit_of_stays_of_a_table(fixes):
    options = tp.AuditOptions(attacks=("histogram",), time_limit_s=0.001)
    result = tp.audit(fixes, options=options, places=PlaceOptions(stays="200m,20min"))
    facts = result.findings.data.released
    assert facts.users == N_USERS
    assert facts.events < N_USERS * N_DAYS * 3
    assert any("fixes became" in note for note in result.findings.data_notes)
