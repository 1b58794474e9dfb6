"""From a messy file to a release, an audit of it, a comparison and a gate."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trailprint as tp
from trailprint.cli.main import main
from trailprint.errors import OptionError

pytestmark = pytest.mark.usefixtures("blank_charts")

USERS = re.compile(r"CANARY")
N_USERS = 40


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Other names, a few bad rows, people one after another, local times."""
    random = np.random.default_rng(2)
    habits = random.dirichlet(np.full(20, 0.3), N_USERS)
    path = tmp_path_factory.mktemp("messy") / "taps.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["Card", "Stop", "When"])
        for user, habit in enumerate(habits):
            for day in range(1, 22):
                for hour in (8, 18):
                    place = random.choice(20, p=habit)
                    when = f"2024-01-{day:02} {hour:02}:{random.integers(60):02}:00"
                    writer.writerow([f"CANARY{user:03}", f"s{place % 5}.{place}", when])
        writer.writerow(["CANARY001", "", "2024-01-02 08:00:00"])
    return path


COLUMNS = ("--user-column", "Card", "--location-column", "Stop", "--start-column", "When")
NAMES = tp.ReadOptions(column_names={"user": "Card", "location": "Stop", "start": "When"})
ZONE = ("--timezone", "Europe/Zurich")
ASKED = ("--attacks", "histogram", "--protect", "top-locations:n=3")
#: An attack and a protection, and no time for what is not asked for.
QUICK = (*ASKED, "--time-limit", "0.001s")


def program(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(one) for one in arguments])
    return int(stopped.value.code or 0)


@pytest.fixture(scope="module")
def released(messy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    command = ["protect", messy, *COLUMNS, *ZONE, "--apply", "coarsen-names:levels=1"]
    command += ["--apply", "coarsen-time:unit_s=3600"]
    assert program(*command, "--release", folder / "r", "--keys", folder / "keys.csv") == 0
    return folder / "r"


def test_nobody_keeps_their_id_and_the_order_says_nothing(released: Path) -> None:
    events = tp.read(released / "events.parquet")
    rows = events.engine.rows(f'SELECT "user", "start", location FROM ({events.query})')
    ids = [row[0] for row in rows]
    assert ids == sorted(ids)
    assert len(set(ids)) == N_USERS
    assert not any(USERS.search(one) for one in ids)
    with open(released.parent / "keys.csv", newline="") as file:
        keys = {row["released"]: row["auxiliary"] for row in csv.DictReader(file)}
    assert set(keys) == set(ids)
    in_order = [keys[one] for one in dict.fromkeys(ids)]
    assert in_order != sorted(in_order)
    assert {row[1].minute for row in rows} == {0}
    assert {row[1].hour for row in rows} == {8, 18}


def test_ids_are_new_each_time_and_do_not_follow_from_a_seed(messy: Path, tmp_path: Path) -> None:
    events = tp.read(messy, NAMES)
    found = []
    for name in ("a.csv", "b.csv"):
        tp.protect(events, "top-locations:n=9", seed=5).release(tmp_path / name[0] / name)
        found.append((tmp_path / name[0] / name).read_text())
    first, second = ({line.split(",")[0] for line in text.splitlines()[1:]} for text in found)
    assert not first & second
    assert not USERS.search("".join(found))


def test_a_seed_that_is_typed_decides_the_noise_and_else_nobody_knows_it(
    messy: Path, tmp_path: Path
) -> None:
    noise = ["protect", messy, *COLUMNS, "--apply", "perturb-locations:previous=0.3,next=0.3"]
    found = []
    for number, seed in enumerate([("--seed", 0), ("--seed", 0), (), ()]):
        folder = tmp_path / str(number)
        assert program(*noise, *seed, "--release", folder) == 0
        events = tp.read(folder / "events.parquet")
        rows = events.engine.rows(f'SELECT "start", location FROM ({events.query})')
        found.append(sorted(rows, key=repr))
    first, again, secret, other = found
    assert first == again
    assert secret != first != other != secret


def test_keys_are_for_their_owner_and_never_written_over(released: Path, messy: Path) -> None:
    keys = released.parent / "keys.csv"
    assert stat.S_IMODE(os.stat(keys).st_mode) == 0o600
    result = tp.protect(tp.read(messy, NAMES), "top-locations:n=9")
    with pytest.raises(OptionError, match="must name a new file"):
        result.release(released.parent / "again", keys=str(keys))
    assert not (released.parent / "again").exists()


def test_the_description_says_what_was_done_and_no_value(released: Path) -> None:
    text = (released / "release.json").read_text()
    reported = json.loads(text)
    assert [step["name"] for step in reported["applied"]] == ["coarsen-names", "coarsen-time"]
    assert reported["times"] == "Europe/Zurich"
    assert reported["data"]["people"] == N_USERS
    assert 0 <= reported["loss"]["information_loss"] <= 1
    assert not re.search(r"CANARY|s[0-4]\b", text)
    assert '"seed"' not in text


@pytest.mark.parametrize(
    "command",
    [
        ("inspect",),
        ("split", "--at", "median", "--released", "R", "--auxiliary", "A"),
        ("match", "--at", "median"),
        ("trails", "--at", "median"),
        ("correlate", "--at", "median", "--model", "markov"),
        ("points", "--draws", "1", "--no-grid"),
        ("protect", "--apply", "top-locations:n=3"),
    ],
    ids=lambda command: command[0],
)
def test_a_release_is_read_without_options(
    run: Callable[..., object], released: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    name, *more = (tmp_path / f"{one}.csv" if one in ("R", "A") else one for one in command)
    assert program(name, released / "events.parquet", *more) == 0


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_histograms_are_released_too(messy: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"h{ending}"
    command = ("protect", messy, *COLUMNS, "--apply", "microaggregate:k=4", "--release", out)
    assert program(*command) == 0
    assert tp.inspect(tp.read(out)).users == N_USERS


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Positions, with a fare and a name that no release needs."""
    random = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("trips") / "trips.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["card_id", "lat", "lon", "time", "Fare class", "name", "end_time"])
        for user in range(12):
            for hour in range(20):
                lat, lon = 46.5 + random.random() / 5, 6.6 + random.random() / 5
                when = f"2024-01-{1 + hour:02} 08:{user:02}:00"
                kept = ["child" if user < 3 else "adult", f"CANARY{user}", ""]
                writer.writerow([user, lat, lon, when, *kept])
    return path


def test_cells_have_centres_and_sizes(trips: Path, tmp_path: Path) -> None:
    for more, exact in (((), False), (("--box", "46,6,47,7"), True)):
        command = ("protect", trips, "--cell", 5000, *more, "--apply", "top-locations:n=400")
        assert program(*command, "--release", tmp_path / "r") == 0
        reported = json.loads((tmp_path / "r" / "release.json").read_text())
        assert reported["cells"]["size_m"] == 5000
        assert (reported["cells"]["centres"] == "exact") == exact
        released = tp.read(tmp_path / "r" / "events.parquet")
        rows = released.engine.rows(f"SELECT lat, lon, location FROM ({released.query})")
        assert all(46.4 < lat < 46.8 and 6.5 < lon < 6.9 for lat, lon, _ in rows)
        assert len(set(rows)) == len({row[2] for row in rows})
        assert not any("not used" in note for note in released.notes)
    for command in (("match", "--at", "median"), ("points", "--draws", "1", "--no-grid")):
        assert program(command[0], tmp_path / "r" / "events.parquet", *command[1:]) == 0


def test_columns_are_passed_through_where_they_are_listed(trips: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.csv"
    command = ("protect", trips, "--cell", 5000, "--apply", "coarsen-time:unit_s=86400")
    assert program(*command, "--release", out, "--keep-column", "Fare class") == 0
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["Fare class"] == "child" for row in rows) == 3 * 20
    assert "name" not in rows[0]
    reported = json.loads((tmp_path / "release.json").read_text())
    assert reported["kept_columns"] == [{"name": "Fare class", "people_alone": 0.0}]
    result = tp.protect(trips, "top-locations:n=3", reading=tp.ReadOptions(keep_columns=("name",)))
    reported = result.release(tmp_path / "by_name")
    assert reported["kept_columns"] == [{"name": "name", "people_alone": 1.0}]


@pytest.mark.parametrize("name", ["card_id", "lat", "end_time", "fare", "time"])
def test_a_column_that_plays_a_part_cannot_be_kept(
    run: Callable[..., Any], trips: Path, tmp_path: Path, name: str
) -> None:
    command = ("protect", str(trips), "--apply", "top-locations:n=3", "--keep-column", name)
    found = run(*command, "--release", str(tmp_path / "r"))
    assert found.code == 2
    assert "--keep-column must name columns" in found.err
    assert not (tmp_path / "r").exists()


def test_histograms_keep_no_columns(run: Callable[..., Any], trips: Path, tmp_path: Path) -> None:
    command = ("protect", str(trips), "--apply", "microaggregate:k=3", "--keep-column", "name")
    found = run(*command, "--release", str(tmp_path / "r"))
    assert found.code == 2
    assert "needs events" in found.err
    assert not (tmp_path / "r").exists()


def test_the_risk_an_audit_measured_is_reported(messy: Path, tmp_path: Path) -> None:
    assert program("audit", messy, *COLUMNS, *ASKED, "--out", tmp_path / "a") == 0
    result = json.loads((tmp_path / "a" / "result.json").read_text())
    asked = [point for point in result["protections"]["points"] if point["asked"]]
    command = ("protect", messy, *COLUMNS, "--audit", tmp_path / "a", "--apply")
    out = ("--release", tmp_path / "r")
    assert program(*command, "top-locations:n=3", *out) == 0
    reported = json.loads((tmp_path / "r" / "release.json").read_text())["risk"]
    assert {"accuracy", "at_most"} & reported.keys()
    for name in ("accuracy", "at_most", "interval", "chance", "attack"):
        assert reported.get(name) == asked[0].get(name)
    assert program(*command, "top-locations:n=4", "--release", tmp_path / "x") == 2
    assert not (tmp_path / "x").exists()


def test_the_whole_loop(messy: Path, released: Path, tmp_path: Path) -> None:
    assert program("inspect", messy, *COLUMNS, "--json") == 0
    before, after = tmp_path / "before", tmp_path / "after"
    gated = ("--fail-above", "0.05")
    assert program("audit", messy, *COLUMNS, *ZONE, *QUICK, "--out", before, *gated) == 3
    assert (before / "report.html").exists()
    assert program("audit", released, *QUICK, "--out", after) == 0
    keys = released.parent / "keys.csv"
    for more in ((), ("--keys", keys)):
        assert program("compare", before, after, "--out", tmp_path / "c", *more) == 0
        found = json.loads((tmp_path / "c" / "comparison.json").read_text())
        (versus,) = found["versus"]
        assert (versus["why_unpaired"] is None) == bool(more)
    assert versus["families"][0]["pairs"]["people"] == N_USERS
    reported = json.loads((released / "release.json").read_text())
    losses = [audit["release_loss"] for audit in found["audits"]]
    assert losses == [None, reported["loss"]["information_loss"]]
    texts = [path.read_text() for path in (tmp_path / "c").rglob("*.*") if path.is_file()]
    assert not any(USERS.search(text) for text in texts)
    high = ("--fail-above", "1", "--fail-on", "upper")
    assert program("audit", released / "events.parquet", *QUICK, "--out", after, *high) == 0


def test_a_pipeline_learns_of_the_risk_though_the_rest_is_not_read(
    messy: Path, tmp_path: Path
) -> None:
    quick = (*QUICK, "--fail-above", "0.05")
    command = ("audit", messy, *COLUMNS, *ZONE, *quick, "--out", tmp_path / "a")
    words = [sys.executable, "-m", "trailprint", *map(str, command)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdout is not None
        child.stdout.close()
        assert child.wait(120) == 3
    assert (tmp_path / "a" / "report.html").exists()


def test_it_is_said_where_a_release_is_and_how_to_audit_it(
    messy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ("protect", messy, *COLUMNS, *ZONE, "--apply")
    assert program(*command, "top-locations:n=9", "--release", "r") == 0
    reported = capsys.readouterr().out
    assert "The release: r/events.parquet, with release.json beside it." in reported
    assert reported.endswith("trailprint audit r/events.parquet --out audit-of-release\n")
    averages = (*command, "microaggregate:k=3", "--release")
    assert program(*averages, "a/shares.csv", "--keys", "k.csv") == 0
    *_, asked = capsys.readouterr().out.splitlines()
    words = shlex.split(asked)
    assert words[:4] == ["trailprint", "audit", "a/shares.csv", str(messy)]
    assert words[-4:] == ["--truth", "k.csv", "--out", "audit-of-release"]
    assert program(*words[1:], *QUICK) == 0
    capsys.readouterr()
    assert program(*averages, "b") == 0
    reported = capsys.readouterr().out
    assert "write them again with --keys FILE" in reported
    assert "To audit it" not in reported
