"""The sentences of an audit: numbers as people write them, and no count of a few."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from trailprint.audit.results.attacks import AttackFinding
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.protections import NONE, HeadlineProtection, ProtectionPoint
from trailprint.audit.wording import (
    duration,
    headline_sentence,
    lower_first,
    protection_sentence,
    share_or_most,
    target_sentence,
)

EXAMPLE = Path(__file__).parents[2] / "examples" / "result.json"


@pytest.fixture(scope="module")
def found() -> Findings:
    return Findings.from_dict(json.loads(EXAMPLE.read_text()))


@pytest.fixture
def attack(found: Findings) -> AttackFinding:
    return found.attacks[0]


def test_the_headline_compares_with_chance(attack):
    assert headline_sentence(attack) == (
        "488 of 1,054 people (46.3 %) could be linked to their own record by histogram matching; "
        "by chance it would be 0.1 %."
    )


def test_an_abbreviation_in_a_title_stays_one(attack):
    renamed = replace(attack, title="GPS trail matching")
    assert "to their own record by GPS trail matching;" in headline_sentence(renamed)


def test_luck_is_said_where_the_interval_holds_chance(attack):
    lucky = replace(attack, interval=(0.0005, 0.4), chance=0.001)
    assert headline_sentence(lucky).endswith(", so that luck may be all there is.")


def test_a_few_people_are_at_most_a_share(attack):
    few = replace(attack, correct="<10", accuracy=None, at_most=0.0085, interval=None)
    assert headline_sentence(few).startswith("Fewer than 10 of 1,054 people (at most 0.9 %)")
    pair = headline_sentence(replace(few, people=2, at_most=1.0))
    assert pair.startswith("2 people are too few to show how many could be linked")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "less than a second"),
        (1.2, "1 second"),
        (59.6, "60 seconds"),
        (600, "10 minutes"),
        (9000, "2.5 hours"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_what_a_protection_leaves_and_costs(found):
    protection = found.headline.protection
    assert isinstance(protection, HeadlineProtection)
    reported = protection_sentence(protection)
    assert "(averages of groups of 10) would leave 3.9 % and cost 71.0 %" in reported


def test_a_target_is_met_missed_or_not_needed(found):
    target = found.protections.target
    assert isinstance(target, ProtectionPoint)
    assert target_sentence(0.05, None, 1054, None).startswith(
        "Nothing that was tried leaves at most 5.0 % of the people linked."
    )
    met = target_sentence(0.05, replace(target, written="microaggregate:k=10"), 1054, None)
    assert met.startswith("Averages of groups of 10: of what was tried, the least loss with")
    assert "no protection is needed" in target_sentence(
        0.05, replace(target, name=NONE, written=""), 1054, None
    )


def test_titles_inside_sentences_and_shares():
    assert (lower_first("Averages"), lower_first("GPS noise")) == ("averages", "GPS noise")
    assert lower_first("REIDIT") == "REIDIT"
    assert share_or_most(None, 0.09) == "at most 9.0 %"
