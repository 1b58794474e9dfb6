"""``trailprint.correlate``: sequence correlation from events to candidate sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from trailprint.arguments import check_arguments
from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence import correlate_chains, correlate_sequences, describe_training
from trailprint.display.discreet import Words
from trailprint.display.numbers import format_percent
from trailprint.display.plots import Plot, draw_bars
from trailprint.display.tables import Table
from trailprint.errors import InputError, OptionError
from trailprint.evaluation.candidates import (
    TOP,
    AverageSets,
    CandidateSets,
    average_sets,
    measure_candidates,
)
from trailprint.evaluation.risk import Risk, measure_risk, show_risk
from trailprint.evaluation.truth import Truth, find_truth
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.periods import periods_overlap
from trailprint.events.placing import PlaceOptions
from trailprint.events.sources import (
    Source,
    TruthSource,
    open_places,
    open_sources,
    open_truth,
)
from trailprint.features.places import build_chain_pair
from trailprint.features.sequences import Sequences, build_sequence_pair, build_sequences
from trailprint.linkage import Linkage
from trailprint.progress import Progress
from trailprint.store import FolderStore, Store
from trailprint.studies.folds import (
    FoldRound,
    first_days,
    measure_histograms,
    run_folds,
    run_position_folds,
)
from trailprint.studies.options import FoldOptions
from trailprint.system.addresses import check_writable
from trailprint.workflows.measuring import Stopwatch, peak_memory_mb
from trailprint.workflows.results import Makers, Result, as_table

Work = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrelateResult(Result):
    """
    What sequence correlation found.

    ``risk`` and ``sets`` are None without truth; ``histograms`` are the candidate sets of
    histograms alone, next to a CRF's ``sets``. Who was linked to whom is in ``links()`` only.
    """

    options: CorrelateOptions
    released_ids: pa.Array
    auxiliary_ids: pa.Array
    n_locations: int | None
    linkage: Linkage
    truth: Truth
    risk: Risk | None
    sets: CandidateSets | None
    histograms: CandidateSets | None
    periods_overlap: bool | None
    seconds: Mapping[str, float] = field(default_factory=dict)
    peak_memory_mb: float = 0.0

    def _shown(self) -> dict[str, object]:
        return {
            "model": Words(self.options.model),
            "released": self.linkage.n_released,
            "auxiliary": self.linkage.n_auxiliary,
            "links": self.linkage.n_links,
            **show_risk(self.risk),
        }

    def links(self) -> pa.Table:
        """Who is linked to whom: released, auxiliary, weight, confidence. Handle with care."""
        linkage = self.linkage
        return pa.table(
            {
                "released": self.released_ids.take(pa.array(linkage.released)),
                "auxiliary": self.auxiliary_ids.take(pa.array(linkage.auxiliary)),
                "weight": pa.array(linkage.weight),
                "confidence": pa.array(linkage.confidence),
            }
        )

    def _makers(self) -> Makers:
        sets = average_sets([] if self.sets is None else [self.sets])
        return {"links": as_table("links", self.links), "top": lambda: _top_table(sets)}

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        sets = self.sets
        return {} if sets is None else {"top": lambda: _plot_top(average_sets([sets]))}

    def to_dict(self) -> dict[str, Any]:
        """Counts, rates and costs as plain values, ready for JSON; no identifiers."""
        risk = self.risk
        sets = average_sets([] if self.sets is None else [self.sets])
        return {
            **_describe(self.options),
            "released_users": self.linkage.n_released,
            "auxiliary_users": self.linkage.n_auxiliary,
            "common_users": self.truth.n_common,
            "locations": self.n_locations,
            "truth": self.truth.source,
            "folds": None,
            "rounds": None,
            **_rates(sets),
            "matched": self.linkage.n_links,
            "correct": risk and risk.n_correct,
            "accuracy": risk and risk.accuracy,
            "accuracy_interval": risk and risk.accuracy_interval and list(risk.accuracy_interval),
            "histogram_top1": _top1(self.histograms),
            **_costs([self.linkage.facts]),
            "periods_overlap": self.periods_overlap,
            "seconds": dict(self.seconds),
            "peak_memory_mb": self.peak_memory_mb,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldsResult(Result):
    """What the leave-one-out rounds found, and their averages."""

    options: CorrelateOptions
    protocol: FoldOptions
    rounds: tuple[FoldRound, ...]
    n_locations: int | None
    seconds: Mapping[str, float] = field(default_factory=dict)
    peak_memory_mb: float = 0.0

    def _shown(self) -> dict[str, object]:
        top = self.average.top[TOP[0]]
        return {
            "model": Words(self.options.model),
            "rounds": len(self.rounds),
            "only_candidate": None if top is None else Words(format_percent(top)),
        }

    def _makers(self) -> Makers:
        rounds = [_describe_round(one) for one in self.rounds]
        flat = [{**row, **_by_size(row.pop("top"))} for row in rounds]
        return {
            "top": lambda: _top_table(self.average),
            "rounds": lambda: Table.from_rows("rounds", flat),
        }

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        return {"top": lambda: _plot_top(self.average)}

    @property
    def average(self) -> AverageSets:
        """The rounds' candidate sets, averaged."""
        return average_sets([one.sets for one in self.rounds])

    def to_dict(self) -> dict[str, Any]:
        """Counts, rates and costs as plain values, ready for JSON; no identifiers."""
        return {
            **_describe(self.options),
            "released_users": max(one.n_released for one in self.rounds),
            "auxiliary_users": max(one.n_auxiliary for one in self.rounds),
            "common_users": max(one.sets.n_records for one in self.rounds),
            "locations": self.n_locations,
            "truth": "same-ids",
            "folds": self.protocol.n_folds,
            "rounds": [_describe_round(one) for one in self.rounds],
            **_rates(self.average),
            "matched": sum(one.risk.n_matched for one in self.rounds),
            "correct": sum(one.risk.n_correct for one in self.rounds),
            "accuracy": _mean([one.risk.accuracy for one in self.rounds]),
            "accuracy_interval": None,
            "histogram_top1": _mean([_top1(one.histograms) for one in self.rounds]),
            **_costs([one.facts for one in self.rounds]),
            "periods_overlap": False,
            "seconds": dict(self.seconds),
            "peak_memory_mb": self.peak_memory_mb,
        }


@check_arguments()
def correlate(
    released: Source,
    auxiliary: Source,
    options: CorrelateOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    truth: TruthSource | None = None,
    store: Store | None = None,
    work: Work | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> CorrelateResult:
    """
    Find who in a released log made the visits somebody knows of.

    Parameters
    ----------
    released, auxiliary : Events, path or table
        What would be published, and what somebody might know.
    options : CorrelateOptions, optional
        Model, days, ties.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    truth : path or table, optional
        Pairs of ids in columns ``released`` and ``auxiliary``; by default equal ids are taken for
        equal people.
    store : Store, optional
        Keeps trained models, for this very released data and these training options.
    work : path, optional
        Instead of a store, a folder for a CRF's models; that of other data or options is refused.
    n_threads : int, optional
        Processes that train and score; changes nothing but the time.
    progress : callable, optional
        Told what is being done and which share is over.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate.campus import CampusOptions, simulate_campus
    >>> campus = tp.read(simulate_campus(CampusOptions(n_users=20, n_days=14)))
    >>> sides = tp.split(campus, tp.SplitOptions(at="median", active_both=True))
    >>> options = tp.CorrelateOptions(model="markov")
    >>> result = tp.correlate(sides.released, sides.auxiliary, options)
    >>> result.risk.n_common, result.risk.accuracy
    (20, 0.45)
    """
    options = options or CorrelateOptions()
    released, auxiliary = _open_sides([released, auxiliary], options, reading, places)
    _check(options, work, released, auxiliary)
    truth = open_truth(truth, released.engine)
    if options.model == "mobility-markov":
        return _correlate_positions(released, auxiliary, options, truth, progress)
    tell = progress or (lambda what, done: None)
    watch = Stopwatch()
    tell("Cutting days", None)
    sides = build_sequence_pair(released, auxiliary)
    known = find_truth(sides[0].users, sides[1].users, truth)
    watch.lap("read")
    kept = _open(store, work, lambda: describe_training(sides[0], options))
    linkage = correlate_sequences(
        *sides, options, store=kept, n_threads=n_threads, progress=progress
    )
    return CorrelateResult(
        options=options,
        released_ids=sides[0].users,
        auxiliary_ids=sides[1].users,
        n_locations=len(sides[0].locations),
        linkage=linkage,
        truth=known,
        risk=measure_risk(linkage, known),
        sets=measure_candidates(linkage, known),
        histograms=measure_histograms(sides, known, options),
        periods_overlap=periods_overlap(released, auxiliary),
        seconds={**watch.seconds(), **linkage.seconds},
        peak_memory_mb=peak_memory_mb(),
    )


def _correlate_positions(
    released: Events,
    auxiliary: Events,
    options: CorrelateOptions,
    truth: pa.Table | None,
    progress: Progress | None,
) -> CorrelateResult:
    """The same for positions, whose places are yet to be found."""
    watch = Stopwatch()
    if progress is not None:
        progress("Finding places", None)
    chains = build_chain_pair(released, first_days(auxiliary, options.days))
    known = find_truth(chains[0].users, chains[1].users, truth)
    watch.lap("read")
    linkage = correlate_chains(*chains, options)
    return CorrelateResult(
        options=options,
        released_ids=chains[0].users,
        auxiliary_ids=chains[1].users,
        n_locations=None,
        linkage=linkage,
        truth=known,
        risk=measure_risk(linkage, known),
        sets=measure_candidates(linkage, known),
        histograms=None,
        periods_overlap=periods_overlap(released, auxiliary),
        seconds={**watch.seconds(), **linkage.seconds},
        peak_memory_mb=peak_memory_mb(),
    )


@check_arguments()
def correlate_folds(
    events: Source,
    options: CorrelateOptions | None = None,
    protocol: FoldOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    store: Store | None = None,
    work: Work | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> FoldsResult:
    """
    Correlate each bin of everybody's days with the other bins, in turn (leave one out).

    The parameters are those of `correlate`; ``protocol`` says how many bins and rounds.
    """
    options, protocol = options or CorrelateOptions(), protocol or FoldOptions()
    (events,) = _open_sides([events], options, reading, places)
    _check(options, work, events)
    tell = progress or (lambda what, done: None)
    watch = Stopwatch()
    tell("Cutting days", None)
    if options.model == "mobility-markov":
        n_locations, rounds = None, run_position_folds(events, options, protocol, progress=progress)
    else:
        sequences = build_sequences(events)
        n_locations = len(sequences.locations)
        watch.lap("read")
        kept = _open(store, work, lambda: _describe_folds(sequences, options, protocol))
        rounds = run_folds(
            sequences, options, protocol, store=kept, n_threads=n_threads, progress=progress
        )
    if not rounds:
        raise InputError(
            "Somebody must have days in several bins, but nobody has. Use fewer folds or more days."
        )
    return FoldsResult(
        options=options,
        protocol=protocol,
        rounds=tuple(rounds),
        n_locations=n_locations,
        seconds={
            **watch.seconds(),
            "train": sum(one.seconds["train"] for one in rounds),
            "score": sum(one.seconds["score"] for one in rounds),
        },
        peak_memory_mb=peak_memory_mb(),
    )


def _open_sides(
    sources: list[Source],
    options: CorrelateOptions,
    reading: ReadOptions | None,
    places: PlaceOptions | None,
) -> list[Events]:
    """Sources as events with locations; a model of positions finds places of its own."""
    if options.model == "mobility-markov" and places is None:
        return open_sources(sources, reading)
    return open_places(sources, reading, places)


def _check(options: CorrelateOptions, work: Work | None, *sides: Events) -> None:
    """Raise an error before reading when a model lacks what it needs, or keeps nothing."""
    if work is not None and options.model != "crf":
        raise OptionError(
            f"--work goes with --model crf: {options.model} trains no models that could be kept."
        )
    if work is not None:
        check_writable(work)
    if options.model == "distance":
        for side in sides:
            side.require("end", "The distance between days, which compares times spent,")


def _describe_folds(
    sequences: Sequences, options: CorrelateOptions, protocol: FoldOptions
) -> dict[str, Any]:
    return {**describe_training(sequences, options), "folds": protocol.n_folds}


def _open(
    store: Store | None, work: Work | None, describe: Callable[[], dict[str, Any]]
) -> Store | None:
    if work is None:
        return store
    if store is not None:
        raise OptionError("Give either a store or a work folder, not both.")
    return FolderStore(work, describe())


def _describe(options: CorrelateOptions) -> dict[str, Any]:
    return {
        "model": options.model,
        "joint": options.joint,
        "days": options.days,
        "all_pairs": options.all_pairs,
    }


def _rates(sets: AverageSets) -> dict[str, Any]:
    intervals = {k: found and list(found) for k, found in sets.top_interval.items()}
    return {
        "top": {str(k): share for k, share in sets.top.items()},
        "top_interval": {str(k): found for k, found in intervals.items()},
        "top1_interval": intervals[TOP[0]],
        "mscis_median": sets.mscis_median,
        "chance": sets.chance,
    }


def _by_size(top: Mapping[str, float | None]) -> dict[str, float | None]:
    return {f"top_{size}": share for size, share in top.items()}


def _top_rows(sets: AverageSets) -> list[dict[str, Any]]:
    """How often the right person is among the k likeliest, for each k."""
    ends = {k: sets.top_interval[k] or (None, None) for k in sets.top}
    return [
        {"k": k, "share": share, "low": ends[k][0], "high": ends[k][1]}
        for k, share in sets.top.items()
        if share is not None
    ]


def _top_table(sets: AverageSets) -> Table:
    return Table.from_rows("top", _top_rows(sets))


def _plot_top(sets: AverageSets) -> Plot:
    rows = [{"name": f"among {row['k']}", **row} for row in _top_rows(sets)]
    return draw_bars(rows, "name", "share")


def _costs(facts: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Totals over rounds; a model without training or runs has none."""
    names = ("models_trained", "taggings", "taggings_all_pairs")
    return {name: sum(one.get(name, 0) for one in facts) for name in names}


def _describe_round(one: FoldRound) -> dict[str, Any]:
    return {
        "round": one.number + 1,
        "released_users": one.n_released,
        "auxiliary_users": one.n_auxiliary,
        "common_users": one.sets.n_records,
        "top": {str(k): one.sets.top(k) for k in TOP},
        "mscis_median": one.sets.median,
        "accuracy": one.risk.accuracy,
    }


def _top1(sets: CandidateSets | None) -> float | None:
    return None if sets is None else sets.top(1)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
