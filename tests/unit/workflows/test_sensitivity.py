"""Trails matched again with fewer locations or names; the command and Python give the same."""

from __future__ import annotations

from typing import Any, cast

import pytest

import trailprint as tp
from trailprint.errors import OptionError
from trailprint.options import SensitivityOptions
from trailprint.workflows import to_households
from trailprint.workflows.sensitivity import study_sensitivity

VISITS = {
    "user": ["a", "a", "b", "b", "c", "c", "d"],
    "location": ["x", "y", "y", "z", "x", "z", "x"],
}


@pytest.fixture(scope="module")
def result():
    return tp.trails(VISITS, VISITS)


def test_each_location_is_left_out_once(result):
    found = study_sensitivity(result, SensitivityOptions(sensitivity="locations"))
    table = found.table("sensitivity").to_arrow()
    assert table["location"].to_pylist() == ["#1", "#2", "#3"]
    assert found.zipf is None
    named = SensitivityOptions(sensitivity="locations", name_locations=True)
    rows = study_sensitivity(result, named).to_dict()["sensitivity"]
    assert sorted(row["location"] for row in rows) == ["x", "y", "z"]


def test_popularity_fits_a_law_too(result):
    found = study_sensitivity(result, SensitivityOptions(sensitivity="popularity")).to_dict()
    assert {row["order"] for row in found["sensitivity"]} == {"least-visited", "most-visited"}
    assert found["zipf"]["n_locations"] == 3


def test_withholding_depends_on_the_seed_only(result):
    options = SensitivityOptions(sensitivity="withholding", withhold=(0.5,), n_runs=5)
    first = study_sensitivity(result, options, seed=1)
    assert first.rows == study_sensitivity(result, options, seed=1, n_threads=1).rows
    assert first.rows != study_sensitivity(result, options, seed=2).rows


def test_what_is_varied_must_be_named(result):
    with pytest.raises(OptionError, match=r"^sensitivity must be one of locations, popularity"):
        study_sensitivity(result, SensitivityOptions())
    with pytest.raises(OptionError, match=r"^result must be TrailResult, got dict instead"):
        study_sensitivity(cast(Any, VISITS), SensitivityOptions(sensitivity="locations"))


def test_households_are_a_path_or_a_table(tmp_path):
    (tmp_path / "homes.csv").write_text("user,household\na,h\nb,h\n")
    given = {"user": ["a", "b"], "household": ["h", "h"]}
    for homes in (given, tmp_path / "homes.csv"):
        households, members = to_households(VISITS, homes)
        assert tp.inspect(households).users == 3
        assert members.num_rows == 4
    with pytest.raises(OptionError, match=r"^households must be a path or a table with columns"):
        to_households(VISITS, 3)
