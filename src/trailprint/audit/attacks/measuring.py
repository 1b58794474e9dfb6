"""Measurements and stored values common to all attacks of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.audit.context import AuditContext
from trailprint.audit.methods import BestMethod, CandidateMethod
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.attacks import (
    Baseline,
    CoverageFinding,
    MeasuredAttack,
    Proof,
    RankPoint,
    RanksFinding,
)
from trailprint.audit.results.kept import KeptAttack, KeptControls, attack_of
from trailprint.evaluation.agreement import align_people, linked_people
from trailprint.evaluation.per_user import estimate_user_risk
from trailprint.evaluation.ranks import RankCurve, measure_ranks
from trailprint.evaluation.risk import Risk, measure_risk, precision_at_coverage
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage, Ranks
from trailprint.plain import from_plain, to_plain
from trailprint.studies.controls import ControlOptions, control_absent, control_permuted
from trailprint.studies.findings import ControlFinding
from trailprint.studies.people import Attack, Features


def keep_attack(
    entry: MeasuredAttack, found: BestMethod, arrays: Mapping[str, NDArray[Any]]
) -> Outcome:
    """Return the outcome of an attack to store."""
    kept = KeptAttack(entry=entry, chosen=to_plain(found.best.chosen))
    return Outcome(data=to_plain(kept), arrays=arrays)


def keep_controls(controls: Iterable[ControlFinding]) -> Outcome:
    """Return the outcome of an attack's controls to store."""
    return Outcome(data=to_plain(KeptControls(controls=tuple(controls))))


def describe(name: str, found: BestMethod, truth: Truth) -> MeasuredAttack:
    """Return the results common to all attacks."""
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
        ranks=_rank_curve(ranks),
        notes=found.notes,
        seconds=found.best.seconds,
    )


def read_proof(linkage: Linkage) -> Proof:
    """Return how far a matching may be from the optimal one, if its facts say so."""
    return from_plain(Proof, linkage.facts)


def _rank_curve(ranks: RankCurve) -> RanksFinding | None:
    if not ranks.points:
        return None
    curve = tuple(RankPoint(k=k, share=share) for k, share in ranks.points)
    return RanksFinding(median=ranks.median, curve=curve)


def _measure(linkage: Linkage, truth: Truth) -> Risk:
    risk = measure_risk(linkage, truth)
    if risk is None:
        raise ValueError("an audit knows who is who")
    return risk


def _baseline(other: CandidateMethod, truth: Truth) -> Baseline:
    """Results of the other method, for comparison."""
    risk = _measure(other.linkage, truth)
    return Baseline(
        title=other.title,
        accuracy=risk.accuracy,
        interval=risk.accuracy_interval,
        chance=risk.chance,
    )


def measure_coverage(linkage: Linkage, truth: Truth) -> tuple[CoverageFinding, ...]:
    """Return the precision if only the most confident links are kept, by coverage."""
    points = precision_at_coverage(linkage, truth)
    return tuple(
        CoverageFinding(coverage=point.coverage, precision=point.precision, links=point.links)
        for point in points
    )


def find_people(
    linkage: Linkage,
    context: AuditContext,
    truth: Truth,
    users: tuple[pa.Array, pa.Array] | None = None,
) -> dict[str, NDArray[Any]]:
    """
    Return whether each of the context's people is linked, their risks, and the links by row.

    Links are in rows of the context's histograms. ``users`` are the users of the attack's rows if
    they differ from the context's. The risk of people the attack was not tried on is NaN.
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


def restore_linkage(outcome: Outcome, context: AuditContext) -> Linkage:
    """Return the links a part stored, without ranks, which are not needed again."""
    arrays = outcome.arrays
    n_links = len(arrays["released"])
    return Linkage(
        released=arrays["released"],
        auxiliary=arrays["auxiliary"],
        weight=np.zeros(n_links),
        confidence=arrays["confidence"],
        confidence_is_least=np.zeros(n_links, dtype=bool),
        n_released=context.sizes.n_released,
        n_auxiliary=context.sizes.n_auxiliary,
        rank=_no_ranks,
        facts=attack_of(outcome).chosen,
    )


def _no_ranks(released: Ints, auxiliary: Ints) -> Ranks:
    raise ValueError("kept links have no ranks")


def control_attack(
    name: str,
    attack: Attack[Features],
    features: tuple[Features, Features],
    context: AuditContext,
    before: Mapping[str, Outcome],
    progress: PartProgress,
) -> Outcome:
    """Run the controls of an attack on all people: absent people, and permuted rows."""
    options, truth = ControlOptions(seed=context.options.seed), context.truth
    found = [control_absent(name, attack, *features, truth, options)]
    progress(0.5)
    linkage = restore_linkage(before[f"attack/{name}"], context)
    found += control_permuted(name, attack, *features, truth, options, linkage=linkage)
    return keep_controls(control.to_finding() for control in found)
