"""Attack families that judge the protections of an audit: all that ran, as they ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from trailprint.attacks.options import MatchOptions
from trailprint.audit.attacked import list_attacked
from trailprint.audit.attacks.choices import HistogramChoice, choice_of
from trailprint.audit.attacks.family import AttackFamily
from trailprint.audit.attacks.registry import attack_names, find_attack
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome
from trailprint.audit.results.protections import NotJudgedBy
from trailprint.studies.judging import HISTOGRAM, Judge
from trailprint.studies.options import ATTACKS

_UNABLE = "It is not made to be tried on protected data: what it would still link is not known."


def list_judging(context: AuditContext) -> list[AttackFamily]:
    """Return the requested families besides histograms that judge protections, in run order."""
    asked = [find_attack(name) for name in attack_names() if name in context.options.attacks]
    able = [family for family in asked if type(family).judge is not AttackFamily.judge]
    return [family for family in able if family.refuse(context) is None]


def call_judges(context: AuditContext, before: Mapping[str, Outcome]) -> list[Judge]:
    """Return judges for those of these families that ran."""
    found = []
    for family in list_judging(context):
        outcome = before.get(f"attack/{family.name}")
        if outcome is not None:
            build = partial(family.judge, context, outcome)
            judge = context.remember(("judge", family.name), build)
            is_quick = family.judges_every_value
            found += [] if judge is None else [replace(judge, is_quick=is_quick)]
    return found


def list_unable(before: Mapping[str, Outcome], judges: Sequence[Judge]) -> tuple[NotJudgedBy, ...]:
    """Return the families that ran and judge no protection, so that every release says so."""
    judging = {HISTOGRAM, *(judge.name for judge in judges)}
    return tuple(
        NotJudgedBy(attack=name, why=_UNABLE)
        for name in list_attacked(before)
        if name not in judging
    )


def choose_weights(before: Mapping[str, Outcome]) -> tuple[MatchOptions, ...]:
    """Return how to match histograms: jointly with several weights, and one by one if that won."""
    own = before.get(f"attack/{HISTOGRAM}")
    if own is None or choice_of(own, HistogramChoice).method == "joint":
        return ATTACKS
    return (*ATTACKS, MatchOptions(method="one-by-one"))
