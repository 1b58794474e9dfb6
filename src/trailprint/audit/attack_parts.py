"""The attacks of an audit on habits and on sets of places, each with its baseline."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.attacks.histogram import MatchOptions, match_histograms
from trailprint.attacks.trail import TrailOptions, match_trails
from trailprint.audit.bench import Bench
from trailprint.audit.parts import Outcome, Tell
from trailprint.audit.wording import ABOUT
from trailprint.evaluation.agreement import align_people, linked_people
from trailprint.evaluation.per_user import estimate_user_risk
from trailprint.evaluation.ranks import measure_ranks
from trailprint.evaluation.risk import Risk, correct_links, measure_risk, precision_at_coverage
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.features.trails import Trails
from trailprint.linkage import Ints, Linkage, Ranks

HistogramAttack = Callable[[Histograms, Histograms], Linkage]
TrailAttack = Callable[[Trails, Trails], Linkage]

_COUNTED = {"visits": "visits", "duration": "durations", "day-balanced": "balanced days"}
_REIDIT = {
    ("complete", "none"): "REIDIT-C: equal trails that are the only ones of their kind",
    ("incomplete", "identified"): "REIDIT-I: known trails within released ones",
    ("incomplete", "deidentified"): "REIDIT-I: released trails within known ones",
    ("multiple", "identified"): "REIDIT-M: known trails within released ones",
    ("multiple", "deidentified"): "REIDIT-M: released trails within known ones",
}


def histogram_attack(bench: Bench, *, margins: bool = True) -> HistogramAttack:
    """Joint matching, as the audit runs it again and again."""
    options = MatchOptions(margins=margins, seed=bench.options.seed)
    return lambda released, auxiliary: match_histograms(
        released, auxiliary, options, n_threads=bench.n_threads
    )


def attack_histograms(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """Joint matching with margins, and one-by-one as the baseline."""
    began = time.perf_counter()
    linkage = histogram_attack(bench)(*bench.histograms)
    seconds = time.perf_counter() - began
    tell(0.6)
    alone = MatchOptions(method="one-by-one", seed=bench.options.seed)
    nearest = match_histograms(*bench.histograms, alone, n_threads=bench.n_threads)
    entry = describe("histogram", linkage, bench.truth, seconds)
    points = precision_at_coverage(linkage, bench.truth)
    keys = ("coverage", "precision", "links")
    entry |= {
        "variant": f"joint matching of {_COUNTED[bench.options.weight]}, Jensen–Shannon weight",
        "baseline": baseline("One by one: the nearest record for each", nearest, bench.truth),
        "coverage": [{key: asdict(point)[key] for key in keys} for point in points],
        "proof": {"optimality_gap": linkage.facts["optimality_gap"]},
    }
    return Outcome(data={"entry": entry}, arrays=find_people(linkage, bench, bench.truth))


def trail_attack(bench: Bench, options: TrailOptions) -> TrailAttack:
    """Trail matching with everything chosen."""
    return lambda released, auxiliary: match_trails(
        released, auxiliary, options, n_threads=bench.n_threads
    )


def attack_trails(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """REIDIT with what the data allows; where it allows nothing, with what links most."""
    began = time.perf_counter()
    linkage, notes = _strongest_reidit(bench)
    seconds = time.perf_counter() - began
    tell(0.6)
    facts = linkage.facts
    entry = describe("trail", linkage, bench.truth, seconds)
    entry["variant"] = _REIDIT[facts["algorithm"], facts["reserved"]]
    entry["notes"] = notes
    if facts["algorithm"] != "complete":
        plain = trail_attack(bench, TrailOptions(algorithm="complete"))(*bench.trails)
        title = "Equal trails only (REIDIT-C)"
        entry["baseline"] = baseline(title, plain, bench.truth)
    chosen = {name: facts[name] for name in ("algorithm", "reserved")}
    return Outcome(
        data={"entry": entry, "chosen": chosen}, arrays=find_people(linkage, bench, bench.truth)
    )


def _strongest_reidit(bench: Bench) -> tuple[Linkage, list[str]]:
    first = trail_attack(bench, TrailOptions())(*bench.trails)
    if first.facts["guaranteed"]:
        return first, ["The data allows the release tactic assumed: no link need be wrong."]
    ways = (
        TrailOptions(algorithm="complete"),
        TrailOptions(algorithm="incomplete", reserved="identified"),
        TrailOptions(algorithm="incomplete", reserved="deidentified"),
    )
    found = [trail_attack(bench, way)(*bench.trails) for way in ways]
    right = [np.count_nonzero(correct_links(linkage, bench.truth)) for linkage in found]
    return found[int(np.argmax(right))], [
        "The data contradicts every release tactic REIDIT assumes, so links may be wrong. Of its "
        "three variants the one with the most right links is shown."
    ]


def describe(name: str, linkage: Linkage, truth: Truth, seconds: float) -> dict[str, Any]:
    """What every attack says of itself, in the shape of the result."""
    ranks = measure_ranks(linkage, truth).to_dict()
    return {
        "name": name,
        **ABOUT[name],
        "ran": True,
        "why_not": None,
        **_risk(measure_risk(linkage, truth)),
        "variant": "",
        "baseline": None,
        "ranks": ranks if ranks["curve"] else None,
        "coverage": [],
        "notes": [],
        "proof": {},
        "seconds": seconds,
    }


def did_not_run(name: str, why_not: str) -> dict[str, Any]:
    """An attack that was left out."""
    unknown = ("matched", "correct", "accuracy", "interval", "chance", "precision")
    return {
        "name": name,
        **ABOUT[name],
        "ran": False,
        "why_not": why_not,
        "people": 0,
        **dict.fromkeys(unknown),
        "variant": "",
        "baseline": None,
        "ranks": None,
        "coverage": [],
        "notes": [],
        "proof": {},
        "seconds": 0.0,
    }


def _risk(risk: Risk | None) -> dict[str, Any]:
    if risk is None:
        raise ValueError("an audit knows who is who")
    return {
        "people": risk.n_common,
        "matched": risk.n_matched,
        "correct": risk.n_correct,
        "accuracy": risk.accuracy,
        "interval": risk.accuracy_interval and list(risk.accuracy_interval),
        "chance": risk.chance,
        "precision": risk.precision,
    }


def baseline(title: str, linkage: Linkage, truth: Truth) -> dict[str, Any]:
    """A simpler attack to compare with."""
    found = _risk(measure_risk(linkage, truth))
    return {"title": title, **{key: found[key] for key in ("accuracy", "interval", "chance")}}


def find_people(
    linkage: Linkage, bench: Bench, truth: Truth, users: tuple[pa.Array, pa.Array] | None = None
) -> dict[str, NDArray[Any]]:
    """
    Whom an attack finds, for each of the bench's people; its links, in rows of histograms.

    ``users`` are the users of the attack's rows, where they are not the bench's. Somebody the
    attack was not tried on has no risk (nan).
    """
    known = bench.histograms[0].users, bench.histograms[1].users
    own = known if users is None else users
    risk = np.full(len(bench.people), np.nan)
    risk[_look_up(own[0].take(pa.array(truth.released)), bench.people)] = estimate_user_risk(
        linkage, truth
    )
    return {
        "linked": align_people(bench.people, {"": linked_people(linkage, truth, own[0])})[""],
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
