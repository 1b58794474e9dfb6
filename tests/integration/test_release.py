"""From a messy file to a release, an audit of it, a comparison and a gate."""

from __future__ import annotations

import csv
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import trailprint as tp
from trailprint.cli.main import main
from trailprint.errors import OptionError

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


def test_keys_are_for_their_owner_and_never_written_over(released: Path, messy: Path) -> None:
    keys = released.parent / "keys.csv"
    assert stat.S_IMODE(os.stat(keys).st_mode) == 0o600
    result = tp.protect(tp.read(messy, NAMES), "top-locations:n=9")
    with pytest.raises(OptionError, match="must name a new file"):
        result.release(released.parent / "again", keys=str(keys))
    assert not (released.parent / "again").exists()


def test_the_description_says_what_was_done_and_no_value(released: Path) -> None:
    text = (released / "release.json").read_text()
    told = json.loads(text)
    assert [step["name"] for step in told["applied"]] == ["coarsen-names", "coarsen-time"]
    assert told["times"] == "Europe/Zurich"
    assert told["data"]["people"] == N_USERS
    assert 0 <= told["loss"]["information_loss"] <= 1
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


def test_the_whole_loop(messy: Path, released: Path, tmp_path: Path) -> None:
    assert program("inspect", messy, *COLUMNS, "--json") == 0
    quick = ("--attacks", "histogram", "--protect", "top-locations:n=3")
    before, after = tmp_path / "before", tmp_path / "after"
    gated = ("--fail-above", "0.05")
    assert program("audit", messy, *COLUMNS, *ZONE, *quick, "--out", before, *gated) == 3
    assert (before / "report.html").exists()
    assert program("audit", released / "events.parquet", *quick, "--out", after) == 0
    keys = released.parent / "keys.csv"
    for more in ((), ("--keys", keys)):
        assert program("compare", before, after, "--out", tmp_path / "c", *more) == 0
        found = json.loads((tmp_path / "c" / "comparison.json").read_text())
        (versus,) = found["versus"]
        assert (versus["why_unpaired"] is None) == bool(more)
    assert versus["families"][0]["pairs"]["people"] == N_USERS
    told = json.loads((released / "release.json").read_text())
    losses = [audit["release_loss"] for audit in found["audits"]]
    assert losses == [None, told["loss"]["information_loss"]]
    texts = [path.read_text() for path in (tmp_path / "c").rglob("*.*") if path.is_file()]
    assert not any(USERS.search(text) for text in texts)
    high = ("--fail-above", "1", "--fail-on", "upper")
    assert program("audit", released / "events.parquet", *quick, "--out", after, *high) == 0
