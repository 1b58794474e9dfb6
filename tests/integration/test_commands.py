"""Commands on good data, as a person would run them."""

from __future__ import annotations

import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

VISITS = "user,location,start,end\n" + "".join(
    f"u{i % 5},{1 + i % 3}.{i % 2}.{i % 4},2024-01-{1 + i // 8:02}T{8 + i % 8:02}:00:00,"
    f"2024-01-{1 + i // 8:02}T{8 + i % 8:02}:30:00\n"
    for i in range(160)
)


@pytest.fixture
def visits(write):
    return write("visits.csv", VISITS)


def test_inspect_has_what_is_promised(run, visits):
    found = run("inspect", visits, "--json").json
    assert found["events"] == found["rows"] == 160
    assert (found["users"], found["locations"]) == (5, 12)
    assert (found["first"], found["last"]) == ("2024-01-01", "2024-01-20")
    assert found["active_days_median"] == 20
    assert found["locations_per_user_median"] == 12
    assert (found["bad_rows"], found["duplicates"]) == ({}, 0)


def test_inspect_for_people(run, visits):
    finished = run("inspect", visits)
    assert finished.code == 0
    assert "160" in finished.out
    assert finished.err == ""


def test_inspect_lists_bad_rows(run, write):
    path = write("v.csv", VISITS + ",x,2024-01-01,\n")
    found = run("inspect", path, "--json").json
    assert (found["rows"], found["events"], found["bad_rows"]) == (161, 160, {"missing user": 1})
    assert "missing user" in run("inspect", path).out


def test_inspect_understands_filters_and_places(run, visits):
    found = run("inspect", visits, "--truncate", 1, "--hours", "08:00-12:00", "--json").json
    assert (found["events"], found["locations"]) == (80, 3)


def test_timezone_moves_days_not_instants(run, visits):
    found = run("inspect", visits, "--timezone", "Asia/Tokyo", "--json").json
    assert found["first"] == "2024-01-01"


@pytest.mark.parametrize(
    "how",
    [
        ("--at", "median"),
        ("--at", "2024-01-11"),
        ("--halves-of-weeks",),
        ("--busiest-weeks",),
        ("--ranges", "2024-01-01..2024-01-07,2024-01-08..2024-01-14"),
        ("--fold", "2/4"),
        ("--at", "median", "--active-both", "--min-events", "3"),
        (
            "--at",
            "median",
            "--released-users",
            "2",
            "--auxiliary-users",
            "4",
            "--common-users",
            "1",
        ),
        (
            "--at",
            "median",
            "--released-users",
            "0.5",
            "--auxiliary-users",
            "0.5",
            "--common-users",
            "0.5",
        ),
    ],
)
def test_split_writes_what_it_says(run, visits, tmp_path, how):
    released, auxiliary = tmp_path / "r.parquet", tmp_path / "a.csv"
    found = run(
        "split", visits, *how, "--released", released, "--auxiliary", auxiliary, "--json"
    ).json
    for side, path in (("released", released), ("auxiliary", auxiliary)):
        summary = run("inspect", path, "--json").json
        assert found[side] == {"events": summary["events"], "users": summary["users"]}
        assert summary["events"] > 0
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "r.parquet", "visits.csv"]


def test_split_keeps_every_event(run, visits, tmp_path):
    out = ("--released", tmp_path / "r.csv", "--auxiliary", tmp_path / "a.csv")
    run("split", visits, "--at", "median", *out)
    sides = [(tmp_path / name).read_text().splitlines()[1:] for name in ("r.csv", "a.csv")]
    instants = sorted(line.split(",")[2][:19] for side in sides for line in side)
    assert instants == sorted(line.split(",")[2] for line in VISITS.splitlines()[1:])


def test_the_same_seed_gives_the_same_split(run, visits, tmp_path):
    def drawn(name, seed):
        out = ("--released", tmp_path / f"{name}.csv", "--auxiliary", tmp_path / "a.csv")
        run("split", visits, "--at", "median", "--released-users", 2, "--seed", seed, *out)
        return sorted((tmp_path / f"{name}.csv").read_text().splitlines())

    assert drawn("one", 5) == drawn("two", 5)


BOXED = (
    "user,location,lat,lon,start\na,p,47.1,8.1,2024-01-01\n"
    "b,q,40,8,2024-01-01\na,r,47.1,8.1,2024-01-01\n"
)


def test_a_box_alone_keeps_the_named_locations(run, write):
    found = run("inspect", write("v.csv", BOXED), "--box", "47,8,48,9", "--json").json
    assert (found["events"], found["locations"]) == (2, 2)


@pytest.mark.parametrize("how", [("--cell", 500), ("--h3", 7)])
def test_a_box_with_cells_keeps_what_lies_inside(run, write, how):
    found = run("inspect", write("v.csv", BOXED), "--box", "47,8,48,9", *how, "--json").json
    assert (found["events"], found["locations"]) == (2, 1)


@pytest.mark.parametrize("kind", ["campus", "calls"])
def test_simulate_knows_its_seed(run, tmp_path, kind):
    tables = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        path = tmp_path / f"{name}.parquet"
        assert run("simulate", kind, "--users", 20, "--out", path, "--seed", seed).code == 0
        tables.append(pq.read_table(path))
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])
    assert len(set(tables[0]["user"].to_pylist())) <= 20


def test_demo(run, tmp_path):
    out = tmp_path / "demo"
    asked = ("demo", "--out", out, "--users", 30, "--threads", 1)
    finished = run(*asked)
    assert finished.code == 0, finished.err
    assert f"The report: {out / 'report.html'}\n" in finished.out
    assert "Your own file: trailprint audit FILE --out audit\n" in finished.out
    assert (out / "report.html").read_text().startswith("<!doctype html>")
    assert run("inspect", out / "campus.parquet", "--json").json["users"] == 30
    # One JSON object and nothing else, from the work that was kept.
    assert isinstance(run(*asked, "--json").json, dict)


def test_layouts(run):
    assert set(run("layouts", "--json").json) == {
        "geolife",
        "ap-movement",
        "web",
        "wlan",
        "ap-starts",
        "per-location",
    }


@pytest.fixture
def shell(visits):
    """The program in a process of its own, its output sent elsewhere."""

    def shell(tail):
        entry = "from trailprint.cli.main import main; main()"
        command = f"{sys.executable} -c '{entry}' inspect {visits} --json {tail}"
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
        )

    return shell


def test_a_reader_that_goes_away_is_no_error(shell):
    finished = shell("| true")
    assert finished.stderr == ""
    assert finished.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_disk_is_said_in_one_sentence(shell):
    finished = shell("> /dev/full")
    assert finished.returncode == 2
    assert finished.stderr.startswith("trailprint: There must be room for the result")
    assert finished.stderr.count("\n") == 1


def test_no_progress_bar_when_piped(shell):
    assert shell("").stderr == ""
