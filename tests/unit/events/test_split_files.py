"""Both sides of a split as tables and files; what is read back is the same."""

from __future__ import annotations

import stat

import pandas as pd
import pyarrow.parquet as pq
import pytest

import trailprint as tp
from trailprint.errors import OptionError, OutputError

ROWS = [(f"u{n % 3}", f"l{n % 4}", f"2024-03-{n + 1:02} 08:00", n + 1) for n in range(20)]
NAMES = ["user", "location", "start", "count"]
ZONE = tp.ReadOptions(timezone="Europe/Zurich")


@pytest.fixture(scope="module")
def sides():
    events = tp.read(pd.DataFrame(ROWS, columns=NAMES), ZONE)
    return tp.split(events, tp.SplitOptions(at="2024-03-11"))


@pytest.mark.parametrize("to", ["to_arrow", "to_pandas", "to_polars"])
def test_events_as_a_table_are_read_again_as_the_same(sides, to):
    again = tp.read(getattr(sides.released, to)(), ZONE)
    rows = 'SELECT "user", location, "start", weight FROM ({}) ORDER BY ALL'
    first, second = (side.engine.rows(rows.format(side.query)) for side in (sides.released, again))
    assert first == second
    assert len(first) == 10


def test_saving_writes_what_the_command_writes(sides, tmp_path, run):
    pd.DataFrame(ROWS, columns=NAMES).to_csv(tmp_path / "v.csv", index=False)
    files = [tmp_path / name for name in ("r.parquet", "a.parquet")]
    cut = ("--at", "2024-03-11", "--timezone", ZONE.timezone)
    run("split", tmp_path / "v.csv", *cut, "--released", files[0], "--auxiliary", files[1])
    written = sides.save(tmp_path / "out")
    assert [path.name for path in written] == ["released.parquet", "auxiliary.parquet"]
    for mine, its in zip(written, files, strict=True):
        own, other = (pq.read_table(path).sort_by("start").to_pylist() for path in (mine, its))
        assert own == other
        assert stat.S_IMODE(mine.stat().st_mode) == 0o600


def test_one_side_can_be_saved_alone(sides, tmp_path):
    (path,) = sides.save(tmp_path, private="auxiliary")
    assert [path] == list(tmp_path.iterdir())
    with pytest.raises(OptionError, match=r"A table must be one of released, auxiliary"):
        sides.save(tmp_path, private="links")


def test_a_side_that_cannot_be_written_leaves_nothing(sides, tmp_path):
    (tmp_path / "auxiliary.parquet").mkdir()
    with pytest.raises(OutputError):
        sides.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["auxiliary.parquet"]


def test_what_a_split_shows_are_counts(sides):
    assert sides.to_dict()["released"] == {"events": 10, "users": 3}
    assert "u1" not in repr(sides) + sides._repr_html_()
