"""Trials of protections in an audit: protect, let the families that ran judge, describe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from trailprint.audit.attacks.judges import call_judges, choose_weights
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome
from trailprint.audit.points_disclosure import disclose_sharing
from trailprint.audit.results.protections import (
    MeasuredGroups,
    MeasuredJudgement,
    MeasuredProtection,
    NotJudgedBy,
    TaskFacts,
)
from trailprint.audit.sections.release_alone import measure_alone
from trailprint.audit.wording import lower_first
from trailprint.protections.chain import check_order
from trailprint.protections.protection import Protection
from trailprint.protections.registry import is_writable, write_protection
from trailprint.studies.judging import Judge, Success, find_by_family
from trailprint.studies.options import TrialOptions
from trailprint.studies.protection_trial import Point, TrialContext

NONE = "none"
"""The name of the data as it is: what protections are compared with."""


class Trials:
    """Protected releases of one audit, judged by the families that ran."""

    def __init__(
        self,
        audit: AuditContext,
        options: TrialOptions,
        trial: TrialContext,
        judges: Sequence[Judge],
    ) -> None:
        self._audit, self._options, self._trial = audit, options, trial
        self._judges = tuple(judges)
        self._quick = tuple(judge for judge in judges if judge.is_quick)

    def measure(
        self, chain: Sequence[Protection], title: str | None = None, *, is_full: bool
    ) -> MeasuredProtection:
        """
        Protect and attack, with every family or with those that are quick.

        What seems to reach a target is also tried as an audit of the release will find it.
        """
        judges = self._judges if is_full else self._quick
        parameters = chain[0].parameters() if chain else {}
        is_by_all = len(judges) == len(self._judges)
        # Tasks take longer than quick judges on large data: only of what may be shown.
        point = self._trial.measure(tuple(chain), parameters, judges, with_tasks=is_by_all)
        found = replace(describe_point(chain, point, title), judged_by_all=is_by_all)
        target = self._options.target_risk
        if not (is_by_all and chain) or target is None or found.at_risk > target:
            return found
        alone = measure_alone(self._audit, chain, judges, self._options)
        at_risk = max(found.at_risk, 0.0 if alone is None else alone.at_risk)
        return replace(found, alone=alone, at_risk=at_risk)


def start_trials(
    context: AuditContext, before: Mapping[str, Outcome], chain: Sequence[Protection] = ()
) -> Trials:
    """
    Both sides, ready for protections; ``chain`` is looked at for its order only.

    All parts share them: what one has measured quickly, another lets further families judge. Parts
    of a piece do not: there it matters how long each takes.
    """
    check_order(chain)
    options = TrialOptions(
        target_risk=context.options.target_risk,
        attacks=choose_weights(before),
        seed=context.options.seed,
    )

    def begin() -> TrialContext:
        more = context.counting, context.n_threads
        return TrialContext(*context.events, (), options, *more, whole=context.sides.whole)

    trial = begin() if context.is_piece else context.remember(("trials", options), begin)
    return Trials(context, options, trial, call_judges(context, before))


def describe_point(
    chain: Sequence[Protection], point: Point, title: str | None = None
) -> MeasuredProtection:
    """What was measured of a protected release."""
    found = point.strongest
    return MeasuredProtection(
        label=label_chain(chain, title),
        name=" then ".join(step.name for step in chain) or NONE,
        written=_write(chain, title),
        parameters=dict(point.parameters),
        loss=point.loss.information_loss,
        accuracy=found.user_accuracy,
        interval=found.accuracy_interval,
        cluster_accuracy=found.cluster_accuracy,
        chance=found.chance,
        attack=found.family,
        at_risk=point.at_risk,
        left=found.left,
        judged=tuple(_describe_judge(one) for one in find_by_family(point.attacks).values()),
        not_judged=tuple(NotJudgedBy(attack=one.family, why=one.why) for one in point.not_judged),
        groups=MeasuredGroups(
            smallest=point.groups.smallest,
            people=point.groups.n_people,
            in_small=point.groups.n_in_small,
        ),
        singling_out=tuple(map(disclose_sharing, point.singling_out)),
        tasks=None if point.tasks is None else TaskFacts(**asdict(point.tasks)),
    )


def _describe_judge(found: Success) -> MeasuredJudgement:
    return MeasuredJudgement(
        attack=found.family,
        variant=found.attack,
        people=found.people,
        accuracy=found.user_accuracy,
        interval=found.accuracy_interval,
        cluster_accuracy=found.cluster_accuracy,
        chance=found.chance,
    )


def label_chain(chain: Sequence[Protection], title: str | None = None) -> str:
    """What protections are called, for people; where one has no words, how they are written."""
    if not chain:
        return "No protection"
    labels = [step.label() for step in chain]
    if any(label is None for label in labels):
        return _write(chain, title)
    first, *more = [label or "" for label in labels]
    return " then ".join([first, *(lower_first(label) for label in more)])


def _write(chain: Sequence[Protection], title: str | None) -> str:
    """Protections as they are typed; a file that one was read from is only in what was typed."""
    if title is not None and not all(is_writable(step) for step in chain):
        return title
    return " then ".join(write_protection(step) for step in chain)
