"""The command a report proposes is what a shell understands."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from tests.presence import present

from trailprint.audit.release_command import propose_release, spell_release
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.protections import NONE

EXAMPLE = Path(__file__).parents[2] / "examples" / "result.json"


@pytest.fixture
def found() -> Findings:
    return Findings.from_dict(json.loads(EXAMPLE.read_text(encoding="utf-8")))


def test_every_step_of_a_chain_is_applied_in_its_order():
    spelt = spell_release("data.csv", "coarsen-grid:cell_m=500 then active-users:days=3")
    assert shlex.split(spelt) == [
        "trailprint",
        "protect",
        "data.csv",
        "--apply",
        "coarsen-grid:cell_m=500",
        "--apply",
        "active-users:days=3",
        "--release",
        "release",
    ]


def test_names_with_spaces_and_quotes_stay_one_word():
    spelt = spell_release("it's my data.csv", "none", ["--user-column", "who is it"])
    assert shlex.split(spelt)[2:5] == ["it's my data.csv", "--user-column", "who is it"]


def test_the_protection_of_the_headline_is_proposed(found):
    best = present(found.headline.protection)
    headline = replace(found.headline, protection=replace(best, written="top-locations:n=2"))
    proposed = propose_release(replace(found, headline=headline), "v.csv", ["--timezone", "UTC"])
    assert present(proposed) == spell_release("v.csv", "top-locations:n=2", ["--timezone", "UTC"])


def test_nothing_is_proposed_where_nothing_helps_or_cannot_be_typed(found):
    best = present(found.headline.protection)
    for protection in (None, replace(best, name=NONE, written="")):
        headline = replace(found.headline, protection=protection)
        assert propose_release(replace(found, headline=headline), "v.csv") is None


def test_what_is_made_of_a_release_goes_beside_it():
    spelt = spell_release("release/events.parquet", "top-locations:n=2")
    assert shlex.split(spelt)[-2:] == ["--release", "release-2"]
