"""Disclosure control: masks small counts of people, and rates and curves that reveal them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trailprint.audit.attacks.registry import find_attack
from trailprint.audit.results.attacks import (
    AttackFinding,
    Baseline,
    CoverageFinding,
    MeasuredAttack,
    RanksFinding,
    ViewFinding,
    ViewsFinding,
)
from trailprint.audit.results.data import KnownFacts
from trailprint.audit.results.protections import (
    AloneFacts,
    GroupFacts,
    JudgedBy,
    MeasuredAlone,
    MeasuredGroups,
    MeasuredJudgement,
    MeasuredProtection,
    ProtectionPoint,
)
from trailprint.evaluation.per_user import RiskBin
from trailprint.events.knowledge import Known, phrase_knowledge
from trailprint.studies.released_groups import GROUP
from trailprint.studies.small_counts import (
    describe_count,
    hide_change,
    hide_small,
    highest_share,
    is_small,
    join_bins,
    keep_steps,
)


def mask_attack(attack: MeasuredAttack) -> AttackFinding:
    """
    Return an attack with values masked that would reveal a few people.

    The number of people it links is shown if it is zero or at least ten. Curves keep the points
    between which zero or at least ten people lie.
    """
    n_people, n_right, other = attack.people, attack.correct, attack.baseline
    n_other = None if other is None else round((other.accuracy or 0.0) * n_people)
    is_shown = not is_small(n_right)
    return replace(
        find_attack(attack.name).finding(),
        people=n_people,
        matched=attack.matched,
        correct=hide_small(n_right),
        accuracy=attack.accuracy if is_shown else None,
        interval=attack.interval if is_shown else None,
        chance=attack.chance,
        precision=attack.precision if is_shown else None,
        variant=attack.variant,
        baseline=None if other is None else _mask_baseline(other, n_other or 0, n_people),
        ranks=_mask_ranks(attack.ranks, n_people, [n for n in (n_right, n_other) if n]),
        coverage=_mask_coverage(attack.coverage),
        notes=attack.notes,
        proof=attack.proof,
        seconds=attack.seconds,
        at_most=None if is_shown else highest_share(n_people),
        views=None if attack.views is None else _mask_views(attack.views),
    )


def _mask_views(found: ViewsFinding) -> ViewsFinding:
    """Mask what each view adds; a change of a few people is shown only as a small one."""
    n_people, n_right = found.people, round((found.accuracy or 0.0) * found.people)
    return replace(
        found,
        accuracy=None if is_small(n_right) else found.accuracy,
        views=tuple(_mask_view(view, n_right, n_people) for view in found.views),
    )


def _mask_view(view: ViewFinding, n_right: int, n_people: int) -> ViewFinding:
    told, change = view, view.leave_one_out
    if is_small(round((view.accuracy_alone or 0.0) * n_people)):
        told = replace(view, accuracy_alone=None, at_most=highest_share(n_people))
    if isinstance(change, float | int):
        told = replace(told, leave_one_out=hide_change(change, n_right, n_people))
    return told


def _mask_baseline(other: Baseline, n_found: int, n_people: int) -> Baseline:
    if not is_small(n_found):
        return other
    return replace(other, accuracy=None, interval=None, at_most=highest_share(n_people))


def _mask_ranks(
    ranks: RanksFinding | None, n_people: int, n_linked: Sequence[int]
) -> RanksFinding | None:
    """Mask the curve of ranks; its first point is close to what one-by-one attacks link."""
    if ranks is None:
        return None
    counts = [round(point.share * n_people) for point in ranks.curve]
    safe = [
        place
        for place, (point, n) in enumerate(zip(ranks.curve, counts, strict=True))
        if point.k > 1 or not any(is_small(abs(n - other)) for other in n_linked)
    ]
    kept = keep_steps([[counts[place] for place in safe]])
    if not kept:
        return None
    return replace(ranks, curve=tuple(ranks.curve[safe[place]] for place in kept))


def _mask_coverage(points: Sequence[CoverageFinding]) -> tuple[CoverageFinding, ...]:
    """Mask the precision curve: between two points, neither right nor wrong links may be few."""
    n_right = [round((point.precision or 0.0) * point.links) for point in points]
    n_wrong = [point.links - n for point, n in zip(points, n_right, strict=True)]
    return tuple(points[place] for place in keep_steps([n_right, n_wrong]))


def mask_protection(point: MeasuredProtection, n_people: int) -> ProtectionPoint:
    """Return a protection with rates masked that would reveal a few people."""
    n_people = point.people or n_people
    is_shown = not is_small(round(point.accuracy * n_people))
    is_cluster_shown = not is_small(round(point.cluster_accuracy * n_people))
    return ProtectionPoint(
        label=point.label,
        name=point.name,
        written=point.written,
        parameters=point.parameters,
        loss=point.loss,
        accuracy=point.accuracy if is_shown else None,
        interval=point.interval if is_shown else None,
        cluster_accuracy=point.cluster_accuracy if is_cluster_shown else None,
        chance=point.chance,
        attack=point.attack,
        judged=tuple(map(_mask_judgement, point.judged)),
        not_judged=point.not_judged,
        judged_by_all=point.judged_by_all,
        groups=None if point.groups is None else _mask_groups(point.groups),
        on_frontier=point.on_frontier,
        asked=point.asked,
        singling_out=point.singling_out or None,
        tasks=point.tasks,
        at_most=None if is_shown else highest_share(n_people),
        people=point.people,
        left=point.left,
        alone=None if point.alone is None else _mask_alone(point.alone),
    )


def _mask_alone(found: MeasuredAlone) -> AloneFacts:
    is_shown = not is_small(round(found.accuracy * found.people))
    return AloneFacts(
        people=found.people,
        attack=found.attack,
        accuracy=found.accuracy if is_shown else None,
        interval=found.interval if is_shown else None,
        at_most=None if is_shown else highest_share(found.people),
    )


def _mask_judgement(found: MeasuredJudgement) -> JudgedBy:
    is_shown = not is_small(round(found.accuracy * found.people))
    is_cluster_shown = not is_small(round(found.cluster_accuracy * found.people))
    return JudgedBy(
        attack=found.attack,
        variant=found.variant,
        people=found.people,
        accuracy=found.accuracy if is_shown else None,
        interval=found.interval if is_shown else None,
        cluster_accuracy=found.cluster_accuracy if is_cluster_shown else None,
        chance=found.chance,
        at_most=None if is_shown else highest_share(found.people),
    )


def _mask_groups(groups: MeasuredGroups) -> GroupFacts:
    """Count people who share their record with few; masked if these or the others are few."""
    n_few, n_people = groups.in_small, groups.people
    told = hide_small(n_few, of=n_people)
    return GroupFacts(
        smallest=groups.smallest,
        k=GROUP,
        people_under_k=told,
        share_under_k=n_few / max(n_people, 1) if told == n_few else None,
    )


def disclose_known(known: Known) -> KnownFacts | None:
    """Return how much was known of each person; None if everything was."""
    if known.kind == "everything":
        return None
    n_less = known.people_with_less
    less = (
        f" People with less than that ({describe_count(n_less)}) are known completely."
        if n_less
        else ""
    )
    phrase = phrase_knowledge(known.kind, known.amount)
    return KnownFacts(
        kind=known.kind,
        amount=known.amount,
        people_with_less=hide_small(n_less),
        mean_points=known.mean_points,
        note=known.note,
        reading=f"Of each person the adversary knows only {phrase}.{less}",
    )


def mask_bins(bins: Sequence[RiskBin]) -> tuple[RiskBin, ...]:
    """Merge bins of risk until each holds zero or at least ten people."""
    counts = [one.people for one in bins]
    return tuple(
        RiskBin(low=bins[first].low, high=bins[last].high, people=sum(counts[first : last + 1]))
        for first, last in join_bins(counts)
    )
