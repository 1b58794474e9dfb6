"""The risk an audit measured is taken over for what it tried, and for nothing else."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from trailprint.errors import OptionError
from trailprint.workflows.chain_reading import read_chain
from trailprint.workflows.release_risk import read_risk

POINTS = [
    {"name": "none", "written": "", "parameters": {}, "accuracy": 0.7, "chance": 0.01},
    {
        "name": "top-locations",
        "written": "top-locations:n=2",
        "parameters": {"n": 2},
        "accuracy": 0.4,
        "at_most": None,
        "interval": [0.3, 0.5],
        "chance": 0.01,
        "attack": "histogram",
        "loss": 0.2,
    },
    {"name": "top-locations", "parameters": {"n": 3}, "accuracy": None, "at_most": 0.09},
]


@pytest.fixture
def audit(tmp_path) -> Path:
    result = {"protections": {"points": POINTS}, "versions": {"trailprint": "9.9"}}
    (tmp_path / "result.json").write_text(json.dumps(result), encoding="utf-8")
    manifest = {"inputs": [{"sha256": "abc"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return tmp_path


def test_rates_and_what_they_come_from_are_reported(audit, engine):
    reported = read_risk(audit, read_chain("top-locations:n=2", engine), engine, "abc")
    assert reported == {
        "accuracy": 0.4,
        "interval": [0.3, 0.5],
        "chance": 0.01,
        "attack": "histogram",
        "audit_sha256": hashlib.sha256((audit / "result.json").read_bytes()).hexdigest(),
        "audit_version": "9.9",
    }


def test_a_point_of_an_older_result_is_known_by_its_parameters(audit, engine):
    reported = read_risk(audit, read_chain("top-locations:n=3", engine), engine)
    assert reported["at_most"] == 0.09
    assert "accuracy" not in reported


def test_what_was_not_tried_has_no_risk(audit, engine):
    with pytest.raises(OptionError, match="must have tried what is applied"):
        read_risk(audit, read_chain("top-locations:n=4", engine), engine)


def test_an_audit_of_other_data_is_refused(audit, engine):
    with pytest.raises(OptionError, match="it is of other data"):
        read_risk(audit, read_chain("top-locations:n=2", engine), engine, "def")


@pytest.mark.parametrize("content", [None, "", "[]", '{"protections": 3}'])
def test_a_folder_without_a_result_is_refused(tmp_path, engine, content):
    if content is not None:
        (tmp_path / "result.json").write_text(content, encoding="utf-8")
    with pytest.raises(OptionError, match="no result of one in it"):
        read_risk(tmp_path, read_chain("top-locations:n=2", engine), engine)


def test_an_audit_without_a_manifest_is_of_unknown_data(audit, engine):
    (audit / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(OptionError, match="it is of other data"):
        read_risk(audit, read_chain("top-locations:n=2", engine), engine, "abc")
