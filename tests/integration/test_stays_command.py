"""Stays on the command line: every command takes them, and what is written is read again."""

from __future__ import annotations

import json

import pytest

HOMES = {"uzqx1": (46.52, 6.57), "uzqx2": (46.60, 6.70), "uzqx3": (46.70, 6.90)}
WORK = (46.55, 6.62)


@pytest.fixture
def fixes(write) -> str:
    """Three weeks of three people at home and at work, a fix every ten minutes."""
    rows = ["user,start,lat,lon"]
    for day in range(1, 22):
        for user, home in HOMES.items():
            for hour in range(8, 20):
                lat, lon = WORK if 10 <= hour < 16 else home
                rows += [
                    f"{user},2024-05-{day:02} {hour:02}:{minute:02},"
                    f"{lat + (day * 1440 + hour * 60 + minute) * 1e-8:.8f},{lon}"
                    for minute in range(0, 60, 10)
                ]
    return str(write("fixes.csv", "\n".join(rows) + "\n"))


def test_inspect_suggests_stays_and_counts_them(run, fixes):
    before = json.loads(run("inspect", fixes, "--json").out)
    assert any("--stays 200m,20min" in sentence for sentence in before["advice"])
    after = json.loads(run("inspect", fixes, "--stays", "200m,20min", "--json").out)
    assert after["advice"] == []
    assert after["events"] < before["events"] / 10
    assert {"start", "end", "location"} <= set(after["columns"])
    assert any("fixes became" in note for note in after["notes"])


def test_what_is_written_is_read_without_options(run, fixes, tmp_path):
    sides = [str(tmp_path / name) for name in ("released.csv", "auxiliary.parquet")]
    cut = ("--at", "2024-05-11", "--released", sides[0], "--auxiliary", sides[1])
    assert run("split", fixes, "--stays", "200m,20min", *cut).code == 0
    for command in ("inspect", "match", "trails", "correlate"):
        given = sides[:1] if command == "inspect" else sides
        found = run(command, *given)
        assert found.code == 0, found.err
    protected = str(tmp_path / "protected.csv")
    how = ("--stays", "200m,20min", "--apply", "perturb-times", "--out", protected)
    assert run("protect", fixes, *how).code == 0
    again = json.loads(run("inspect", protected, "--json").out)
    assert {"start", "end", "location"} <= set(again["columns"])


@pytest.mark.parametrize(
    "command", [("match", "--at", "2024-05-11"), ("trails", "--at", "2024-05-11")]
)
def test_commands_take_stays(run, fixes, command):
    found = run(command[0], fixes, *command[1:], "--stays", "200m,20min", "--json")
    assert found.code == 0, found.err


@pytest.mark.parametrize("wrong", ["200", "20min,200m", "200m,20min,1h,2h"])
def test_wrong_stays_are_refused_in_a_sentence(run, fixes, wrong):
    found = run("inspect", fixes, "--stays", wrong)
    assert found.code == 2
    assert "such as 200m,20min" in " ".join(found.err.split())


def test_odd_data_is_pointed_out_without_a_value(run, write):
    rows = [f"u{i},x,46.5,6.{i},2024-05-01" for i in range(9)]
    rows += ["SECRETID,x,0,0,2024-05-01"] * 1200
    path = write("v.csv", "user,location,lat,lon,start\n" + "\n".join(rows) + "\n")
    advice = json.loads(run("inspect", path, "--json").out)["advice"]
    assert "1,200 of 1,209 positions are at latitude 0 and longitude 0" in advice[0]
    assert "1 id has 1,000 times the usual number of events" in advice[1]
    assert "SECRETID" not in str(advice)
    kept = json.loads(run("inspect", path, "--max-events", 999, "--json").out)
    assert (kept["users"], kept["advice"]) == (9, [])
