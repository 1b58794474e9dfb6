"""Assemble the publishable result of an audit, without identifiers, from its parts."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from typing import Any, TypeVar, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.audit.attacked import list_attacked, worst_risk
from trailprint.audit.attacks.registry import attack_names, find_attack
from trailprint.audit.context import AuditContext
from trailprint.audit.disclosure import disclose_known, mask_attack, mask_bins, mask_protection
from trailprint.audit.frontier import find_target, mark_frontier
from trailprint.audit.headline import make_headline
from trailprint.audit.maps import draw_up_map
from trailprint.audit.overlaps import compare_all
from trailprint.audit.parts import Outcome
from trailprint.audit.planning.plan import LeftOut
from trailprint.audit.results import kept
from trailprint.audit.results.attacks import Agreement, AttackFinding, MeasuredAttack, WorstCase
from trailprint.audit.results.data import DataFacts, Has, Outside, Sampled, SideFacts, SplitFacts
from trailprint.audit.results.findings import Findings, Privacy, TimeSpent
from trailprint.audit.results.growth import Growth, StudyLeftOut
from trailprint.audit.results.protections import (
    NONE,
    MeasuredProtections,
    ProtectionLeftOut,
    Protections,
)
from trailprint.audit.sections.points import find_points
from trailprint.audit.sections.protection_search import SEARCH
from trailprint.audit.sides import Sides
from trailprint.audit.wording import LOSS_MEANING, NOTHING_KNOWN, target_sentence
from trailprint.display.discreet import Discreet
from trailprint.evaluation.per_user import RiskSpread, distribute_risk
from trailprint.events.engine import quote_name
from trailprint.events.events import Column, Events, Tally
from trailprint.events.oddities import describe_oddities
from trailprint.events.periods import periods_overlap
from trailprint.events.summary import inspect
from trailprint.studies.findings import Why
from trailprint.studies.growth.findings import (
    AmountGrowth,
    KnowledgeGrowth,
    ResolutionGrowth,
    Study,
    TimeGrowth,
    UsersGrowth,
)
from trailprint.studies.small_counts import SMALL

S = TypeVar("S", bound=Study)

_PACKAGES = ("trailprint", "numpy", "scipy", "numba", "duckdb", "pyarrow", "python-crfsuite")

_UNPROTECTED = "Protections compared with the data as it is"
"""Label of the unprotected data where there was no time to measure it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Done(Discreet):
    """Outcomes of the parts, the parts left out, and the rows skipped on reading."""

    outcomes: Mapping[str, Outcome]
    left_out: Sequence[LeftOut]
    tallies: Sequence[Tally]
    seconds: float

    def reasons(self, kind: str) -> list[tuple[str, str]]:
        """Return name and reason of each left-out part of a kind, such as ``growth``."""
        prefix = f"{kind}/"
        return [
            (skipped.name.removeprefix(prefix), skipped.why)
            for skipped in self.left_out
            if skipped.name.startswith(prefix)
        ]


def assemble(context: AuditContext, done: Done) -> Findings:
    """Return everything that may be published."""
    measured = {
        name: kept.attack_of(outcome).entry
        for name, outcome in list_attacked(done.outcomes).items()
    }
    protections = _protections(context, done)
    worst, agreement = _together(done)
    data = _data(context, done)
    return Findings(
        version=version("trailprint"),
        seed=context.options.seed,
        privacy=Privacy(
            small_count_threshold=SMALL, locations_named=context.options.name_locations
        ),
        data=data,
        headline=make_headline(
            list(measured.values()), protections, context.sizes.n_people, data.knows
        ),
        attacks=_attacks(measured, done),
        worst_case=worst,
        agreement=agreement,
        controls=tuple(
            control
            for name in attack_names()
            if f"control/{name}" in done.outcomes
            for control in kept.controls_of(done.outcomes[f"control/{name}"])
        ),
        growth=_growth(done),
        protections=_mask_protections(protections, context.sizes.n_people),
        why=_why(context, done),
        per_user=_per_user(done),
        points=find_points(context, done.outcomes, dict(done.reasons("points"))),
        settings={**context.options.to_dict(), "data_notes": _notes(context)},
        versions={"python": platform.python_version()}
        | {package: version(package) for package in _PACKAGES},
        seconds=TimeSpent(
            total=done.seconds,
            parts={name: outcome.seconds for name, outcome in done.outcomes.items()},
            estimated={name: outcome.estimated for name, outcome in done.outcomes.items()},
        ),
    )


def _attacks(measured: Mapping[str, MeasuredAttack], done: Done) -> tuple[AttackFinding, ...]:
    """List all attacks; those that did not run say why."""
    reasons = dict(done.reasons("attack"))
    return tuple(
        mask_attack(measured[name])
        if name in measured
        else find_attack(name).finding(
            why_not=reasons.get(name, "It was not requested (--attacks).")
        )
        for name in attack_names()
    )


def _data(context: AuditContext, done: Done) -> DataFacts:
    sides, sizes = context.sides, context.sizes
    columns = [side.columns for side in context.events]
    return DataFacts(
        sides="two" if sides.kind is None else "split",
        split=None
        if sides.kind is None
        else SplitFacts(kind=sides.kind, description=sides.description or ""),
        released=_side(sides.released),
        auxiliary=_side(sides.auxiliary),
        common_users=sizes.n_people,
        locations=sizes.n_locations,
        sampled=None
        if sides.sampled_of is None
        else Sampled(users=sizes.n_people, of=sides.sampled_of),
        has=Has(
            times=all("start" in own for own in columns),
            durations=all("end" in own for own in columns),
            positions=all("lat" in own for own in columns),
        ),
        rows_skipped=sum(sum(tally.bad.values()) for tally in done.tallies),
        rows_left_out=_left_out_rows(done.tallies),
        periods_overlap=periods_overlap(*context.events),
        truth=sides.truth,
        knows=disclose_known(sides.known),
        columns=_list_columns(context.events),
        timezone=" and ".join(dict.fromkeys(side.timezone for side in context.events)),
        outside=_outside(sides),
    )


_ONE_SIDE = "their data is on one side of the cut only"
_WHY_OUTSIDE = {
    None: "they are on one side only",
    "weeks-halves": "they were active in one week only",
    "halves-of-weeks": "they were active in one week only",
}


def _outside(sides: Sides) -> Outside | None:
    """People on one side only, whom no rate covers; None if there are none."""
    n_both = sides.sampled_of or sides.n_people
    n_outside = sides.n_given - n_both
    if n_outside <= 0:
        return None
    why = _WHY_OUTSIDE.get(sides.kind, _ONE_SIDE)
    return Outside(people=n_outside, of=sides.n_given, why=why)


def _list_columns(events: Sequence[Events]) -> tuple[str, ...]:
    """Columns that both sides have, named as in the command-line flags."""
    shared = frozenset.intersection(*(side.columns for side in events))
    named = (name for name in get_args(Column) if name in shared)
    return tuple("count" if name == "weight" else name for name in named)


def _left_out_rows(tallies: Sequence[Tally]) -> dict[str, int]:
    """Rows left out on purpose, by reason."""
    counts: Counter[str] = Counter()
    for tally in tallies:
        counts.update(tally.left_out)
    return dict(counts)


def _notes(context: AuditContext) -> list[str]:
    """Notes on how the data was prepared and on oddities in it."""
    notes = [note for side in context.events for note in side.notes]
    odd = describe_oddities(_both_sides(*context.events), fewest=SMALL)
    return list(dict.fromkeys((*notes, *odd)))


def _both_sides(released: Events, auxiliary: Events) -> Events:
    """The events of both sides."""
    columns = released.columns & auxiliary.columns
    chosen = ", ".join(quote_name(column) for column in sorted(columns))
    sides = (f"SELECT {chosen} FROM ({side.query})" for side in (released, auxiliary))
    return replace(released, query=" UNION ALL ".join(sides), columns=columns)


def _side(events: Events) -> SideFacts:
    found = inspect(replace(events, raw_query=""))
    return SideFacts(
        users=found.users,
        locations=found.locations or 0,
        events=found.events,
        first=found.first,
        last=found.last,
        days=_days(found.first, found.last),
        active_days_median=found.active_days_median,
    )


def _days(first: str | None, last: str | None) -> int | None:
    if first is None or last is None:
        return None
    return (date.fromisoformat(last) - date.fromisoformat(first)).days + 1


def _together(done: Done) -> tuple[WorstCase, tuple[Agreement, ...]]:
    """The worst case over all attacks, and the agreement of each pair of attacks."""
    tried = {name: ~np.isnan(risk) for name, risk in _by_attack(done, "risk").items()}
    return compare_all(_by_attack(done, "linked"), tried)


def _by_attack(done: Done, array: str) -> dict[str, NDArray[Any]]:
    return {name: outcome.arrays[array] for name, outcome in list_attacked(done.outcomes).items()}


def _per_user(done: Done) -> RiskSpread:
    found = distribute_risk(np.nan_to_num(worst_risk(done.outcomes)))
    return replace(found, bins=mask_bins(found.bins))


def _growth(done: Done) -> Growth:
    users = _study(done, "users", UsersGrowth)
    time = _study(done, "time", TimeGrowth)
    resolution = _study(done, "resolution", ResolutionGrowth)
    knowledge = _study(done, "knowledge", KnowledgeGrowth)
    amount = _study(done, "amount-known", AmountGrowth)
    refused = {
        "users": users.why_not,
        "time": time.why_not,
        "resolution": resolution.why_not,
        "knowledge": knowledge.why_not,
        "amount-known": amount.why_not,
    }
    reasons = done.reasons("growth") + [(name, why) for name, why in refused.items() if why]
    return Growth(
        users=users.study,
        time=time.study,
        resolution=resolution.study,
        knowledge=knowledge.study,
        amount_known=amount.study,
        left_out=tuple(StudyLeftOut(study=name, why=why) for name, why in reasons),
    )


def _study(done: Done, name: str, kind: type[S]) -> kept.KeptStudy[S]:
    outcome = done.outcomes.get(f"growth/{name}")
    if outcome is None:
        return kept.KeptStudy(study=None, why_not=None)
    return kept.study_of(outcome, kind)


def _protections(context: AuditContext, done: Done) -> MeasuredProtections:
    """The latest measurement of each protection: the search judges again what other parts tried."""
    tried = [name for name in done.outcomes if name.startswith("protect/")]
    names = [*tried, *(name for name in (SEARCH,) if name in done.outcomes)]
    found = [kept.protections_of(done.outcomes[name]) for name in names]
    latest = {point.written: point for family in found for point in family.points}
    points = mark_frontier(list(latest.values()))
    target_risk = context.options.target_risk
    return MeasuredProtections(
        points=points,
        target_risk=target_risk,
        target=None if target_risk is None else find_target(points, target_risk),
        left_out=(
            *(refused for family in found for refused in family.left_out),
            *(
                ProtectionLeftOut(label=_UNPROTECTED if name == NONE else name, why=why)
                for name, why in done.reasons("protect")
            ),
            *(
                ProtectionLeftOut(label=skipped.title, why=skipped.why)
                for skipped in done.left_out
                if skipped.name == SEARCH
            ),
        ),
        search=found[-1].search if found else None,
    )


def _mask_protections(protections: MeasuredProtections, n_people: int) -> Protections:
    """Mask protections for publication; the best one was chosen from exact values before."""
    target_risk, target = protections.target_risk, protections.target
    told = None if target is None else mask_protection(target, n_people)
    return Protections(
        points=tuple(mask_protection(point, n_people) for point in protections.points),
        loss_meaning=LOSS_MEANING,
        target_risk=target_risk,
        target=told,
        left_out=protections.left_out,
        target_reading=None
        if target_risk is None
        else target_sentence(target_risk, told, n_people, protections.search),
        search=protections.search,
    )


def _why(context: AuditContext, done: Done) -> Why:
    outcome = done.outcomes.get("why")
    if outcome is not None:
        found = kept.why_of(outcome)
        return _name_locations(context, outcome, found) if context.options.name_locations else found
    reason = next((skipped.why for skipped in done.left_out if skipped.name == "why"), "")
    return Why(locations=(), one_rare_location=None, reading=f"{NOTHING_KNOWN} {reason}")


def _name_locations(context: AuditContext, outcome: Outcome, why: Why) -> Why:
    """Add names to the most revealing locations; the stored part has only their row numbers."""
    top = outcome.arrays["locations"]
    names = context.histograms[0].locations.take(pa.array(top)).to_pylist()
    named = zip(why.locations, names, strict=True)
    return replace(
        why,
        locations=tuple(replace(row, label=str(name)) for row, name in named),
        map=draw_up_map(context, top, why),
    )
