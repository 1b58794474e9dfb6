"""Who judges protections: what was asked for, can judge, and ran."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trailprint.audit import attacked
from trailprint.audit.attacks import judges
from trailprint.audit.attacks.family import AttackFamily
from trailprint.audit.parts import Outcome
from trailprint.studies.judging import Judge
from trailprint.studies.options import ATTACKS


class Able(AttackFamily):
    """Judges every value; says no where there are no times."""

    judges_every_value = True

    def judge(self, context: Any, outcome: Outcome) -> Any:
        return Judge(name=self.name)

    def refuse(self, context: Any) -> str | None:
        return "no times" if self.name == "timid" else None


class Unable(AttackFamily):
    """Links people, and judges nothing."""


def family(kind: Any, name: str) -> AttackFamily:
    """One without the rest that a family must have."""
    made: Any = type(name, (kind,), {"name": name})
    made.__abstractmethods__ = frozenset()
    found: AttackFamily = made()
    return found


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> Any:
    kinds: dict[str, Any] = {"able": Able, "timid": Able, "other": Able, "unable": Unable}
    families = {name: family(kind, name) for name, kind in kinds.items()}
    monkeypatch.setattr(judges, "attack_names", lambda: list(families))
    monkeypatch.setattr(judges, "find_attack", families.__getitem__)
    made: dict[object, object] = {}

    def remember(key: object, build: Any) -> object:
        return made.setdefault(key, build())

    options = SimpleNamespace(attacks=("unable", "timid", "able"))
    return SimpleNamespace(options=options, remember=remember)


def test_a_judge_was_asked_for_can_judge_and_is_not_refused(context):
    assert [one.name for one in judges.list_judging(context)] == ["able"]


def test_only_what_ran_is_called(context):
    assert judges.call_judges(context, {}) == []
    ran = {"attack/able": Outcome(data={}), "attack/unable": Outcome(data={})}
    found = judges.call_judges(context, ran)
    assert [(judge.name, judge.is_quick) for judge in found] == [("able", True)]


def test_what_ran_and_cannot_judge_is_listed(monkeypatch, context):
    names = ("histogram", "able", "unable")
    monkeypatch.setattr(attacked, "attack_names", lambda: names)
    ran = {f"attack/{name}": Outcome(data={}) for name in names}
    (refused,) = judges.list_unable(ran, judges.call_judges(context, ran))
    assert refused.attack == "unable"
    assert "not made to be tried" in refused.why


def test_histograms_are_matched_one_by_one_too_where_that_won(monkeypatch):
    def keep(method: str) -> Any:
        monkeypatch.setattr(judges, "choice_of", lambda outcome, kind: kind(method=method))
        return judges.choose_weights({"attack/histogram": Outcome(data={})})

    assert judges.choose_weights({}) == keep("joint") == ATTACKS
    assert [one.method for one in keep("one-by-one")[len(ATTACKS) :]] == ["one-by-one"]
