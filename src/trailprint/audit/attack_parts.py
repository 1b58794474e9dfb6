"""The attacks of an audit on habits and on sets of places, each with its baseline."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.matching import MatchOptions
from trailprint.attacks.trail import TrailOptions, match_trails
from trailprint.audit.context import AuditContext
from trailprint.audit.methods import BestMethod, CandidateMethod, choose_method
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.attacks import (
    AttackFinding,
    Baseline,
    CoveragePoint,
    MeasuredAttack,
    Proof,
    RankCurve,
)
from trailprint.audit.results.kept import KeptAttack
from trailprint.audit.results.plain import from_plain, to_plain
from trailprint.audit.wording import ABOUT, lower_first
from trailprint.evaluation.agreement import align_people, linked_people
from trailprint.evaluation.per_user import estimate_user_risk
from trailprint.evaluation.ranks import measure_ranks
from trailprint.evaluation.risk import Risk, measure_risk, precision_at_coverage
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.features.trails import Trails
from trailprint.linkage import Linkage, Ranks

HistogramAttack = Callable[[Histograms, Histograms], Linkage]
TrailAttack = Callable[[Trails, Trails], Linkage]

_COUNTED = {"visits": "visits", "duration": "durations", "day-balanced": "balanced days"}
HistogramMethod = Literal["joint", "one-by-one"]
_METHODS: Mapping[HistogramMethod, str] = {
    "joint": "Joint matching",
    "one-by-one": "One-by-one matching",
}
_REIDIT = {
    ("complete", "none"): "REIDIT-C: equal trails that are the only ones of their kind",
    ("incomplete", "identified"): "REIDIT-I: known trails within released ones",
    ("incomplete", "deidentified"): "REIDIT-I: released trails within known ones",
    ("multiple", "identified"): "REIDIT-M: known trails within released ones",
    ("multiple", "deidentified"): "REIDIT-M: released trails within known ones",
}


def histogram_attack(
    context: AuditContext, method: HistogramMethod = "joint", *, margins: bool = True
) -> HistogramAttack:
    """Matching of histograms, as the audit runs it again and again."""
    options = MatchOptions(
        method=method, margins=margins and method == "joint", seed=context.options.seed
    )
    return lambda released, auxiliary: match_histograms(
        released, auxiliary, options, n_threads=context.n_threads
    )


def attack_histograms(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Joint matching with margins and one-by-one; what links more people counts."""
    tried = []
    for method, title in _METHODS.items():
        began = time.perf_counter()
        linkage = histogram_attack(context, method)(*context.histograms)
        seconds = time.perf_counter() - began
        tried.append(
            CandidateMethod(
                title=title, linkage=linkage, seconds=seconds, chosen={"method": method}
            )
        )
        progress(0.6)
    found = choose_method(tried[0], tried[1], context.truth)
    linkage = found.best.linkage
    title = f"{lower_first(found.best.title)} of {_COUNTED[context.options.weight]}"
    entry = replace(
        describe("histogram", found, context.truth),
        variant=f"{title}, Jensen–Shannon weight",
        coverage=_measure_coverage(linkage, context.truth),
        proof=Proof(optimality_gap=linkage.facts.get("optimality_gap")),
    )
    return keep_attack(entry, found, find_people(linkage, context, context.truth))


def _measure_coverage(linkage: Linkage, truth: Truth) -> tuple[CoveragePoint, ...]:
    points = precision_at_coverage(linkage, truth)
    return tuple(
        CoveragePoint(coverage=point.coverage, precision=point.precision, links=point.links)
        for point in points
    )


def keep_attack(
    entry: MeasuredAttack, found: BestMethod, arrays: Mapping[str, NDArray[Any]]
) -> Outcome:
    """What is kept of an attack."""
    kept = KeptAttack(entry=entry, chosen=found.best.chosen)
    return Outcome(data=to_plain(kept), arrays=arrays)


def trail_attack(context: AuditContext, options: TrailOptions) -> TrailAttack:
    """Trail matching with everything chosen."""
    return lambda released, auxiliary: match_trails(
        released, auxiliary, options, n_threads=context.n_threads
    )


def attack_trails(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """REIDIT with what the data allows and with equal trails only; what links more counts."""
    allowed, notes = _allowed_reidit(context)
    progress(0.6)
    plain = allowed
    if allowed.linkage.facts["algorithm"] != "complete":
        plain = _try_reidit(context, TrailOptions(algorithm="complete"))
    found = choose_method(allowed, plain, context.truth)
    entry = describe("trail", found, context.truth)
    entry = replace(entry, notes=(*notes, *entry.notes))
    return keep_attack(entry, found, find_people(found.best.linkage, context, context.truth))


def _try_reidit(context: AuditContext, options: TrailOptions) -> CandidateMethod:
    began = time.perf_counter()
    linkage = trail_attack(context, options)(*context.trails)
    chosen = {name: linkage.facts[name] for name in ("algorithm", "reserved")}
    title = _REIDIT[chosen["algorithm"], chosen["reserved"]]
    seconds = time.perf_counter() - began
    return CandidateMethod(title=title, linkage=linkage, seconds=seconds, chosen=chosen)


def _allowed_reidit(context: AuditContext) -> tuple[CandidateMethod, list[str]]:
    """What the data allows; where it allows nothing, what links most."""
    first = _try_reidit(context, TrailOptions())
    if not first.linkage.facts["contradicted"]:
        return first, [
            "The data does not contradict the release tactic assumed, under which no link is wrong."
        ]
    ways = (
        TrailOptions(algorithm="complete"),
        TrailOptions(algorithm="incomplete", reserved="identified"),
        TrailOptions(algorithm="incomplete", reserved="deidentified"),
    )
    tried = [_try_reidit(context, way) for way in ways]
    return max(tried, key=lambda way: way.count_right(context.truth)), [
        "The data contradicts every release tactic REIDIT assumes, so links may be wrong. Of its "
        "three variants the one with the most right links is shown."
    ]


def describe(name: str, found: BestMethod, truth: Truth) -> MeasuredAttack:
    """What every attack says of itself."""
    linkage, other = found.best.linkage, found.other
    risk, ranks = _measure(linkage, truth), measure_ranks(linkage, truth)
    return MeasuredAttack(
        name=name,
        people=risk.n_common,
        matched=risk.n_matched,
        correct=risk.n_correct,
        accuracy=risk.accuracy,
        interval=risk.accuracy_interval,
        chance=risk.chance,
        precision=risk.precision,
        variant=found.best.title,
        baseline=None if other is None else _baseline(other, truth),
        ranks=from_plain(RankCurve, ranks.to_dict()) if ranks.points else None,
        notes=found.notes,
        seconds=found.best.seconds,
    )


def did_not_run(name: str, why_not: str) -> AttackFinding:
    """An attack that was left out."""
    about = ABOUT[name]
    return AttackFinding(
        name=name,
        title=about["title"],
        question=about["question"],
        assumptions=tuple(about["assumptions"]),
        ran=False,
        why_not=why_not,
    )


def _measure(linkage: Linkage, truth: Truth) -> Risk:
    risk = measure_risk(linkage, truth)
    if risk is None:
        raise ValueError("an audit knows who is who")
    return risk


def _baseline(other: CandidateMethod, truth: Truth) -> Baseline:
    """The other method, to compare with."""
    risk = _measure(other.linkage, truth)
    return Baseline(
        title=other.title,
        accuracy=risk.accuracy,
        interval=risk.accuracy_interval,
        chance=risk.chance,
    )


def find_people(
    linkage: Linkage,
    context: AuditContext,
    truth: Truth,
    users: tuple[pa.Array, pa.Array] | None = None,
) -> dict[str, NDArray[Any]]:
    """
    Whom an attack finds, for each of the context's people; its links, in rows of histograms.

    ``users`` are the users of the attack's rows, where they are not the context's. Somebody the
    attack was not tried on has no risk (nan).
    """
    known = context.histograms[0].users, context.histograms[1].users
    own = known if users is None else users
    risk = np.full(len(context.people), np.nan)
    risk[_look_up(own[0].take(pa.array(truth.released)), context.people)] = estimate_user_risk(
        linkage, truth
    )
    return {
        "linked": align_people(context.people, {"": linked_people(linkage, truth, own[0])})[""],
        "risk": risk,
        "released": _look_up(own[0].take(pa.array(linkage.released)), known[0]),
        "auxiliary": _look_up(own[1].take(pa.array(linkage.auxiliary)), known[1]),
        "confidence": linkage.confidence,
    }


def _look_up(ids: pa.Array, among: pa.Array) -> NDArray[np.int64]:
    places = pc.index_in(ids, value_set=among).to_numpy(zero_copy_only=False)
    found: NDArray[np.int64] = places.astype(np.int64)
    return found


def restore_linkage(outcome: Outcome, n_released: int, n_auxiliary: int) -> Linkage:
    """The links a part kept, without ranks, which nobody asks for again."""
    arrays = outcome.arrays
    n_links = len(arrays["released"])
    return Linkage(
        released=arrays["released"],
        auxiliary=arrays["auxiliary"],
        weight=np.zeros(n_links),
        confidence=arrays["confidence"],
        confidence_is_least=np.zeros(n_links, dtype=bool),
        n_released=n_released,
        n_auxiliary=n_auxiliary,
        rank=_no_ranks,
        facts=outcome.data.get("chosen", {}),
    )


def _no_ranks(released: Ints, auxiliary: Ints) -> Ranks:
    raise ValueError("kept links have no ranks")
