"""An audit's folder: every file completely or not at all, and nothing stale beside it."""

import csv
import errno
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest

from trailprint.audit.results.findings import Findings
from trailprint.errors import OutputError
from trailprint.report import audit_files
from trailprint.report.audit_files import Outputs, write_outputs
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


def test_names_are_not_run_by_a_spreadsheet(result, tmp_path):
    result["why"]["locations"] = [
        {"label": label, "users": 20, "contribution": 0.1, "leave_one_out": -0.5}
        for label in ("=1+1", "@x", "plain = text")
    ]
    write_outputs(tmp_path, written_of(result))
    rows = read_csv(tmp_path / "tables/locations.csv")
    assert [row["label"] for row in rows] == ["'=1+1", "'@x", "plain = text"]
    assert rows[0]["leave_one_out"] == "-0.5"
