"""Trials of protections in an audit: protect, judge by the families that ran, describe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trailprint.audit.attacks.judges import call_judges, choose_weights, list_unable
from trailprint.audit.attacks.registry import find_release_families
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome
from trailprint.audit.points_disclosure import disclose_sharing
from trailprint.audit.results.protections import (
    NONE,
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
from trailprint.protections.tasks import Tasks
from trailprint.studies.judging import Judge, Success, find_by_family
from trailprint.studies.options import TrialOptions
from trailprint.studies.protection_trial import Point, TrialContext


class Trials:
    """Protected releases of one audit, judged by the families that ran."""

    def __init__(
        self,
        audit: AuditContext,
        options: TrialOptions,
        trial: TrialContext,
        judges: Sequence[Judge],
        unable: tuple[NotJudgedBy, ...] = (),
    ) -> None:
        self._unable = unable
        self._audit, self._options, self._trial = audit, options, trial
        self._judges = tuple(judges)
        self._quick = tuple(judge for judge in judges if judge.is_quick)

    def measure(
        self, chain: Sequence[Protection], title: str | None = None, *, is_full: bool
    ) -> MeasuredProtection:
        """
        Protect and attack, with every family or only with quick ones.

        A release that seems to reach a target is also attacked as its own audit would.
        """
        judges = self._judges if is_full else self._quick
        parameters = chain[0].parameters() if chain else {}
        is_by_all = len(judges) == len(self._judges)
        # Tasks take longer than quick judges on large data, so only results to be shown have them.
        point = self._trial.measure(tuple(chain), parameters, judges, with_tasks=is_by_all)
        found = describe_point(chain, point, title)
        not_judged = (*found.not_judged, *self._unable)
        found = replace(found, judged_by_all=is_by_all, not_judged=not_judged)
        target = self._options.target_risk
        if not (is_by_all and chain) or target is None or found.at_risk > target:
            return found
        alone = measure_alone(self._audit, chain, judges, self._options)
        at_risk = max(found.at_risk, 0.0 if alone is None else alone.at_risk)
        return replace(found, alone=alone, at_risk=at_risk)


def counts_sharing(context: AuditContext) -> bool:
    """Return whether protected releases are measured for singling out, as the data itself is."""
    return bool(find_release_families(context.options.attacks))


def start_trials(
    context: AuditContext, before: Mapping[str, Outcome], chain: Sequence[Protection] = ()
) -> Trials:
    """
    Return trials on both sides; ``chain`` is only checked for its order.

    All parts share them: a release that one part measured quickly is judged by further families in
    another. Parts on a calibration sample do not share them, as each of these is timed.
    """
    check_order(chain)
    options = TrialOptions(
        target_risk=context.options.target_risk,
        attacks=choose_weights(before),
        seed=context.options.seed,
    )

    def begin() -> TrialContext:
        more = context.counting, context.n_threads
        sharing = counts_sharing(context)
        whole = context.sides.whole
        return TrialContext(*context.events, (), options, *more, whole=whole, sharing=sharing)

    trial = begin() if context.is_piece else context.remember(("trials", options), begin)
    judges = call_judges(context, before)
    return Trials(context, options, trial, judges, list_unable(before, judges))


def describe_point(
    chain: Sequence[Protection], point: Point, title: str | None = None
) -> MeasuredProtection:
    """Return the exact results of a protected release."""
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
        tasks=None if point.tasks is None else _describe_tasks(point.tasks),
    )


def _describe_tasks(found: Tasks) -> TaskFacts:
    return TaskFacts(
        next_place_before=found.next_place_before,
        next_place=found.next_place,
        occupancy_error=found.occupancy_error,
        occupancy_of=found.occupancy_of,
        flow_error=found.flow_error,
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
    """Return a label of a chain for readers; if a step has no label, the chain as written."""
    if not chain:
        return "No protection"
    labels = [step.label() for step in chain]
    if any(label is None for label in labels):
        return _write(chain, title)
    first, *more = [label or "" for label in labels]
    return " then ".join([first, *(lower_first(label) for label in more)])


def _write(chain: Sequence[Protection], title: str | None) -> str:
    """Return a chain as typed; the file that a step was read from is known only from ``title``."""
    if title is not None and not all(is_writable(step) for step in chain):
        return title
    return " then ".join(write_protection(step) for step in chain)
