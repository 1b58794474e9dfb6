"""An audit's folder: every file completely or not at all, and nothing stale beside it."""

import csv
import errno
import hashlib
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest

from trailprint.audit.results.findings import Findings
from trailprint.errors import OptionError, OutputError
from trailprint.report import audit_files
from trailprint.report.audit_files import (
    Outputs,
    check_folder,
    describe_source,
    open_folder,
    write_outputs,
)
from trailprint.report.audit_tables import TABLES


@pytest.fixture
def result(result):
    """A result whose tables are small, and some of them empty."""
    result["attacks"][0]["baseline"]["title"] = "One, by one"
    result["attacks"][0]["interval"] = [0.3, 0.7]
    for attack in result["attacks"]:
        attack["ranks"] = None
    result["attacks"][0]["ranks"] = {"median": 1, "curve": [{"k": 1, "share": 0.5}]}
    result["protections"]["points"][0]["parameters"] = {"k": 5, "norm": "l1"}
    result["agreement"] = []
    result["growth"] |= dict.fromkeys(("time", "resolution", "knowledge"))
    result["growth"]["users"]["fit"] = None
    return Findings.from_dict(result).to_dict()


def written_of(result, **more):
    return Outputs(findings=Findings.from_dict(result), **more)


@pytest.fixture(autouse=True)
def page(monkeypatch):
    monkeypatch.setattr(audit_files, "render_report", lambda result, about: "<!doctype html>")


def read_csv(path):
    return list(csv.DictReader(io.StringIO(Path(path).read_text())))


def test_what_is_written(result, tmp_path):
    write_outputs(tmp_path / "new" / "out", written_of(result))
    out = tmp_path / "new" / "out"
    assert json.loads((out / "result.json").read_text()) == result
    assert (out / "report.html").read_text() == "<!doctype html>"
    names = {path.stem for path in (out / "tables").iterdir()}
    assert names == set(TABLES) - {
        "agreement",
        "growth_users_extrapolation",
        "locations_on_map",
        "growth_time",
        "growth_resolution",
        "growth_knowledge",
        "views",
    }
    assert read_csv(out / "tables/attacks.csv")[0]["low"] == "0.3"
    assert read_csv(out / "tables/attacks.csv")[0]["baseline"] == "One, by one"
    assert read_csv(out / "tables/protections.csv")[0]["parameters"] == "k=5,norm=l1"
    assert read_csv(out / "tables/ranks.csv") == [{"attack": "histogram", "k": "1", "share": "0.5"}]


def test_what_an_earlier_audit_left_is_removed(result, tmp_path):
    people = pa.table({"user": ["a"], "risk": [0.5]})
    write_outputs(tmp_path, written_of(result, per_user=people))
    assert (tmp_path / "per_user.parquet").stat().st_mode & 0o777 == 0o600
    (tmp_path / "own.txt").write_text("mine")
    result["controls"] = []
    write_outputs(tmp_path, written_of(result))
    assert not (tmp_path / "per_user.parquet").exists()
    assert not (tmp_path / "tables/controls.csv").exists()
    assert (tmp_path / "own.txt").read_text() == "mine"


def test_a_full_disk_leaves_what_was_there(result, tmp_path, monkeypatch):
    write_outputs(tmp_path, written_of(result))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    real = Path.write_text

    def fail(self, text, **options):
        if "trailprint.manifest" in text:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, text, **options)

    monkeypatch.setattr(Path, "write_text", fail)
    result["seed"] = 5
    with pytest.raises(OutputError, match="could not be written: the disk is full"):
        write_outputs(tmp_path, written_of(result))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_folder_below_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="must be one that can be written to: Not a directory"):
        open_folder(tmp_path / "file" / "out")


def test_a_check_leaves_no_folder_behind(tmp_path):
    (tmp_path / "old" / "tables").mkdir(parents=True)
    check_folder(tmp_path / "new" / "out")
    check_folder(tmp_path / "old")
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="must be one that can be written to"):
        check_folder(tmp_path / "file" / "out")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "old", "tables"]


def test_names_are_not_run_by_a_spreadsheet(result, tmp_path):
    result["why"]["locations"] = [
        {"label": label, "users": 20, "contribution": 0.1, "leave_one_out": -0.5}
        for label in ("=1+1", "@x", "plain = text")
    ]
    write_outputs(tmp_path, written_of(result))
    rows = read_csv(tmp_path / "tables/locations.csv")
    assert [row["label"] for row in rows] == ["'=1+1", "'@x", "plain = text"]
    assert rows[0]["leave_one_out"] == "-0.5"


def test_an_audit_does_not_write_into_the_folder_it_reads(tmp_path):
    for folder in (tmp_path, tmp_path / "out"):
        with pytest.raises(OptionError, match="must be outside the folder the data is read from"):
            open_folder(folder, sources=[str(tmp_path)])
    assert not (tmp_path / "out").exists()
    other = tmp_path / "data"
    other.mkdir()
    assert open_folder(tmp_path / "out", sources=[str(other), "file.csv"]).is_dir()


def test_a_source_of_one_file_has_its_own_hash(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"user,location\na,b\n")
    found = describe_source(str(path))
    assert (found.name, found.files, found.bytes) == ("data.csv", 1, 18)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_folder_is_hashed_file_by_file_without_names(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for name in ("SECRETa.csv", "SECRETb.csv"):
        (folder / name).write_text(f"user,location\n{name},b\n")
    found = describe_source(f"{folder}/")
    assert (found.name, found.files) == ("many", 2)
    (folder / "SECRETb.csv").write_text("user,location\nc,b\n")
    assert describe_source(str(folder)).sha256 != found.sha256
