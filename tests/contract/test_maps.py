"""Coordinates are shown only where locations may be named, and never of a few people."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trailprint.cli.main import main

SOUTH, WEST = -63.5, -157.5
DEGREES = re.compile(r"-63\.\d|-157\.\d")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Forty people of six common places, and a place of their own that only two share."""
    rng = np.random.default_rng(5)
    user = np.repeat(np.arange(40), 28)
    place = np.where(rng.random(len(user)) < 0.8, rng.integers(0, 6, len(user)), 6 + user // 2)
    day = np.tile(np.arange(28), 40)
    table = pa.table(
        {
            "user": user,
            "lat": SOUTH + 0.02 * (place % 5),
            "lon": WEST + 0.04 * (place // 5),
            "start": pa.array(np.datetime64("2024-01-01T09", "us") + day * np.timedelta64(1, "D")),
        }
    )
    path = tmp_path_factory.mktemp("positions") / "fixes.parquet"
    pq.write_table(table, path)
    return path


def audit(data: Path, out: Path, *flags: str) -> dict[str, str]:
    arguments = ["--attacks", "histogram", "--protect", "top-locations:n=3", "--threads", "1"]
    with pytest.raises(SystemExit) as end:
        main(["audit", str(data), "--out", str(out), *arguments, *flags])
    assert not end.value.code
    paths = [path for path in out.rglob("*") if path.is_file() and "work" not in path.parts]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def test_coordinates_are_shown_only_when_places_may_be_named(data, tmp_path, capsys):
    silent = audit(data, tmp_path / "a")
    assert not any(DEGREES.search(text) for text in silent.values())
    assert not DEGREES.search("".join(capsys.readouterr()))
    assert "map" not in json.loads(silent["result.json"])["why"]
    named = audit(data, tmp_path / "b", "--name-locations")
    shown = json.loads(named["result.json"])["why"]["map"]
    assert shown["cell_m"] == 1_000
    assert DEGREES.search(named["report.html"])
    assert "Where people are" in named["report.html"]
    assert len(shown["places"]) == len({(one["lat"], one["lon"]) for one in shown["places"]}) == 6
    assert all(one["people"] >= 10 for one in shown["places"])
    assert named["locations_on_map.csv"].count("\n") == 7
    for one in shown["places"]:
        assert abs(one["lat"] - SOUTH) < 0.12
        assert abs(one["lon"] - WEST) < 0.1
