"""Results to draw: a full one, and one where next to nothing was measured."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "result.json"


@pytest.fixture
def result() -> dict[str, Any]:
    """A result of every attack, study and protection."""
    example: dict[str, Any] = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    return example


@pytest.fixture
def sparse(result: dict[str, Any]) -> dict[str, Any]:
    """Only histogram matching ran, and nothing beside it."""
    sparse = deepcopy(result)
    for attack in sparse["attacks"][1:]:
        attack |= {"ran": False, "why_not": "The data has no times"}
        attack |= dict.fromkeys(("matched", "correct", "accuracy", "interval", "chance"))
    sparse["attacks"][0] |= {"baseline": None, "ranks": None, "coverage": [], "notes": []}
    sparse["worst_case"]["by_attacks"] = []
    sparse["headline"]["protection"] = None
    sparse |= {"agreement": [], "controls": [], "why": None, "per_user": None}
    sparse["points"] |= {
        "ran": False,
        "why_not": "It was not requested (--attacks).",
        "sentence": "",
    }
    sparse["growth"] = dict.fromkeys(("users", "time", "resolution", "knowledge"))
    sparse["growth"]["left_out"] = [{"study": "time", "why": "The time limit was reached"}]
    sparse["protections"] |= {"points": [], "target": None, "target_reading": None}
    sparse["protections"]["left_out"] = []
    return sparse


@pytest.fixture
def unscored(sparse: dict[str, Any]) -> dict[str, Any]:
    """Links were made, but nobody knows who is who."""
    unknown = ("accuracy", "interval", "chance", "precision", "correct")
    sparse["attacks"][0] |= dict.fromkeys(unknown)
    sparse["headline"] |= dict.fromkeys(("share", "interval", "chance", "times_chance", "linked"))
    sparse["worst_case"] |= dict.fromkeys(("share", "interval", "linked"))
    sparse["data"]["truth"] = "none"
    return sparse
