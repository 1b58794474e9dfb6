"""Whatever a command writes as data is read again as what it is."""

from __future__ import annotations

import json
from collections.abc import Set
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from tests.presence import present

import trailprint as tp
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.events.write import write_events, write_table
from trailprint.features.histograms import Histograms, build_histograms
from trailprint.protections.loss import with_locations
from trailprint.protections.registry import PROTECTIONS
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.simulate.gps import GpsOptions, simulate_gps

#: Protections that need more than their defaults.
GIVEN = {
    "coarsen-regions": "coarsen-regions:mapping={regions}",
    "coarsen-names": "coarsen-names:levels=2",
    "period": "period:between=2024-03-04..2024-03-10",
    "microaggregate": "microaggregate:k=3",
    "noise": "noise:epsilon=50,max_events=50",
}
ENDINGS = (".csv", ".tsv", ".csv.gz", ".parquet")


@pytest.fixture(scope="module")
def campus(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("campus") / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=25, n_days=14, seed=3)), path)
    return path


@pytest.fixture(scope="module")
def regions(campus: Path) -> Path:
    names = pq.read_table(campus)["location"].unique().to_pylist()
    path = campus.parent / "regions.csv"
    rows = [f"{name},{name.split('.')[0]}" for name in names]
    path.write_text("\n".join(["location,region", *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def positions(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("gps") / "gps.parquet"
    pq.write_table(simulate_gps(GpsOptions(n_users=8, seed=3)).slice(0, 4000), path)
    return path


def _assert_same(ours: Histograms, again: Histograms) -> None:
    assert again.users.equals(ours.users)
    assert again.locations.equals(ours.locations)
    ours_, again_ = ours.probabilities(), again.probabilities()
    np.testing.assert_array_equal(again_.indices, ours_.indices)
    np.testing.assert_allclose(again_.data, ours_.data, rtol=1e-12)


def _links(released: Histograms, auxiliary: Histograms) -> list[tuple[Any, ...]]:
    known = {name: place for place, name in enumerate(auxiliary.locations.to_pylist())}
    columns = [known.get(name, -1) for name in released.locations.to_pylist()]
    assert -1 not in columns
    matrix = released.matrix.tocoo()
    moved = type(matrix)(
        (matrix.data, (matrix.row, np.array(columns)[matrix.col])),
        shape=(released.n_users, len(known)),
    )
    placed = Histograms(matrix=moved.tocsr(), users=released.users, locations=auxiliary.locations)
    found = match_histograms(placed, auxiliary, MatchOptions(seed=1), n_threads=1)
    return sorted(zip(found.released.tolist(), found.auxiliary.tolist(), strict=True))


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("name", PROTECTIONS)
def test_every_protection_is_read_again(name, ending, campus, regions, positions, tmp_path) -> None:
    source = tp.read(positions if name == "coarsen-grid" else campus)
    result = tp.protect(source, [GIVEN.get(name, name).format(regions=regions)], seed=5)
    path = tmp_path / f"protected{ending}"
    table, ours = result.histograms(), result.protected.histograms
    columns: Set[str] = {"user", "location", "weight"}
    if table is not None:
        write_table(table, path, source.engine)
    else:
        events = present(result.events)
        write_events([(events, path)])
        ours, columns = build_histograms(with_locations(events)), events.columns
    again = tp.read(path)
    _assert_same(present(ours), build_histograms(with_locations(again)))
    assert again.columns == columns


@pytest.mark.parametrize("ending", [*ENDINGS, ".jsonl"])
@pytest.mark.parametrize("protection", ["microaggregate:k=3", "noise:epsilon=50,max_events=50"])
def test_a_protected_file_matches_like_its_histograms(
    run, campus, tmp_path, ending, protection
) -> None:
    sides = tp.split(tp.read(campus), tp.SplitOptions(at="median", active_both=True))
    write_events([(sides.released, tmp_path / "r.csv"), (sides.auxiliary, tmp_path / "a.csv")])
    out = tmp_path / ("protected.csv" if ending == ".jsonl" else f"protected{ending}")
    command = ("protect", tmp_path / "r.csv", "--apply", protection, "--out", out, "--seed", 5)
    assert run(*command, "--json").code == 0
    if ending == ".jsonl":
        out = _as_json_lines(out, tmp_path / "protected.jsonl")
    in_memory = present(tp.protect(sides.released, [protection], seed=5).protected.histograms)
    known = build_histograms(sides.auxiliary)
    found = run(
        "match", out, tmp_path / "a.csv", "--links", tmp_path / "l.csv", "--json", "--seed", 1
    )
    assert found.code == 0, found.err
    right = _links(in_memory, known)
    n_right = sum(in_memory.users[i].as_py() == known.users[j].as_py() for i, j in right)
    assert found.json["correct"] == n_right
    assert found.json["matched"] == len(right)


def _as_json_lines(source: Path, target: Path) -> Path:
    header, *lines = source.read_text().splitlines()
    rows = [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]
    target.write_text("".join(json.dumps({**r, "share": float(r["share"])}) + "\n" for r in rows))
    return target


def test_shares_are_said_to_be_shares(run, write) -> None:
    path = write("m.csv", "user,location,share\na,x,0.25\na,y,0.75\nb,x,1\n")
    found = run("inspect", path, "--json").json
    assert "weight" in found["columns"]
    assert any("shares" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("user,location,share,count", 3.0),
        ("user,location,share,start", None),
        ("user,location,Share", 0.5),
    ],
)
def test_a_share_is_a_weight_only_in_a_histogram(write, header, expected) -> None:
    cells = {"user": "a", "location": "x", "count": "3", "start": "2024-05-01", "share": "0.5"}
    path = write("f.csv", f"{header}\n" + ",".join(cells[n.casefold()] for n in header.split(",")))
    events = tp.read(path)
    if expected is None:
        assert "weight" not in events.columns
    else:
        assert events.engine.row(f"SELECT weight FROM ({events.query})") == (expected,)


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_of_a_split_are_read_again(run, campus, tmp_path, rows_of, ending) -> None:
    paths = [tmp_path / f"{side}{ending}" for side in ("released", "auxiliary")]
    command = ("split", campus, "--at", "median", "--released", paths[0], "--auxiliary", paths[1])
    assert run(*command).code == 0
    sides = tp.split(tp.read(campus), tp.SplitOptions(at="median"))
    assert rows_of(tp.read(paths[0])) == rows_of(sides.released)
    assert rows_of(tp.read(paths[1])) == rows_of(sides.auxiliary)


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.parametrize("kind", ["calls", "campus", "gps", "households", "web", "weekday-campus"])
def test_simulated_people_are_read_again(run, tmp_path, kind, ending, rows_of) -> None:
    paths = [tmp_path / f"people{end}" for end in (ending, ".parquet")]
    for path in dict.fromkeys(paths):
        assert run("simulate", kind, "--users", 4, "--out", path, "--seed", 2).code == 0
    written, original = (tp.read(path) for path in paths)
    place = "lat" if kind == "gps" else "location"
    as_text = f'SELECT "user"::VARCHAR, {place}::VARCHAR, "start" FROM '
    ours, theirs = (sorted(e.engine.rows(f"{as_text} ({e.query})")) for e in (written, original))
    assert ours == theirs
    assert written.columns == original.columns
    assert not written.notes


def test_links_are_read_again_as_a_truth(run, campus, tmp_path) -> None:
    """With an attack's own links as the truth, that attack is perfect."""
    sides = tp.split(tp.read(campus), tp.SplitOptions(at="median", active_both=True))
    paths = [tmp_path / "r.csv", tmp_path / "a.csv"]
    write_events([(sides.released, paths[0]), (sides.auxiliary, paths[1])])
    for ending in ENDINGS:
        links = tmp_path / f"links{ending}"
        assert run("match", *paths, "--links", links).code == 0
        found = run("match", *paths, "--truth", links, "--json")
        assert found.json["truth"] == "file"
        assert found.json["accuracy"] == 1.0


def test_households_of_a_simulation_are_read_again(run, tmp_path) -> None:
    path = tmp_path / "homes.csv"
    assert run("simulate", "households", "--users", 12, "--out", path).code == 0
    found = run("trails", path, path, "--households", path, "--json")
    assert found.code == 0, found.err
    people = pacsv.read_csv(path)
    assert found.json["released"] == len(people["household"].unique())
    assert found.json["auxiliary"] == len(people["user"].unique())
