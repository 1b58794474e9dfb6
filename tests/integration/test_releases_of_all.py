"""Whatever a protection releases is read by every command without options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from trailprint.protections.registry import PROTECTIONS
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.simulate.gps import GpsOptions, simulate_gps

pytestmark = pytest.mark.usefixtures("blank_charts")

#: Protections that need more than their defaults, so that people are left after them.
GIVEN = {
    "coarsen-regions": "coarsen-regions:mapping={folder}/regions.csv",
    "coarsen-names": "coarsen-names:levels=2",
    "period": "period:between=2024-03-04..2024-03-17",
    "microaggregate": "microaggregate:k=3",
    "noise": "noise:epsilon=50,max_events=50",
}
N_USERS = 16
#: Releases that are also audited: with cells, with rounded times, with places only, with averages.
AUDITED = ("coarsen-grid", "coarsen-time", "alike-trails", "microaggregate")
#: Time for the attack that is asked for, and for nothing else.
QUICK = ("--time-limit", "0.001s", "--json", "--attacks")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("data")
    campus = simulate_campus(CampusOptions(n_users=N_USERS, n_days=21, seed=3))
    pq.write_table(campus, folder / "campus.parquet")
    pq.write_table(simulate_gps(GpsOptions(n_users=8, seed=3)), folder / "gps.parquet")
    names = campus["location"].unique().to_pylist()
    rows = [f"{name},{name.split('.')[0]}" for name in names]
    (folder / "regions.csv").write_text("\n".join(["location,region", *rows]) + "\n")
    return folder


@pytest.fixture(params=PROTECTIONS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def data(run: Callable[..., Any], folder: Path, tmp_path: Path, name: str) -> Path:
    """What a protection releases; the key file is beside it."""
    source = folder / ("gps.parquet" if name == "coarsen-grid" else "campus.parquet")
    chain = GIVEN.get(name, name).format(folder=folder)
    out = ("--release", tmp_path / "release", "--keys", tmp_path / "keys.csv")
    assert run("protect", source, "--apply", chain, *out).code == 0
    return tmp_path / "release" / "events.parquet"


def test_what_a_protection_releases_is_read_by_every_command(
    run: Callable[..., Any], data: Path, name: str, folder: Path, tmp_path: Path
) -> None:
    people = run("inspect", data, "--json").json["users"]
    assert 0 < people <= N_USERS
    assert run("points", data, "--draws", 1, "--no-grid", "--json").json["people"] == people
    # Averages and noisy counts have no two periods: they are linked to what an adversary knows.
    other = (folder / "campus.parquet", "--truth", tmp_path / "keys.csv")
    sides = other if PROTECTIONS[name].applies_to == "histograms" else ("--at", "median")
    assert run("match", data, *sides, "--json").json["common_users"] > 0
    assert run("trails", data, *sides, "--json").json["common"] > 0
    if name in AUDITED:
        again = () if sides[0] == "--at" else other
        for attack in ("histogram", "trail"):
            audit = ("audit", data, *again, "--out", tmp_path / attack, *QUICK, attack)
            ran = [one["name"] for one in run(*audit).json["attacks"] if one["ran"]]
            assert ran == [attack]


def test_averages_alone_are_not_audited_and_that_says_what_to_do(
    run: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    chain = ("--apply", "microaggregate:k=3", "--release", tmp_path / "release")
    assert run("protect", folder / "campus.parquet", *chain).code == 0
    done = run("audit", tmp_path / "release" / "events.parquet", "--out", tmp_path / "audit")
    assert done.code == 2
    assert "Give what an adversary may have as a second dataset, with --truth" in done.err
    assert "trailprint points" in done.err
