"""What a part of a study keeps: the curve and why there is none."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trailprint.audit.sections import studies
from trailprint.studies.growth.time import TimeStudy

CONTEXT = SimpleNamespace(events=("released", "auxiliary"), options=SimpleNamespace(seed=7))


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """An attack that is ready for any two sides."""
    ready = SimpleNamespace(released="R", auxiliary="A", attack="attack")
    chosen = SimpleNamespace(name="toy", prepare="prepare", as_is=lambda: ready)
    monkeypatch.setattr(studies, "choose_repeated", lambda context, before: chosen)
    return chosen


def test_a_study_that_could_not_be_made_says_why(repeated, monkeypatch):
    why = "The data has no times."
    monkeypatch.setattr(studies, "grow_time", lambda *given, **named: TimeStudy(why_not=why))
    kept = studies.study_time(CONTEXT, {}, lambda share: None)  # type: ignore[arg-type]
    assert kept.data == {"study": None, "why_not": why}
    assert kept.arrays == {}


def test_a_study_attacks_the_sides_of_the_audit_and_reports_progress(repeated, monkeypatch):
    seen: list[object] = []

    def grow(prepare, *sides, progress):
        progress("Cutting", 0.5)
        seen.extend([prepare, *sides])
        return TimeStudy(why_not="Enough.")

    monkeypatch.setattr(studies, "grow_time", grow)
    studies.study_time(CONTEXT, {}, seen.append)  # type: ignore[arg-type]
    assert seen == [0.5, "prepare", "released", "auxiliary"]


def test_random_draws_follow_from_the_seed_of_the_audit(repeated, monkeypatch):
    seeds: list[int] = []

    def grow(attack, released, auxiliary, truth, options, *, progress):
        seeds.append(options.seed)
        return TimeStudy(why_not="Enough.")

    context = SimpleNamespace(**vars(CONTEXT), truth=None)
    for name, study in (
        ("grow_users", studies.study_users),
        ("grow_knowledge", studies.study_knowledge),
    ):
        monkeypatch.setattr(studies, name, grow)
        study(context, {}, lambda share: None)  # type: ignore[arg-type]
    assert seeds == [7, 7]
