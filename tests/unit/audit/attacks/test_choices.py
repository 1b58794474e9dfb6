"""What an attack chose is kept as plain values and read with its types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trailprint.attacks.trail_facts import TrailVariant
from trailprint.attacks.view_weights import ViewWeights
from trailprint.audit.attacks.choices import (
    CombinedChoice,
    HistogramChoice,
    NoChoice,
    SequenceChoice,
    choice_of,
)
from trailprint.audit.attacks.registry import attack_names, find_attack
from trailprint.audit.parts import Outcome
from trailprint.audit.results.attacks import MeasuredAttack
from trailprint.audit.results.kept import KeptAttack
from trailprint.plain import ShapeError, to_plain

ENTRY = MeasuredAttack(
    name="histogram",
    people=3,
    matched=2,
    correct=2,
    accuracy=None,
    interval=None,
    chance=None,
    precision=None,
    variant="",
    baseline=None,
    ranks=None,
)
WEIGHTS = ViewWeights(shares={"places": 0.75, "hours": 0.25}, source="learnt", n_people=9)
CHOICES: list[tuple[object, dict[str, Any]]] = [
    (HistogramChoice(method="one-by-one"), {"method": "one-by-one"}),
    (
        CombinedChoice(method="joint", weights=WEIGHTS),
        {
            "method": "joint",
            "weights": {
                "shares": {"places": 0.75, "hours": 0.25},
                "source": "learnt",
                "note": "",
                "n_people": 9,
            },
        },
    ),
    (SequenceChoice(model="markov"), {"model": "markov"}),
    (
        TrailVariant(algorithm="likely", reserved="both"),
        {"algorithm": "likely", "reserved": "both"},
    ),
]


def keep(chosen: object) -> Outcome:
    kept = KeptAttack(entry=ENTRY, chosen=to_plain(chosen))
    return Outcome(data=json.loads(json.dumps(to_plain(kept))))


@pytest.mark.parametrize(("choice", "plain"), CHOICES)
def test_a_choice_is_read_as_it_was_kept(choice, plain):
    outcome = keep(choice)
    assert outcome.data["chosen"] == plain
    assert choice_of(outcome, type(choice)) == choice


def test_every_family_has_a_choice_of_its_own():
    kinds = [find_attack(name).choice for name in attack_names()]
    assert set(kinds) == {type(choice) for choice, _ in CHOICES}
    assert choice_of(keep(NoChoice()), NoChoice) == NoChoice()


@pytest.mark.parametrize("plain", [{}, {"method": "by guess"}, {"method": None}, {"model": "crf"}])
def test_another_choice_is_refused(plain):
    with pytest.raises(ShapeError):
        choice_of(keep(plain), HistogramChoice)
