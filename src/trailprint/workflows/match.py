"""``trailprint.match``: histogram matching from events to risk."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.arguments import check_arguments
from trailprint.attacks.options import MatchOptions, RejectionOptions
from trailprint.attacks.rejection import Rejection, decide, decide_by_lengths
from trailprint.attacks.view_weights import ViewWeights
from trailprint.display.discreet import Words
from trailprint.display.numbers import to_finite
from trailprint.display.plots import Plot, draw_line
from trailprint.display.tables import ResultTable
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.errors import OptionError
from trailprint.evaluation.risk import (
    CoveragePoint,
    Risk,
    check_precision,
    correct_links,
    margin_for_precision,
    measure_risk,
    precision_at_coverage,
    show_risk,
)
from trailprint.evaluation.truth import Truth, find_truth
from trailprint.events.knowledge import Knowledge, Known, open_knowledge, restrict
from trailprint.events.options import ReadOptions
from trailprint.events.periods import periods_overlap
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, TruthSource, open_places, open_truth
from trailprint.events.results import Makers, Result, as_table
from trailprint.features.histograms import Histograms
from trailprint.features.options import HistogramOptions
from trailprint.features.views import Views
from trailprint.linkage import Linkage
from trailprint.progress import Progress, ignore_progress, shows_progress
from trailprint.workflows.engines import runs_on_engine
from trailprint.workflows.match_attack import Looks, MatchAttack, prepare_attack
from trailprint.workflows.match_people import describe_people
from trailprint.workflows.match_plan import announce_plan
from trailprint.workflows.measuring import Stopwatch, announce_compilation, peak_memory_mb
from trailprint.workflows.options import ViewOptions, open_views
from trailprint.workflows.renamed import Recovered, recover_locations
from trailprint.workflows.risk_plots import plot_risk
from trailprint.workflows.views import ViewShare, describe_views, plot_views


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatchResult(Result):
    """
    Result of histogram matching, with its proof of optimality.

    ``risk`` is None without truth. Only ``links()`` shows who was linked to whom. With several
    views, ``views`` has the weight and contribution of each and ``view_weights`` their origin;
    ``same_period`` means that the sides were treated as different sources about the same days.
    """

    options: MatchOptions
    released: Histograms | Views
    auxiliary: Histograms | Views
    linkage: Linkage
    truth: Truth
    risk: Risk | None
    periods_overlap: bool | None
    curve: tuple[CoveragePoint, ...] = ()
    rejection: Rejection | None = None
    views: tuple[ViewShare, ...] = ()
    view_weights: ViewWeights | None = None
    same_period: bool = False
    knows: Known = field(default_factory=Known)
    renamed: Recovered | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    peak_memory_mb: float = 0.0

    def _shown(self) -> dict[str, object]:
        return {
            "metric": Words(self.options.metric),
            "method": Words(self.options.method),
            "released": self.released.n_users,
            "auxiliary": self.auxiliary.n_users,
            "links": self.linkage.n_links,
            **show_risk(self.risk),
        }

    def links(self) -> pa.Table:
        """Return who is linked to whom: released, auxiliary, weight, margin (sensitive)."""
        linkage = self.linkage
        has_margins = self.options.margins
        return pa.table(
            {
                "released": self.released.users.take(pa.array(linkage.released)),
                "auxiliary": self.auxiliary.users.take(pa.array(linkage.auxiliary)),
                "weight": pa.array(linkage.weight),
                "margin": _or_nulls(linkage.confidence, has_margins),
                "margin_is_least": _or_nulls(linkage.confidence_is_least, has_margins),
            }
        )

    def per_user(self) -> pa.Table:
        """
        Return the result for each released person (sensitive).

        Columns: ``user``; ``linked``, whether they are linked correctly (null without a
        counterpart); ``weight`` and ``margin`` of their link (null without one, or without
        margins); with several views ``deciding_view``, the one that distinguishes them from the
        next best candidate (null if none does).
        """
        return describe_people(
            (self.released, self.auxiliary),
            self.linkage,
            self.truth,
            self.view_weights,
            metric=self.options.metric,
            margins=self.options.margins,
        )

    def _makers(self) -> Makers:
        return {
            "links": as_table("links", self.links),
            "per_user": as_table("per_user", self.per_user),
            "margins": lambda: ResultTable("margins", self._margins()),
            "curve": lambda: ResultTable.from_objects("curve", self.curve, CoveragePoint),
            "views": lambda: ResultTable.from_objects("views", self.views, ViewShare),
        }

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        risk, plots = self.risk, {}
        if risk is not None:
            plots["risk"] = lambda: plot_risk(risk)
        if any(view.accuracy_alone is not None for view in self.views):
            plots["views"] = lambda: plot_views(self.views)
        if self.curve:
            rows = [asdict(point) for point in self.curve]
            plots["curve"] = lambda: draw_line(rows, "coverage", "precision")
        return plots

    def _margins(self) -> pa.Table:
        """Weights and margins of links, largest first, without ids; correct links are marked."""
        right = correct_links(self.linkage, self.truth)
        table = self.links().drop_columns(["released", "auxiliary"])
        known = _or_nulls(right, self.truth.source != "none")
        order = [("margin", "descending"), ("weight", "descending")]
        return table.append_column("correct", known).sort_by(order)

    def margin_for(self, precision: float) -> CoveragePoint | None:
        """Return the margin from which links reach the given precision, or None if none does."""
        check_precision(precision)
        if not self.options.margins or self.risk is None:
            return None
        return margin_for_precision(self.linkage, self.truth, precision)

    def to_dict(self) -> dict[str, Any]:
        """Return counts, rates and proofs as plain values, ready for JSON; no identifiers."""
        result: dict[str, Any] = {
            "released_users": self.released.n_users,
            "auxiliary_users": self.auxiliary.n_users,
            "released_without_data": self.released.n_users - self.linkage.n_released,
            "auxiliary_without_data": self.auxiliary.n_users - self.linkage.n_auxiliary,
            "common_users": self.truth.n_common,
            "locations": self.released.n_locations,
            "knows": self.knows.to_dict(),
            "metric": self.options.metric,
            "method": self.options.method,
            "truth": self.truth.source,
            "matched": self.linkage.n_links,
            "released_unmatched": self.linkage.n_released - self._n_linked(self.linkage.released),
            "auxiliary_unmatched": self.linkage.n_auxiliary
            - self._n_linked(self.linkage.auxiliary),
            **self._risk(),
            "total_weight": None,
            "total_gain": None,
            "optimality_gap": None,
            "rounds": None,
            "overlapping_pairs": None,
            **self.linkage.facts,
            "periods_overlap": self.periods_overlap,
            "seconds": dict(self.seconds),
            "peak_memory_mb": self.peak_memory_mb,
            **self._asked_for(),
        }
        plain: dict[str, Any] = to_finite(result)
        return plain

    def _asked_for(self) -> dict[str, Any]:
        """Results that are included only if they were requested."""
        result: dict[str, Any] = {}
        if self.rejection is not None:
            result |= {
                "decision": self.rejection.decision,
                "threshold": self.rejection.threshold_bits,
                "threshold_is_vacuous": self.rejection.vacuous,
                "penalty_bits": self.rejection.penalty_bits,
                "second_best_bits": self.rejection.second_best_bits,
            }
        if self.view_weights is not None:
            result |= {
                "views": [asdict(share) for share in self.views],
                "weights_from": self.view_weights.source,
                "weights_note": self.view_weights.note or None,
                "views_left_out": dict(getattr(self.released, "left_out", {})),
                "same_period": self.same_period,
            }
        if self.renamed is not None:
            result["renamed_locations"] = self.renamed._asdict()
        if self.options.margins:
            result["precision_at_coverage"] = [asdict(point) for point in self.curve]
        return result

    @staticmethod
    def _n_linked(ends: NDArray[Any]) -> int:
        return len(np.unique(ends))

    def _risk(self) -> dict[str, Any]:
        risk = self.risk
        if risk is None:
            names = ("correct", "accuracy", "precision", "accuracy_interval", "chance")
            return dict.fromkeys(names)
        return {
            "correct": risk.n_correct,
            "accuracy": risk.accuracy,
            "precision": risk.precision,
            "accuracy_interval": risk.accuracy_interval and list(risk.accuracy_interval),
            "chance": risk.chance,
        }


def _or_nulls(values: NDArray[Any], known: bool) -> pa.Array:
    array = pa.array(values)
    return array if known else pa.nulls(len(array), array.type)


@check_arguments()
@shows_progress
@runs_on_engine
def match(
    released: Source,
    auxiliary: Source,
    options: MatchOptions | None = None,
    *,
    histograms: HistogramOptions | None = None,
    views: ViewOptions | str | Sequence[str] | None = None,
    rejection: RejectionOptions | None = None,
    knows: Knowledge | str | None = None,
    renamed_locations: bool = False,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    truth: TruthSource | None = None,
    engine: EngineOptions | EngineName | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """
    Match two datasets by their users' habits.

    Parameters
    ----------
    released, auxiliary : Events, path or table
        The data to be published, and what an adversary might know.
    options : MatchOptions, optional
        Metric, method, ties.
    histograms : HistogramOptions, optional
        What is counted: visits, duration or balanced days; slots.
    views : ViewOptions or names, optional
        Describe people by several views at once instead of one histogram: ``"all"``, or names such
        as ``["visits", "days"]``.
    rejection : RejectionOptions, optional
        Also decide match or no match for the datasets as a whole.
    knows : Knowledge or str, optional
        How much of the auxiliary side is known about each person, such as ``"points:4"``; by
        default everything. Weights of views are learnt from what is known.
    renamed_locations : bool
        The locations of the released side have secret names: ignore the names, identify locations
        by how they are used, then match.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    truth : path or table, optional
        Pairs of ids in columns ``released`` and ``auxiliary``; by default equal ids are the same
        person.
    engine : EngineOptions or {"local", "spark"}, optional
        Engine that runs the passes over all pairs. Does not affect results.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with a description of the step and the share that is done.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate.campus import CampusOptions, simulate_campus
    >>> campus = tp.read(simulate_campus(CampusOptions(n_users=20, n_days=14)))
    >>> sides = tp.split(campus, tp.SplitOptions(at="median", active_both=True))
    >>> result = tp.match(sides.released, sides.auxiliary)
    >>> result.risk.accuracy, result.risk.chance
    (0.6, 0.05)
    >>> result.linkage.facts["exact"]
    True
    """
    announce_compilation()
    views = open_views(views)
    options = _with_margins(options or MatchOptions(), rejection, views, histograms)
    knowledge = open_knowledge(knows, options.seed)
    report, watch = progress or ignore_progress, Stopwatch()
    report("Counting events", None)
    released, auxiliary = open_places([released, auxiliary], reading, places)
    auxiliary, known_of_each = restrict(auxiliary, knowledge)
    recovered = None
    if renamed_locations:
        report("Finding out which location is which", None)
        released, recovered = recover_locations(
            released, auxiliary, seed=options.seed, n_threads=n_threads
        )
    attack = prepare_attack(released, auxiliary, Looks(histograms, views), options, n_threads)
    first, second = attack.sides
    known = find_truth(first.users, second.users, open_truth(truth, released.engine))
    overlap = periods_overlap(released, auxiliary)
    watch.lap("read")
    announce_plan(attack, options, engine, n_threads)
    report("Matching (the first run on a machine compiles for some seconds)", None)
    linkage = attack.run(options, n_threads=n_threads, progress=progress)
    return MatchResult(
        options=options,
        released=first,
        auxiliary=second,
        linkage=linkage,
        truth=known,
        risk=measure_risk(linkage, known),
        periods_overlap=overlap,
        curve=_trace_curve(options, linkage, known),
        rejection=_decide(rejection, linkage, attack.sides),
        views=_describe(attack, views, known, options, n_threads),
        view_weights=attack.weights,
        same_period=views is not None and views.same_period,
        knows=known_of_each,
        renamed=recovered,
        seconds={**linkage.seconds, **watch.seconds()},
        peak_memory_mb=peak_memory_mb(),
    )


def _trace_curve(
    options: MatchOptions, linkage: Linkage, truth: Truth
) -> tuple[CoveragePoint, ...]:
    """Precision by share of links kept; empty without margins or truth."""
    if not options.margins or truth.source == "none":
        return ()
    return tuple(precision_at_coverage(linkage, truth))


def _describe(
    attack: MatchAttack,
    views: ViewOptions | None,
    truth: Truth,
    options: MatchOptions,
    n_threads: int | None,
) -> tuple[ViewShare, ...]:
    first, second = attack.sides
    if views is None or attack.weights is None:
        return ()
    if not (isinstance(first, Views) and isinstance(second, Views)):
        return ()
    known = truth if views.contributions else None
    return describe_views((first, second), attack.weights, known, options, n_threads)


def _check_rejection(
    rejection: RejectionOptions, views: ViewOptions | None, histograms: HistogramOptions | None
) -> None:
    if views is not None:
        raise OptionError(
            "--reject-lambda tests one histogram and does not go with --views.",
            option="reject-lambda",
        )
    weight = (histograms or HistogramOptions()).weight
    if rejection.string_length is None and weight != "visits":
        raise OptionError(
            f"--reject-lambda counts visits, got --weight {weight}: leave it out, or say "
            "with --string-length how many observations a histogram stands for.",
            option="reject-lambda",
        )


def _with_margins(
    options: MatchOptions,
    rejection: RejectionOptions | None,
    views: ViewOptions | None,
    histograms: HistogramOptions | None,
) -> MatchOptions:
    """Turn on margins, as the test needs the second-best matching; check what goes with it."""
    if rejection is None:
        return options
    _check_rejection(rejection, views, histograms)
    is_one_length = rejection.string_length is not None
    metric, how = ("jensen-shannon", "with") if is_one_length else ("likelihood", "without")
    if options.metric != metric or options.method != "joint":
        raise OptionError(
            f"--reject-lambda {how} --string-length, the length that all histograms have in "
            f"common, needs --metric {metric} and --method joint.",
            option="reject-lambda",
        )
    if options.size is not None:
        raise OptionError(
            "--reject-lambda tests the whole matching and does not go with --size.",
            option="reject-lambda",
        )
    return replace(options, margins=True)


def _decide(
    options: RejectionOptions | None,
    linkage: Linkage,
    sides: tuple[Histograms | Views, Histograms | Views],
) -> Rejection | None:
    if options is None:
        return None
    second_best = linkage.facts["second_best_weight"]
    # With a single user there is no second matching to confuse the first with.
    weight = math.inf if second_best is None else float(second_best)
    if options.string_length is not None:
        return decide(weight, linkage.n_links, sides[0].n_locations, options)
    lengths = [side.totals for side in sides if isinstance(side, Histograms)]
    return decide_by_lengths(weight, lengths, sides[0].n_locations, options)
