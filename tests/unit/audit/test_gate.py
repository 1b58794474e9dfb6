"""The gate: above, at and below what is allowed, also where few people are linked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.presence import present

from trailprint.audit.gate import FailOn, GateOptions
from trailprint.audit.results.findings import Findings, Headline
from trailprint.errors import OptionError

HEADLINE = Headline(
    people=100,
    linked=20,
    share=0.2,
    interval=(0.13, 0.29),
    chance=0.01,
    times_chance=20.0,
    attack="histogram",
    attack_title="Histogram matching",
    assumption=None,
    protection=None,
    sentence="",
)
FEW = replace(HEADLINE, linked="<10", share=None, interval=None, at_most=0.09)


@pytest.mark.parametrize(
    ("headline", "above", "on", "is_too_high"),
    [
        (HEADLINE, None, "rate", False),
        (HEADLINE, 0.2, "rate", False),
        (HEADLINE, 0.19, "rate", True),
        (HEADLINE, 0.28, "rate", False),
        (HEADLINE, 0.28, "upper", True),
        (HEADLINE, 0.29, "upper", False),
        (FEW, 0.03, "rate", False),
        (FEW, 0.02, "rate", True),
        (FEW, 0.08, "upper", True),
        (FEW, 0.09, "upper", False),
    ],
)
def test_what_is_too_high(
    headline: Headline, above: float | None, on: FailOn, is_too_high: bool
) -> None:
    n_linked = 3 if headline is FEW else 20
    found = GateOptions(fail_above=above, fail_on=on).find_excess(headline, n_linked)
    assert (found is not None) == is_too_high
    if headline is FEW and found is not None:
        assert found.count("%") == 1  # The limit, and no figure of three people.


def test_a_limit_is_a_share() -> None:
    with pytest.raises(OptionError, match=r"from 0 to 1, got 5"):
        GateOptions(fail_above=5)
    with pytest.raises(OptionError, match="fail_on goes with fail_above"):
        GateOptions(fail_on="upper")


def test_an_attack_on_some_of_the_people_that_is_above_is_reported_but_does_not_count():
    path = Path(__file__).parents[2] / "examples" / "result.json"
    found = Findings.from_dict(json.loads(path.read_text(encoding="utf-8")))
    sequence = found.attacks[2]
    assert (sequence.people or 0) < present(found.data.common_users)
    low, high = (GateOptions(fail_above=limit) for limit in (0.01, 0.99))
    (reported,) = low.list_doubts(found)
    assert reported.startswith("Sequence correlation was tried on 300 of 1,054 people only")
    assert high.list_doubts(found) == GateOptions().list_doubts(found) == []
