"""The result of an audit from the outcomes of its parts: plain values, no identifiers."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa

from trailprint.audit.attack_parts import did_not_run
from trailprint.audit.bench import Bench
from trailprint.audit.disclosure import veil_attack, veil_bins, veil_point
from trailprint.audit.headline import make_headline
from trailprint.audit.options import ATTACKS
from trailprint.audit.overlaps import tell_together
from trailprint.audit.parts import Outcome
from trailprint.audit.plan import LeftOut
from trailprint.audit.protection_parts import mark_frontier
from trailprint.audit.wording import LOSS_MEANING, NOTHING_KNOWN, target_sentence
from trailprint.discreet import Discreet
from trailprint.evaluation.per_user import distribute_risk
from trailprint.events.events import Events, Tally
from trailprint.events.periods import periods_overlap
from trailprint.events.summary import inspect
from trailprint.studies.small_counts import SMALL

SCHEMA = "trailprint.result/1"
_PACKAGES = ("trailprint", "numpy", "scipy", "numba", "duckdb", "pyarrow", "python-crfsuite")
_STUDIES = ("users", "time", "resolution", "knowledge")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Done(Discreet):
    """What the parts found, what was left out, and what reading left aside."""

    outcomes: Mapping[str, Outcome]
    left_out: Sequence[LeftOut]
    tallies: Sequence[Tally]
    seconds: float


def assemble(bench: Bench, done: Done) -> dict[str, Any]:
    """``result.json`` as a dict; see its schema."""
    attacks = _attacks(bench, done)
    protections = _protections(bench, done)
    worst, agreement = _together(done)
    return {
        "schema": SCHEMA,
        "version": version("trailprint"),
        "seed": bench.options.seed,
        "privacy": {
            "small_count_threshold": SMALL,
            "locations_named": bench.options.name_locations,
        },
        "data": _data(bench, done),
        "headline": make_headline(attacks, protections, bench.sizes.n_people),
        "attacks": [veil_attack(attack) for attack in attacks],
        "worst_case": worst,
        "agreement": agreement,
        "controls": [
            control
            for name in ATTACKS
            if f"control/{name}" in done.outcomes
            for control in done.outcomes[f"control/{name}"].data["controls"]
        ],
        "growth": _growth(done),
        "protections": _veil_protections(protections, bench.sizes.n_people),
        "why": _why(bench, done),
        "per_user": _per_user(bench, done),
        "settings": {**bench.options.to_dict(), "data_notes": _notes(bench)},
        "versions": {"python": platform.python_version()}
        | {package: version(package) for package in _PACKAGES},
        "seconds": {
            "total": done.seconds,
            "parts": {name: outcome.seconds for name, outcome in done.outcomes.items()},
        },
    }


def _attacks(bench: Bench, done: Done) -> list[dict[str, Any]]:
    """Every attack there is; those that did not run say why."""
    reasons = {skipped.name: skipped.why for skipped in done.left_out}
    entries = []
    for name in ATTACKS:
        outcome = done.outcomes.get(f"attack/{name}")
        if outcome is not None:
            entries.append(outcome.data["entry"])
        else:
            why = reasons.get(f"attack/{name}", "It was not asked for.")
            entries.append(did_not_run(name, why))
    return entries


def _data(bench: Bench, done: Done) -> dict[str, Any]:
    sides, sizes = bench.sides, bench.sizes
    columns = [side.columns for side in bench.events]
    return {
        "sides": "two" if sides.kind is None else "split",
        "split": None
        if sides.kind is None
        else {"kind": sides.kind, "description": sides.description},
        "released": _side(sides.released),
        "auxiliary": _side(sides.auxiliary),
        "common_users": sizes.n_people,
        "locations": sizes.n_locations,
        "sampled": None
        if sides.sampled_of is None
        else {"users": sizes.n_people, "of": sides.sampled_of},
        "has": {
            "times": all("start" in own for own in columns),
            "durations": all("end" in own for own in columns),
            "positions": all("lat" in own for own in columns),
        },
        "rows_skipped": sum(sum(tally.bad.values()) for tally in done.tallies),
        "rows_left_out": _left_out_rows(done.tallies),
        "periods_overlap": periods_overlap(*bench.events),
        "truth": sides.truth,
    }


def _left_out_rows(tallies: Sequence[Tally]) -> dict[str, int]:
    """Rows left out on purpose, by reason."""
    counts: Counter[str] = Counter()
    for tally in tallies:
        counts.update(tally.left_out)
    return dict(counts)


def _notes(bench: Bench) -> list[str]:
    """What was done to the data before it was audited, in words."""
    return list(dict.fromkeys(note for side in bench.events for note in side.notes))


def _side(events: Events) -> dict[str, Any]:
    found = inspect(replace(events, raw_query=""))
    return {
        "users": found.users,
        "locations": found.locations,
        "events": found.events,
        "first": found.first,
        "last": found.last,
        "days": _days(found.first, found.last),
        "active_days_median": found.active_days_median,
    }


def _days(first: str | None, last: str | None) -> int | None:
    if first is None or last is None:
        return None
    return (date.fromisoformat(last) - date.fromisoformat(first)).days + 1


def _together(done: Done) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The worst case for each person, and where every two attacks agree."""
    tried = {name: ~np.isnan(risk) for name, risk in _by_attack(done, "risk").items()}
    return tell_together(_by_attack(done, "linked"), tried)


def _by_attack(done: Done, array: str) -> dict[str, Any]:
    return {
        name: done.outcomes[f"attack/{name}"].arrays[array]
        for name in ATTACKS
        if f"attack/{name}" in done.outcomes
    }


def worst_risk(outcomes: Mapping[str, Outcome]) -> Any:
    """Each person's highest estimated risk over the attacks tried on her."""
    risks = [
        outcomes[f"attack/{name}"].arrays["risk"]
        for name in ATTACKS
        if f"attack/{name}" in outcomes
    ]
    return np.fmax.reduce(risks)


def _per_user(bench: Bench, done: Done) -> dict[str, Any]:
    found = distribute_risk(np.nan_to_num(worst_risk(done.outcomes)))
    return {**found, "bins": veil_bins(found["bins"])}


def _growth(done: Done) -> dict[str, Any]:
    studies: dict[str, Any] = dict.fromkeys(_STUDIES)
    left_out = [
        {"study": skipped.name.removeprefix("growth/"), "why": skipped.why}
        for skipped in done.left_out
        if skipped.name.startswith("growth/")
    ]
    for name in _STUDIES:
        outcome = done.outcomes.get(f"growth/{name}")
        if outcome is not None:
            studies[name] = outcome.data["study"]
            if outcome.data["why_not"] is not None:
                left_out.append({"study": name, "why": outcome.data["why_not"]})
    return {**studies, "left_out": left_out}


def _protections(bench: Bench, done: Done) -> dict[str, Any]:
    found = [outcome.data for name, outcome in done.outcomes.items() if name.startswith("protect/")]
    points = mark_frontier([point for data in found for point in data["points"]])
    target_risk = bench.options.target_risk
    targets = [data["target"] for data in found if data.get("target") is not None]
    cheapest = min(targets, key=lambda point: point["loss"], default=None)
    target = None
    if cheapest is not None:
        same = ("name", "parameters")
        target = next(p for p in points if all(p[key] == cheapest[key] for key in same))
    return {
        "points": points,
        "loss_meaning": LOSS_MEANING,
        "target_risk": target_risk,
        "target": target,
        "left_out": [
            *(row for data in found for row in data["left_out"]),
            *(
                {"label": skipped.name.removeprefix("protect/"), "why": skipped.why}
                for skipped in done.left_out
                if skipped.name.startswith("protect/")
            ),
        ],
    }


def _veil_protections(protections: dict[str, Any], n_people: int) -> dict[str, Any]:
    """Protections as they may be told; which is best was found out before."""
    target_risk, target = protections["target_risk"], protections["target"]
    told = None if target is None else veil_point(target, n_people)
    return {
        **protections,
        "points": [veil_point(point, n_people) for point in protections["points"]],
        "target": told,
        "target_reading": None if target_risk is None else target_sentence(target_risk, told),
    }


def _why(bench: Bench, done: Done) -> dict[str, Any]:
    outcome = done.outcomes.get("why")
    if outcome is not None:
        found: dict[str, Any] = outcome.data["why"]
        return _name_locations(bench, outcome) if bench.options.name_locations else found
    reason = next((skipped.why for skipped in done.left_out if skipped.name == "why"), "")
    return {"locations": [], "one_rare_location": None, "reading": f"{NOTHING_KNOWN} {reason}"}


def _name_locations(bench: Bench, outcome: Outcome) -> dict[str, Any]:
    """The most revealing locations by name; what is kept of the part has numbers only."""
    rows = pa.array(outcome.arrays["locations"])
    names = bench.histograms[0].locations.take(rows).to_pylist()
    why = outcome.data["why"]
    named = [{**row, "label": name} for row, name in zip(why["locations"], names, strict=True)]
    return {**why, "locations": named}
