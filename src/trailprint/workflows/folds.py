"""``trailprint.workflows.correlate_folds``: leave out each bin of days in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trailprint.arguments import check_arguments
from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence.correlation import describe_training
from trailprint.display.discreet import Words
from trailprint.display.numbers import format_percent
from trailprint.display.plots import Plot
from trailprint.display.tables import ResultTable
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.errors import InputError
from trailprint.evaluation.candidates import TOP, AverageSets, average_sets
from trailprint.events.knowledge import Known
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source
from trailprint.events.results import Makers, Result
from trailprint.features.sequences import Sequences, build_sequences
from trailprint.progress import Progress, ignore_progress, shows_progress
from trailprint.store import Store
from trailprint.studies.folds import FoldRound, run_folds, run_position_folds
from trailprint.studies.options import FoldOptions
from trailprint.workflows.candidate_rows import (
    describe_options,
    describe_rates,
    plot_top,
    sum_costs,
    top1,
    top_table,
)
from trailprint.workflows.correlate_plan import announce_folds
from trailprint.workflows.correlate_sides import Work, check_correlation, open_sides, open_store
from trailprint.workflows.engines import runs_on_engine
from trailprint.workflows.measuring import Stopwatch, announce_compilation, peak_memory_mb


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldsResult(Result):
    """Results of the leave-one-out rounds, and their averages."""

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
            "top": lambda: top_table(self.average),
            "rounds": lambda: ResultTable.from_rows("rounds", flat),
        }

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        return {"top": lambda: plot_top(self.average)}

    @property
    def average(self) -> AverageSets:
        """Candidate sets averaged over the rounds."""
        return average_sets([one.sets for one in self.rounds])

    def to_dict(self) -> dict[str, Any]:
        """Return counts, rates and costs as plain values, ready for JSON; no identifiers."""
        return {
            **describe_options(self.options),
            "released_users": max(one.n_released for one in self.rounds),
            "auxiliary_users": max(one.n_auxiliary for one in self.rounds),
            "common_users": max(one.sets.n_records for one in self.rounds),
            "locations": self.n_locations,
            "knows": Known().to_dict(),
            "truth": "same-ids",
            "folds": self.protocol.n_folds,
            "rounds": [_describe_round(one) for one in self.rounds],
            **describe_rates(self.average),
            "matched": sum(one.risk.n_matched for one in self.rounds),
            "correct": sum(one.risk.n_correct for one in self.rounds),
            "accuracy": _mean([one.risk.accuracy for one in self.rounds]),
            "accuracy_interval": None,
            "histogram_top1": _mean([top1(one.histograms) for one in self.rounds]),
            **sum_costs([one.facts for one in self.rounds]),
            "periods_overlap": False,
            "seconds": dict(self.seconds),
            "peak_memory_mb": self.peak_memory_mb,
        }


@check_arguments()
@shows_progress
@runs_on_engine
def correlate_folds(
    events: Source,
    options: CorrelateOptions | None = None,
    protocol: FoldOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    store: Store | None = None,
    work: Work | None = None,
    engine: EngineOptions | EngineName | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> FoldsResult:
    """
    Correlate each bin of the users' days with the other bins in turn (leave one out).

    Parameters
    ----------
    events : Events, path or table
        Any source that `trailprint.read` accepts, or its result.
    options : CorrelateOptions, optional
        Model, days, ties.
    protocol : FoldOptions, optional
        Number of bins and rounds.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    store : Store, optional
        Keeps trained models; only for the same data and training options.
    work : path, optional
        Instead of a store, a folder for a CRF's models.
    engine : EngineOptions or {"local", "spark"}, optional
        Engine that runs the passes over all people. Does not affect results.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with a description of the step and the share that is done.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate import CampusOptions, simulate_campus
    >>> campus = simulate_campus(CampusOptions(n_users=20, n_days=14))
    >>> from trailprint.options import FoldOptions
    >>> from trailprint.workflows import correlate_folds
    >>> options = tp.CorrelateOptions(model="markov")
    >>> len(correlate_folds(campus, options, FoldOptions(n_folds=3)).rounds)
    3
    """
    announce_compilation()
    options, protocol = options or CorrelateOptions(), protocol or FoldOptions()
    (events,) = open_sides([events], options, reading, places)
    check_correlation(options, work, events)
    report = progress or ignore_progress
    watch = Stopwatch()
    report("Cutting days", None)
    if options.model == "mobility-markov":
        n_locations, rounds = None, run_position_folds(events, options, protocol, progress=progress)
    else:
        sequences = build_sequences(events)
        n_locations = len(sequences.locations)
        watch.lap("read")
        kept = open_store(store, work, lambda: _describe_folds(sequences, options, protocol))
        announce_folds(sequences, options, protocol, (engine, n_threads))
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


def _describe_folds(
    sequences: Sequences, options: CorrelateOptions, protocol: FoldOptions
) -> dict[str, Any]:
    return {**describe_training(sequences, options), "folds": protocol.n_folds}


def _by_size(top: Mapping[str, float | None]) -> dict[str, float | None]:
    return {f"top_{size}": share for size, share in top.items()}


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


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
