"""``plan_protect`` and ``plan_trade_off``: estimate in advance what protecting needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from trailprint.arguments import check_arguments
from trailprint.attacks.planning import count_terms
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.errors import InputError, OptionError
from trailprint.events.events import Events
from trailprint.events.meeting import in_one_engine
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, open_places
from trailprint.events.summary import count_users
from trailprint.features.histograms import build_histogram_pair, build_histograms
from trailprint.features.options import HistogramOptions
from trailprint.protections.chain import apply_protections, changes_histograms, protect_histograms
from trailprint.protections.loss import with_locations
from trailprint.protections.protection import Protection
from trailprint.studies.bisection import MOST_STEPS
from trailprint.studies.frontier import find_swept, make_swept, sweep
from trailprint.studies.options import SweepOptions
from trailprint.workflows.chain_reading import read_chain
from trailprint.workflows.judging import list_judges
from trailprint.workflows.plans import (
    PlannedSize,
    PlannedStep,
    WorkPlan,
    announce_work,
    make_plan,
    runs_on_spark,
)
from trailprint.workflows.rehearsal import Rehearsed
from trailprint.workflows.samples import (
    choose_sizes,
    draw_users,
    extrapolate,
    try_sizes,
)

#: Exponents of time in the number of people: for changing and counting events; for grouping
#: similar people, measured from 1,250 to 10,000 callers; for a swept value, mostly matchings.
EVENTS_POWER, GROUPS_POWER, SWEEP_POWER = 1.0, 1.6, 1.5
#: Minimum and maximum number of people sampled for protections, and for all attacks on them.
TRIED, SWEPT = (400, 2_000), (60, 300)
#: Bytes per non-zero histogram entry: original, protected, and temporary while building.
CELL_BYTES = 180
#: Bytes per person of a joint matching, with its candidates and proof.
MATCH_BYTES = 6_000
#: From this many people on protecting histograms locally takes minutes, so the plan is logged.
MANY_PEOPLE = 20_000

Running = tuple[EngineOptions | EngineName | None, int | None]


@check_arguments(skip=("protections",))
def plan_protect(
    events: Source,
    protections: Protection | str | Sequence[Protection | str],
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    seed: int = 0,
    counting: HistogramOptions | None = None,
    engine: EngineOptions | EngineName = "local",
    n_threads: int | None = None,
) -> WorkPlan:
    """
    Estimate what `trailprint.protect` with the same arguments needs, without protecting all data.

    The protections are tried on a sample of people, on one core.

    Parameters
    ----------
    events : Events, path or table
        The data to be released.
    protections : Protection, str or a sequence of them
        Protections as objects or as text such as ``"microaggregate:k=10"``.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    seed : int
        Seed of all random choices. Does not affect the plan.
    counting : HistogramOptions, optional
        What histograms count.
    engine : EngineOptions or {"local", "spark"}
        Engine that the plan is for. Does not affect results.
    n_threads : int, optional
        Number of threads that the plan is for.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate import CampusOptions, simulate_campus
    >>> campus = simulate_campus(CampusOptions(n_users=20, n_days=14))
    >>> from trailprint.workflows import plan_protect
    >>> plan_protect(campus, "microaggregate:k=5").work
    'protect'
    """
    (opened,) = open_places([events], reading, places)
    chain = read_chain(protections, opened.engine)
    return _plan_protect(opened, chain, counting, (engine, n_threads))


def announce_protect(
    events: Events,
    chain: Sequence[Protection],
    counting: HistogramOptions | None,
    running: Running,
) -> None:
    """Log the estimated cost of grouping on Spark, or of many people locally."""
    if not changes_histograms(chain):
        return
    if runs_on_spark(running[0]) or count_users(events) >= MANY_PEOPLE:
        announce_work(_plan_protect(events, chain, counting, running))


def _plan_protect(
    events: Events,
    chain: Sequence[Protection],
    counting: HistogramOptions | None,
    running: Running,
) -> WorkPlan:
    steps, worker_bytes = plan_chain(events, chain, counting)
    histograms = build_histograms(with_locations(events), counting)
    measured = PlannedSize(
        released_users=histograms.n_users,
        locations=histograms.n_locations,
        pairs=(count_terms(histograms, histograms) - histograms.matrix.nnz) / 2,
        driver_bytes=CELL_BYTES * histograms.matrix.nnz + 2 * worker_bytes,
        worker_bytes=worker_bytes,
    )
    return make_plan("protect", measured, steps, *running)


def plan_chain(
    events: Events,
    chain: Sequence[Protection],
    counting: HistogramOptions | None = None,
) -> tuple[list[PlannedStep], float]:
    """Estimate the steps of protecting events, and the bytes held by its passes."""
    n_people = count_users(events)
    sizes = choose_sizes(n_people, *TRIED)

    def protect(share: float) -> Callable[[], object]:
        some = draw_users(events, share).materialise()
        return lambda: apply_protections(some, chain, counting=counting, n_threads=1)

    def group(share: float) -> Callable[[], object]:
        some = build_histograms(with_locations(draw_users(events, share)), counting)
        return lambda: protect_histograms(some, chain, 0, n_threads=1)

    whole = try_sizes(n_people, sizes, protect)
    if not changes_histograms(chain):
        return extrapolate(whole, n_people, EVENTS_POWER).steps("events changed and counted"), 0.0
    grouped = try_sizes(n_people, sizes, group)
    rest = tuple(
        one._replace(took=_without(one.took, part.took))
        for one, part in zip(whole, grouped, strict=True)
    )
    histograms = extrapolate(grouped, n_people, GROUPS_POWER)
    changed = extrapolate((rest[0], rest[1]), n_people, EVENTS_POWER)
    steps = [
        *changed.steps("events changed and counted"),
        *histograms.steps("histograms changed"),
    ]
    return steps, histograms.worker_bytes


def _without(whole: Rehearsed, part: Rehearsed) -> Rehearsed:
    """Subtract a part from some work; the remainder has no passes."""
    return Rehearsed(0, 0.0, max(whole.seconds - part.seconds, 0.0), 0.0)


@check_arguments(skip=("protections",))
def plan_trade_off(
    released: Source,
    auxiliary: Source,
    protections: Protection | str | Sequence[Protection | str],
    options: SweepOptions,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    counting: HistogramOptions | None = None,
    engine: EngineOptions | EngineName = "local",
    n_threads: int | None = None,
) -> WorkPlan:
    """
    Estimate what `trade_off` with the same arguments needs, without running the sweep.

    One value is tried and attacked by every family, on a sample of people and on one core.

    Parameters
    ----------
    released, auxiliary : Events, path or table
        The data to be published, and what an adversary might know.
    protections : Protection, str or a sequence of them
        Protections as objects or as text such as ``"microaggregate:k=10"``.
    options : SweepOptions
        The parameter, its values, and how they are judged.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    counting : HistogramOptions, optional
        What histograms count.
    engine : EngineOptions or {"local", "spark"}
        Engine that the plan is for. Does not affect results.
    n_threads : int, optional
        Number of threads that the plan is for.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate import CampusOptions, simulate_campus
    >>> campus = simulate_campus(CampusOptions(n_users=20, n_days=14))
    >>> sides = tp.split(campus, tp.SplitOptions(at="median"))
    >>> from trailprint.options import SweepOptions
    >>> from trailprint.workflows import plan_trade_off
    >>> options = SweepOptions(parameter="k", values=(2, 5))
    >>> plan_trade_off(sides.released, sides.auxiliary, "microaggregate", options).work
    'sweep'
    """
    first, second = open_places([released, auxiliary], reading, places)
    chain = read_chain(protections, first.engine)
    return _plan_trade_off((first, second), chain, options, counting, (engine, n_threads))


def announce_trade_off(
    sides: tuple[Events, Events],
    chain: Sequence[Protection],
    options: SweepOptions,
    counting: HistogramOptions | None,
    running: Running,
) -> None:
    """Log the estimated cost of a sweep on Spark, or of many people locally."""
    if runs_on_spark(running[0]) or count_users(sides[0]) >= MANY_PEOPLE:
        announce_work(_plan_trade_off(sides, chain, options, counting, running))


def _plan_trade_off(
    both: tuple[Events, Events],
    chain: Sequence[Protection],
    options: SweepOptions,
    counting: HistogramOptions | None,
    running: Running,
) -> WorkPlan:
    make_swept(chain, options)
    sides = in_one_engine(list(both))
    pair = build_histogram_pair(with_locations(sides[0]), with_locations(sides[1]), counting)
    one_value = _try_value(sides, chain, options, counting)
    steps = one_value.times(len(options.values)).steps("values swept")
    n_further = _count_further(chain, options)
    if n_further:
        steps += one_value.times(n_further).steps("target searched, at most")
    measured = PlannedSize(
        released_users=pair[0].n_users,
        auxiliary_users=pair[1].n_users,
        locations=pair[0].n_locations,
        pairs=float(count_terms(*pair)),
        driver_bytes=sum(CELL_BYTES * one.matrix.nnz + MATCH_BYTES * one.n_users for one in pair),
        worker_bytes=one_value.worker_bytes,
    )
    return make_plan("sweep", measured, steps, *running)


def _try_value(
    sides: Sequence[Events],
    chain: Sequence[Protection],
    options: SweepOptions,
    counting: HistogramOptions | None,
) -> Rehearsed:
    """Estimate the cost of one value, using the first that a sample of people allows."""
    n_people = count_users(sides[0])
    sizes = choose_sizes(n_people, *SWEPT)
    refused: InputError | OptionError | None = None
    for value in options.values:
        alone = replace(options, values=(value,), target_risk=None)
        try:
            found = try_sizes(n_people, sizes, partial(_sweep_some, sides, chain, alone))
        except (InputError, OptionError) as error:
            refused = refused or error
            continue
        return extrapolate(found, n_people, SWEEP_POWER)
    raise refused or OptionError("A sweep needs values, got none.")


def _sweep_some(
    sides: Sequence[Events], chain: Sequence[Protection], options: SweepOptions, share: float
) -> Callable[[], object]:
    first, second = (draw_users(side, share).materialise() for side in sides)

    def work() -> object:
        judges = list_judges(
            with_locations(first), with_locations(second), seed=options.seed, n_threads=1
        )
        return sweep(first, second, chain, options, judges=judges, n_threads=1)

    return work


def _count_further(chain: Sequence[Protection], options: SweepOptions) -> int:
    """Maximum number of values that the search for a target tries."""
    step = chain[find_swept(chain, options.parameter)]
    if options.target_risk is None or options.parameter not in step.monotone:
        return 0
    if not all(isinstance(value, int) for value in options.values):
        return MOST_STEPS
    apart = max(options.values) - min(options.values)
    return min(MOST_STEPS, math.ceil(math.log2(apart))) if apart > 1 else 0
