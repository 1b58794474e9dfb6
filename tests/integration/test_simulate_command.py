"""``trailprint simulate``: sizes asked for, and options that do not go together."""

from __future__ import annotations

import pytest


def test_a_campus_of_some_people_and_days(run, tmp_path):
    out = tmp_path / "campus.parquet"
    found = run("simulate", "campus", "--users", 25, "--days", 9, "--out", out, "--json").json
    assert (found["kind"], found["users"]) == ("campus", 25)
    summary = run("inspect", out, "--json").json
    assert summary["users"] == 25
    assert summary["events"] == found["events"]
    assert (summary["first"], summary["last"]) == ("2024-03-04", "2024-03-12")


def test_there_are_300_people_unless_said_otherwise(run, tmp_path):
    out = tmp_path / "calls.parquet"
    assert run("simulate", "calls", "--out", out, "--json").json["users"] == 300


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("campus", "--days", 0), "--days must be at least 1"),
        (("campus", "--paper", "--users", 10), "leave --users and --days out"),
        (("campus", "--paper", "--days", 10), "leave --users and --days out"),
        (("calls", "--days", 10), "go with campus"),
        (("calls", "--paper"), "go with campus"),
    ],
)
def test_options_that_do_not_go_together(run, tmp_path, arguments, says):
    finished = run("simulate", *arguments, "--out", tmp_path / "x.parquet")
    assert finished.code == 2
    assert says in " ".join(finished.err.split())
    assert not (tmp_path / "x.parquet").exists()
