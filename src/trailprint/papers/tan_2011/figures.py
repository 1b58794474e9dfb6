"""Tan et al. 2011: correlation attacks on a campus association log (Figures 3, 4 and 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from trailprint.attacks.options import CorrelateOptions, Model
from trailprint.attacks.sequence.correlation import correlate_sequences
from trailprint.errors import InputError, OptionError
from trailprint.evaluation.candidates import CandidateSets, average_sets, measure_candidates
from trailprint.evaluation.truth import truth_from_ids
from trailprint.events.events import Events
from trailprint.events.filters import active_users
from trailprint.events.reading.read import read
from trailprint.events.split import SplitOptions, split
from trailprint.features.sequences import Sequences, build_sequence_pair
from trailprint.papers.comparison import (
    Basis,
    Comparison,
    compare_share,
    tuned,
)
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.protections.coarsen import CoarsenNames
from trailprint.protections.perturb import PerturbLocations, PerturbTimes
from trailprint.protections.protection import EventProtection
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import MemoryStore

PAPER = "Tan et al. 2011"
SOURCE = "associations-2011"
N_FOLDS = 10
N_ROUNDS, N_ROUNDS_FULL = 1, 10
SETTINGS: Mapping[str, str] = {
    "rounds": "how many of the ten rounds to run (default 1; 10 with --full)",
}
#: The reduced campus has fewer people on the same map, but as many per home access point.
N_USERS = 300
MIN_ACTIVE_DAYS = 45
#: Sizes of candidate sets shown.
SIZES = (1, 2, 5, 10, 20)
_MODELS: Mapping[str, Model] = {"CRF": "crf", "distance": "distance"}
LENGTHS: Mapping[str, int | None] = {"5–6 days": None, "3 days": 3, "2 days": 2}

_SUCCESS = tuned(
    "The makers of the simulated campus turned conformity, how alike days are and how many visits "
    "there are until the CRF attack succeeded about as often as in Figure 3."
)
_PROTECTED = tuned(
    "The makers of the simulated campus put in devices that keep to one access point, usual "
    "lengths of stay and short hand-offs because of Figures 4 and 5."
)
#: The paper's results in percent: by model and length, then by size of the candidate set.
_PAPER_LENGTHS: Mapping[str, Mapping[int, float]] = {
    "CRF, 5–6 days": {1: 73.21, 2: 80.12, 5: 92.09, 20: 99.72},
    "CRF, 2 days": {1: 61.67, 20: 98.51},
}
_PAPER_PROTECTED: Mapping[str, Mapping[int, float]] = {
    "nothing": {1: 73.21, 5: 92.09},
    "floors kept": {1: 70.92, 5: 83.64},
    "buildings kept": {1: 64.78, 5: 74.10},
    "locations perturbed": {1: 67.14, 5: 88.03},
    "times perturbed": {1: 60.77, 5: 85.83},
}
_PROTECTIONS: Mapping[str, EventProtection | None] = {
    "nothing": None,
    "floors kept": CoarsenNames(levels=2),
    "buildings kept": CoarsenNames(levels=1),
    "locations perturbed": PerturbLocations(previous=0.15, next=0.15),
    "times perturbed": PerturbTimes(sigma_s=3600.0),
}


def _log(context: Context) -> Events:
    """Return the association log: the user's own (people active enough) or a simulated one."""

    def make() -> Events:
        if context.own(SOURCE) is not None:
            return _regulars(context.read(SOURCE))
        options = CampusOptions.paper(seed=context.seed)
        if not context.full:
            options = replace(options, n_users=N_USERS)
        return read(simulate_campus(options), engine=context.engine())

    return context.share("2011 log", make)


def _regulars(events: Events) -> Events:
    """Apply the paper's filter: people active on at least 45 days."""
    events.require("location", "A 2011 experiment")
    events.require("end", "A 2011 experiment")
    kept = active_users(events, MIN_ACTIVE_DAYS)
    if not kept.count():
        raise InputError(
            f"The 2011 experiments need people active on {MIN_ACTIVE_DAYS} days or more, but there "
            "are none. Give a log of two months."
        )
    return kept


def _correlate(
    context: Context,
    name: str,
    attacks: Mapping[str, CorrelateOptions],
    report: Callable[[str, float | None], None],
) -> dict[str, list[CandidateSets]]:
    """
    Return the candidate sets of each attack on a log under protection ``name``, one per round.

    In a round, one bin of each person's days is the auxiliary side and the others are released. A
    round's models serve all attacks and are then discarded; only the candidate sets are kept.
    """
    kept = {attack: f"2011 {name}, {attack}" for attack in attacks}
    found: dict[str, list[CandidateSets]] = {attack: [] for attack in attacks}
    if not all(context.has(key) for key in kept.values()):
        for number in range(_n_rounds(context)):
            sides, models = _cut(context, _PROTECTIONS[name], number), MemoryStore()
            for attack, options in attacks.items():
                linkage = correlate_sequences(
                    *sides, options, store=models, n_threads=context.n_threads, progress=report
                )
                truth = truth_from_ids(sides[0].users, sides[1].users)
                found[attack] += _filled(measure_candidates(linkage, truth))
    return {
        attack: context.share(kept[attack], partial(found.__getitem__, attack)) for attack in kept
    }


def _n_rounds(context: Context) -> int:
    """Return how many of the ten rounds to run; raises for an invalid number."""
    text = context.settings.get("rounds", str(N_ROUNDS_FULL if context.full else N_ROUNDS))
    if not (text.isdecimal() and 1 <= int(text) <= N_FOLDS):
        raise OptionError(
            f"--set rounds must be a whole number from 1 to {N_FOLDS}, got {text!r}. Try rounds=1.",
            option="set",
        )
    return int(text)


def _filled(sets: CandidateSets | None) -> list[CandidateSets]:
    return [sets] if sets is not None and sets.n_records else []


def _cut(
    context: Context, protection: EventProtection | None, number: int
) -> tuple[Sequences, Sequences]:
    """Return the released and the auxiliary side of a round; public protections change both."""
    sides = split(_log(context), SplitOptions(fold=f"{number + 1}/{N_FOLDS}"))
    released, auxiliary = sides.released, sides.auxiliary
    if protection is not None:
        rule = protection.rule(released, auxiliary, (context.seed, number))
        released = rule(released)
        auxiliary = rule(auxiliary) if protection.is_public else auxiliary
    return build_sequence_pair(released, auxiliary)


def _rows(label: Mapping[str, Any], found: Sequence[CandidateSets]) -> list[dict[str, Any]]:
    if not found:
        raise InputError(
            f"The 2011 experiments need people with days in several of {N_FOLDS} bins of their "
            "span, but there are none. Give a log of two months."
        )
    average = average_sets(found, SIZES)
    rows = []
    for size in SIZES:
        low, high = average.top_interval[size] or (None, None)
        rows.append(
            {
                **label,
                "candidates": size,
                "share": average.top[size],
                "low": low,
                "high": high,
                "users": max(sets.n_candidates for sets in found),
                "rounds": len(found),
            }
        )
    return rows


def _compare(
    rows: Sequence[Mapping[str, Any]], name: str, printed: Mapping[int, float], basis: Basis
) -> list[Comparison]:
    shares = {row["candidates"]: row["share"] for row in rows}
    return [
        compare_share(f"{name}: {_within(size)}", percent, shares[size], basis)
        for size, percent in printed.items()
    ]


def _within(size: int) -> str:
    return "pinpointed" if size == 1 else f"among {size}"


def _inner(context: Context, number: int, n_parts: int) -> Callable[..., None]:
    """Scale the progress of one part to that of the experiment."""

    def report(what: str, done: float | None) -> None:
        context.report(what, (number + (done or 0.0)) / n_parts)

    return report


def _chart(series: str, title: str = "", **where: Any) -> Chart:
    return Chart(
        kind="line",
        title=title,
        x="candidates",
        y="share",
        series=series,
        low="low",
        high="high",
        x_title="candidates looked at",
        y_title="people among them",
        log_x=True,
        y_is_share=True,
        where=where,
    )


def _notes(context: Context, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    first = rows[0]
    size = f"{first['users']:,} people, {first['rounds']} of {N_FOLDS} rounds"
    if context.own(SOURCE) is None and not context.full:
        size += "; the paper has 4,285 people, as many access points and ten rounds"
    return (
        f"{size}.",
        "Two or three days are the first with data of the bin that is held out.",
        "Candidates of equal score count in full (MSCIS).",
    )


def run_figure_3(context: Context) -> ExperimentOutcome:
    """Compare CRF and distance for three lengths of auxiliary data."""
    attacks = {
        f"{label}, {length}": CorrelateOptions(model=model, days=days, seed=context.seed)
        for label, model in _MODELS.items()
        for length, days in LENGTHS.items()
    }
    found = _correlate(context, "nothing", attacks, _inner(context, 0, 1))
    rows: list[dict[str, Any]] = []
    comparisons: list[Comparison] = []
    for line, sets in found.items():
        part = _rows({"line": line}, sets)
        rows += part
        comparisons += _compare(part, line, _PAPER_LENGTHS.get(line, {}), _SUCCESS)
    return ExperimentOutcome(
        rows=rows,
        comparisons=comparisons,
        reading=_read_lengths(rows),
        charts=(_chart("line"),),
        notes=_notes(context, rows),
    )


def _read_lengths(rows: Sequence[Mapping[str, Any]]) -> str:
    found = {row["line"]: row["share"] for row in rows if row["candidates"] == 1}
    return (
        f"With five or six days known, {found['CRF, 5–6 days']:.0%} are pinpointed by a model of "
        f"each person's days and {found['distance, 5–6 days']:.0%} by the distance of daily "
        f"times; with two days the model pinpoints {found['CRF, 2 days']:.0%}."
    )


def _read_protected(rows: Sequence[Mapping[str, Any]]) -> str:
    found = {row["protection"]: row["share"] for row in rows if row["candidates"] == 1}
    shares = "; ".join(f"{name}, {share:.0%}" for name, share in found.items())
    return f"Pinpointed by the model, by what was done to the log: {shares}."


def _run_protected(*names: str) -> Callable[[Context], ExperimentOutcome]:
    """Return an experiment that runs the CRF attack on protected logs, with all known days."""

    def run(context: Context) -> ExperimentOutcome:
        rows: list[dict[str, Any]] = []
        comparisons: list[Comparison] = []
        attack = {"CRF, 5–6 days": CorrelateOptions(seed=context.seed)}
        for number, name in enumerate(names):
            found = _correlate(context, name, attack, _inner(context, number, len(names)))
            part = _rows({"protection": name}, found["CRF, 5–6 days"])
            rows += part
            basis = _SUCCESS if name == "nothing" else _PROTECTED
            comparisons += _compare(part, name, _PAPER_PROTECTED[name], basis)
        return ExperimentOutcome(
            rows=rows,
            comparisons=comparisons,
            reading=_read_protected(rows),
            charts=(_chart("protection"),),
            notes=_notes(context, rows),
        )

    return run


EXPERIMENTS = (
    Experiment(
        name="2011-figure-3",
        paper=PAPER,
        title="How much must be known to find somebody in a log",
        run=run_figure_3,
        sources=(SOURCE,),
        settings=SETTINGS,
        check=_n_rounds,
    ),
    Experiment(
        name="2011-figure-4",
        paper=PAPER,
        title="Access points named by floor or building only",
        run=_run_protected("nothing", "floors kept", "buildings kept"),
        sources=(SOURCE,),
        settings=SETTINGS,
        check=_n_rounds,
    ),
    Experiment(
        name="2011-figure-5",
        paper=PAPER,
        title="Places and times perturbed",
        run=_run_protected("nothing", "locations perturbed", "times perturbed"),
        sources=(SOURCE,),
        settings=SETTINGS,
        check=_n_rounds,
    ),
)
