"""Names of folders add columns that files lack, and never replace one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import trailprint as tp
from trailprint.events.reading.partitions import find_partitions, fixed_part
from trailprint.events.reading.side_files import read_truth

Rows = list[dict[str, str]]


def _csv(path: Path, rows: Rows) -> None:
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.with_suffix(".csv").write_text("\n".join(lines) + "\n")


def _json(path: Path, rows: Rows) -> None:
    path.with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _parquet(path: Path, rows: Rows) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))


FORMATS: dict[str, Callable[[Path, Rows], None]] = {
    "csv": _csv,
    "jsonl": _json,
    "parquet": _parquet,
}
WHOLE = [{"user": f"u{i % 3}", "location": f"p{i}"} for i in range(6)]


@pytest.fixture(params=FORMATS)
def put(request, tmp_path: Path):
    """Write a file of one format below a folder; the folder and the file."""

    def put(folder: str, rows: Rows, name: str = "part") -> tuple[Path, Path]:
        place = tmp_path / "data" / folder
        place.mkdir(parents=True, exist_ok=True)
        FORMATS[request.param](place / name, rows)
        return tmp_path / "data", place / f"{name}.{request.param}"

    return put


@pytest.mark.parametrize("folder", ["location=Zurich", "user=x", "LOCATION=Zurich/user=x"])
def test_a_files_own_column_stays(put, rows_of, folder) -> None:
    root, path = put(folder, WHOLE)
    expected = sorted((row["user"], row["location"]) for row in WHOLE)
    for source in (path, root, root / "*" / "**" / path.name, path.parent):
        events = tp.read(source)
        assert rows_of(events, "user", "location") == expected
        assert not any("folders" in note for note in events.notes)


def test_a_key_adds_a_column_that_files_lack(put, rows_of) -> None:
    for place in ("Zurich", "Bern%20West"):
        root, path = put(f"location={place}", [{"user": "a"}, {"user": "b"}])
    expected = [(user, place) for user in "ab" for place in ("Bern West", "Zurich")]
    for source in (root, root / "*" / path.name, root / "location=*" / path.name):
        events = tp.read(source)
        assert rows_of(events, "user", "location") == expected
        (note,) = [note for note in events.notes if "folders" in note]
        assert note.endswith(": location.")
        assert "Zurich" not in note


def test_users_and_times_may_come_from_folders(put, rows_of) -> None:
    root, _ = put("user=a/start=2024-05-01", [{"location": "x"}])
    put("user=b/start=2024-05-02", [{"location": "y"}])
    found = rows_of(tp.read(root), "user", "location", "start")
    assert [(user, place, start.day) for user, place, start in found] == [
        ("a", "x", 1),
        ("b", "y", 2),
    ]


def test_a_key_is_not_taken_where_some_files_have_the_column(put) -> None:
    """A gap in a file is a gap, not a place for the folder's name."""
    root, _ = put("location=Zurich", [{"user": "a", "location": "x"}], "one")
    put("location=Bern", [{"user": "b"}], "two")
    events = tp.read(root, tp.ReadOptions(allow_bad_rows=True))
    assert events.tally.bad == {"missing location": 1}


def test_a_named_file_or_folder_says_nothing_by_its_name(put) -> None:
    _, path = put("location=Zurich", [{"user": "a"}])
    for source in (path, path.parent):
        with pytest.raises(tp.TrailprintError, match="must have a column for the location"):
            tp.read(source)


def test_a_missing_value_of_a_partition_is_counted(put) -> None:
    root, _ = put("location=__HIVE_DEFAULT_PARTITION__", [{"user": "a"}])
    put("location=x", [{"user": "a"}, {"user": "b"}])
    events = tp.read(root, tp.ReadOptions(allow_bad_rows=True))
    assert events.tally.bad == {"missing location": 1}
    assert events.count() == 2


def test_a_truth_in_a_partition_keeps_its_columns(tmp_path, engine) -> None:
    folder = tmp_path / "released=x"
    folder.mkdir()
    pq.write_table(pa.table({"released": ["a"], "auxiliary": ["b"]}), folder / "truth.parquet")
    assert read_truth(engine, folder / "truth.parquet").to_pylist() == [
        {"released": "a", "auxiliary": "b"}
    ]


def test_keys_must_stand_in_every_path() -> None:
    paths = ["r/a=1/b=2/f.csv", "r/a=3/f.csv"]
    assert find_partitions(paths, "r").keys == ("a",)
    assert find_partitions(["r/x/f.csv"], "r").keys == ()
    assert find_partitions(["a=1/f=2.csv"], "a=1").keys == ()


@pytest.mark.parametrize(
    ("pattern", "folder"), [("a/b*/c", "a"), ("/a=1/*.csv", "/a=1"), ("*.csv", "")]
)
def test_the_fixed_part_of_a_pattern(pattern, folder) -> None:
    assert fixed_part(pattern) == folder


def test_temporary_folders_may_be_called_anything(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "location=Zurich" / "[x]"
    folder.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    table = pa.table({"user": ["a", "b"], "location": ["p", "q"]})
    first, second = (tp.read(table, engine=tp.Engine(threads=1)) for _ in range(2))
    assert tp.match(first, second).to_dict()["accuracy"] == 1.0
