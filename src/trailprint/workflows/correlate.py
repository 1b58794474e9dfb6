"""``trailprint.correlate``: sequence correlation from events to candidate sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from trailprint.arguments import check_arguments
from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence.correlation import (
    correlate_chains,
    correlate_sequences,
    describe_training,
)
from trailprint.display.discreet import Words
from trailprint.display.plots import Plot
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.evaluation.candidates import (
    CandidateSets,
    average_sets,
    measure_candidates,
)
from trailprint.evaluation.risk import Risk, measure_risk, show_risk
from trailprint.evaluation.truth import Truth, find_truth
from trailprint.events.events import Events
from trailprint.events.knowledge import Knowledge, Known, open_knowledge, restrict
from trailprint.events.options import ReadOptions
from trailprint.events.periods import periods_overlap
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import (
    Source,
    TruthSource,
    open_truth,
)
from trailprint.events.results import Makers, Result, as_table
from trailprint.features.places import build_chain_pair
from trailprint.features.sequences import build_sequence_pair
from trailprint.linkage import Linkage
from trailprint.progress import Progress, ignore_progress, shows_progress
from trailprint.store import Store
from trailprint.studies.folds import (
    first_days,
    measure_histograms,
)
from trailprint.workflows.candidate_rows import (
    describe_options,
    describe_rates,
    plot_top,
    sum_costs,
    top1,
    top_table,
)
from trailprint.workflows.correlate_plan import announce_correlation
from trailprint.workflows.correlate_sides import Work, check_correlation, open_sides, open_store
from trailprint.workflows.engines import runs_on_engine
from trailprint.workflows.measuring import Stopwatch, announce_compilation, peak_memory_mb


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrelateResult(Result):
    """
    Result of sequence correlation.

    ``risk`` and ``sets`` are None without truth; ``histograms`` are the candidate sets of
    histograms alone, for comparison with a CRF's ``sets``. Only ``links()`` shows who was linked
    to whom.
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
    knows: Known = field(default_factory=Known)
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
        """Return who is linked to whom: released, auxiliary, weight, confidence (sensitive)."""
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
        return {"links": as_table("links", self.links), "top": lambda: top_table(sets)}

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        sets = self.sets
        return {} if sets is None else {"top": lambda: plot_top(average_sets([sets]))}

    def to_dict(self) -> dict[str, Any]:
        """Return counts, rates and costs as plain values, ready for JSON; no identifiers."""
        risk = self.risk
        sets = average_sets([] if self.sets is None else [self.sets])
        return {
            **describe_options(self.options),
            "released_users": self.linkage.n_released,
            "auxiliary_users": self.linkage.n_auxiliary,
            "common_users": self.truth.n_common,
            "locations": self.n_locations,
            "knows": self.knows.to_dict(),
            "truth": self.truth.source,
            "folds": None,
            "rounds": None,
            **describe_rates(sets),
            "matched": self.linkage.n_links,
            "correct": risk and risk.n_correct,
            "accuracy": risk and risk.accuracy,
            "accuracy_interval": risk and risk.accuracy_interval and list(risk.accuracy_interval),
            "histogram_top1": top1(self.histograms),
            **sum_costs([self.linkage.facts]),
            "periods_overlap": self.periods_overlap,
            "seconds": dict(self.seconds),
            "peak_memory_mb": self.peak_memory_mb,
        }


@check_arguments()
@shows_progress
@runs_on_engine
def correlate(
    released: Source,
    auxiliary: Source,
    options: CorrelateOptions | None = None,
    *,
    knows: Knowledge | str | None = None,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    truth: TruthSource | None = None,
    store: Store | None = None,
    work: Work | None = None,
    engine: EngineOptions | EngineName | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> CorrelateResult:
    """
    Find the people in a released log who made the visits an adversary knows.

    Parameters
    ----------
    released, auxiliary : Events, path or table
        The data to be published, and what an adversary might know.
    options : CorrelateOptions, optional
        Model, days, ties.
    knows : Knowledge or str, optional
        How much of the auxiliary side is known about each person, such as ``"days:2"``; by default
        everything.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    truth : path or table, optional
        Pairs of ids in columns ``released`` and ``auxiliary``; by default equal ids are the same
        person.
    store : Store, optional
        Keeps trained models; only for the same released data and training options.
    work : path, optional
        Instead of a store, a folder for a CRF's models; a folder made for other data or options is
        rejected.
    engine : EngineOptions or {"local", "spark"}, optional
        Engine that trains and runs models. Does not affect results.
    n_threads : int, optional
        Number of processes that train and score. Does not affect results.
    progress : callable, optional
        Called with a description of the step and the share that is done.

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
    announce_compilation()
    options = options or CorrelateOptions()
    released, auxiliary = open_sides([released, auxiliary], options, reading, places)
    check_correlation(options, work, released, auxiliary)
    auxiliary, known_of_each = restrict(auxiliary, open_knowledge(knows, options.seed))
    truth = open_truth(truth, released.engine)
    if options.model == "mobility-markov":
        found = _correlate_positions(released, auxiliary, options, truth, progress)
        return replace(found, knows=known_of_each)
    report = progress or ignore_progress
    watch = Stopwatch()
    report("Cutting days", None)
    sides = build_sequence_pair(released, auxiliary)
    known = find_truth(sides[0].users, sides[1].users, truth)
    watch.lap("read")
    kept = open_store(store, work, lambda: describe_training(sides[0], options))
    announce_correlation(sides, options, 1, (engine, n_threads))
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
        knows=known_of_each,
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
    """Correlate positions, whose places must be detected first."""
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
