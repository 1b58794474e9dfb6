"""Trials of protections: what they are called, who judges, and what is kept of a trial."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trailprint.audit.results.protections import NONE, MeasuredAlone, NotJudgedBy
from trailprint.audit.sections import protection_trials
from trailprint.audit.sections.protection_trials import Trials, describe_point, label_chain
from trailprint.protections.registry import parse_protection
from trailprint.studies.options import TrialOptions


def success(family: str, accuracy: float) -> Any:
    return SimpleNamespace(
        family=family,
        attack=f"{family} jointly",
        people=40,
        left=30,
        user_accuracy=accuracy,
        accuracy_interval=(accuracy - 0.1, accuracy + 0.1),
        cluster_accuracy=accuracy,
        chance=0.025,
    )


POINT: Any = SimpleNamespace(
    parameters={"n": 2},
    loss=SimpleNamespace(information_loss=0.3),
    strongest=success("histogram", 0.5),
    attacks=(success("histogram", 0.5), success("trail", 0.2)),
    at_risk=0.6,
    not_judged=(SimpleNamespace(family="sequence", why="Nothing is left of the order."),),
    groups=SimpleNamespace(smallest=1, n_people=40, n_in_small=12),
    singling_out=(),
    tasks=None,
)


@pytest.fixture
def chain():
    return [parse_protection("top-locations:n=2"), parse_protection("top-locations:n=1")]


def test_protections_are_named_one_after_another(chain):
    assert label_chain([]) == "No protection"
    first, second = (label_chain([step]) for step in chain)
    assert label_chain(chain) == f"{first} then {second[0].lower()}{second[1:]}"


def test_a_trial_keeps_the_strongest_attack_and_every_judge(chain):
    kept = describe_point(chain[:1], POINT)
    assert (kept.name, kept.written) == ("top-locations", "top-locations:n=2")
    assert (kept.loss, kept.accuracy, kept.attack, kept.at_risk) == (0.3, 0.5, "histogram", 0.6)
    assert {one.attack: one.accuracy for one in kept.judged} == {"histogram": 0.5, "trail": 0.2}
    assert [one.attack for one in kept.not_judged] == ["sequence"]
    assert kept.groups is not None
    assert kept.groups.in_small == 12


def test_every_release_lists_the_attacks_that_judge_none(chain):
    trial: Any = SimpleNamespace(measure=lambda *given, **more: POINT)
    unable = NotJudgedBy(attack="other", why="It is not made for that.")
    audit: Any = SimpleNamespace()
    measured = Trials(audit, TrialOptions(), trial, (), (unable,)).measure(chain[:1], is_full=True)
    assert [one.attack for one in measured.not_judged] == ["sequence", "other"]


def test_nothing_applied_is_called_none():
    kept = describe_point([], POINT)
    assert (kept.name, kept.label, kept.written) == (NONE, "No protection", "")


@pytest.mark.parametrize(("is_full", "called"), [(True, ["slow", "quick"]), (False, ["quick"])])
def test_quick_judges_alone_do_not_count_as_all(chain, is_full, called):
    judges: Any = [
        SimpleNamespace(name="slow", is_quick=False),
        SimpleNamespace(name="quick", is_quick=True),
    ]
    seen: list[str] = []

    def measure(steps: Any, parameters: Any, chosen: Any, *, with_tasks: bool) -> Any:
        assert with_tasks is is_full
        seen.extend(judge.name for judge in chosen)
        return POINT

    trial: Any = SimpleNamespace(measure=measure)
    trials = Trials(SimpleNamespace(), TrialOptions(), trial, judges)  # type: ignore[arg-type]
    assert trials.measure(chain, is_full=is_full).judged_by_all is is_full
    assert seen == called


@pytest.mark.parametrize(
    ("target", "alone_risk", "at_risk"), [(0.7, 0.9, 0.9), (0.7, 0.1, 0.6), (0.5, 0.9, 0.6)]
)
def test_what_seems_to_reach_a_target_is_tried_as_it_will_be_published(
    chain, monkeypatch, target, alone_risk, at_risk
):
    alone = MeasuredAlone(
        people=30, attack="trail", accuracy=0.1, interval=(0.0, 0.2), at_risk=alone_risk
    )
    monkeypatch.setattr(protection_trials, "measure_alone", lambda *_: alone)
    trial: Any = SimpleNamespace(measure=lambda *_, with_tasks: POINT)
    options = TrialOptions(target_risk=target)
    found = Trials(SimpleNamespace(), options, trial, ()).measure(  # type: ignore[arg-type]
        chain, is_full=True
    )
    assert found.at_risk == at_risk
    assert found.alone == (alone if target > POINT.at_risk else None)
