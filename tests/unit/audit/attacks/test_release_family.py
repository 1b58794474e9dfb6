"""Families that look at one release: steps that are named, and what must be said."""

from __future__ import annotations

from typing import Any

import pytest

from trailprint.audit.attacks.registry import find_release_families
from trailprint.audit.attacks.release_family import ReleaseFamily, Step
from trailprint.audit.parts import Outcome


class Toy(ReleaseFamily):
    """One step that counts nobody."""

    name = "toy"
    title = "Toy"
    question = "Who is alone?"
    assumptions = ("The adversary looks.",)

    def list_steps(self, context: Any) -> list[Step]:
        def compute(context: Any, before: Any, progress: Any) -> Outcome:
            progress(1.0)
            return Outcome(data={"alone": 0})

        return [Step(name="one", title="One", seconds=1.0, needed_bytes=8.0, compute=compute)]

    def fits(self, step: str, outcome: Outcome, sizes: Any) -> bool:
        return "alone" in outcome.data


def test_a_step_is_done_and_what_was_kept_of_it_is_known_again():
    (step,) = Toy().list_steps(None)
    reported: list[float | None] = []
    outcome = step.compute(None, {}, reported.append)  # type: ignore[arg-type]
    assert reported == [1.0]
    assert Toy().fits(step.name, outcome, None)
    assert not Toy().fits(step.name, Outcome(data={}), None)


def test_a_family_must_say_how_its_parts_are_read_again():
    class Half(Toy):
        fits = ReleaseFamily.fits

    with pytest.raises(TypeError, match="abstract"):
        Half()


def test_those_there_are_say_what_they_are():
    for family in find_release_families(["points"]):
        assert all((family.name, family.title, family.question.endswith("?"), family.assumptions))
