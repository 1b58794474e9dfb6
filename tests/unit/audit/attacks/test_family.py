"""What a family of attacks is before it has run, and what one that says nothing more does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from trailprint.audit.attacks.family import AttackFamily, Repeated
from trailprint.audit.attacks.registry import family_names, find_family
from trailprint.audit.parts import Outcome


class Toy(AttackFamily):
    """A family with nothing but what every family must have."""

    name = "toy"
    title = "Toy attack"
    question = "Is anybody there?"
    assumptions = ("The adversary plays.",)

    def estimate(self, context: Any) -> float:
        return 2.0

    def run(self, context: Any, before: Any, progress: Any) -> Outcome:
        return Outcome(data={})

    def estimate_control(self, context: Any, outcome: Any) -> float:
        return 1.0

    def control(self, context: Any, before: Any, progress: Any) -> Outcome:
        return Outcome(data={"controls": []})


CONTEXT: Any = SimpleNamespace()


def test_every_family_is_registered_by_its_own_name():
    assert [find_family(name).name for name in family_names()] == list(family_names())


def test_a_family_says_what_it_asks_and_why_it_did_not_run():
    reported = Toy().finding(why_not="The data has no times.")
    assert (reported.name, reported.title, reported.question) == (
        "toy",
        "Toy attack",
        "Is anybody there?",
    )
    assert reported.assumptions == ("The adversary plays.",)
    assert not reported.ran
    assert reported.why_not == "The data has no times."
    assert Toy().finding().ran


def test_a_family_that_says_no_more_neither_judges_nor_is_repeated():
    toy, outcome = Toy(), Outcome(data={})
    assert toy.refuse(CONTEXT) is None
    assert toy.repeat(CONTEXT, outcome) is None
    assert toy.judge(CONTEXT, outcome) is None
    assert toy.leave_out(CONTEXT, outcome, np.array([0])) is None
    assert toy.estimate_leave_out(CONTEXT) == 0.0
    assert toy.settings(CONTEXT) == toy.describe_people(outcome) == {}
    assert toy.fits(outcome, CONTEXT)
    assert not toy.has_margins(outcome)


def test_a_family_without_a_run_is_none():
    class Half(Toy):
        run = AttackFamily.run

    with pytest.raises(TypeError, match="abstract"):
        Half()


def test_a_repeated_attack_is_made_ready_for_changed_events():
    seen: list[tuple[object, ...]] = []
    repeated = Repeated(
        name="toy",
        title="Toy",
        as_is=lambda: None,  # type: ignore[arg-type, return-value]
        prepare_events=lambda *given: seen.append(given),  # type: ignore[arg-type]
    )
    repeated.prepare("r", "a")  # type: ignore[arg-type]
    repeated.prepare("r", "a", ["p"])  # type: ignore[arg-type, list-item]
    assert seen == [("r", "a", ()), ("r", "a", ["p"])]
