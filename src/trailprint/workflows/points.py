"""``trailprint.points``: what a few known points reveal, from events to shares."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trailprint.arguments import check_arguments
from trailprint.arrays import Floats, Indices, Ints
from trailprint.attacks.points.drawn import CandidateCounts, choose_numbers, draw_candidates
from trailprint.attacks.points.options import DRAWN, Knowledge, PointsOptions
from trailprint.attacks.points.worst import find_worst, find_worst_order
from trailprint.display.discreet import Discreet
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.errors import OptionError
from trailprint.evaluation.larger_populations import (
    LargerPopulation,
    ModelCheck,
    check_model,
    extrapolate,
    never_less_with_more_points,
)
from trailprint.evaluation.unicity import (
    Sharing,
    WorstPoints,
    measure_unicity,
    measure_worst,
)
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, open_places
from trailprint.features.points import PointKind, Points, build_points, build_visit_order
from trailprint.progress import Progress, shows_progress, tell_nobody
from trailprint.protections.chain import apply_protections
from trailprint.protections.protection import Protection
from trailprint.studies.known_points import GridShare, find_levels, measure_grid
from trailprint.studies.shared_traces import measure_shared, share_release, share_traces
from trailprint.workflows.engines import runs_on_engine
from trailprint.workflows.measuring import Stopwatch, announce_compilation
from trailprint.workflows.points_result import QUOTED, PointsResult, ProtectedSharing
from trailprint.workflows.protect import list_protections, read_chain

#: How many times larger the populations are that are extrapolated to.
_GROWTH = (10, 100, 1000)


@dataclass(slots=True)
class _Measurement(Discreet):
    """What the steps share: the data, points that were built, each person's risks."""

    events: Events
    options: PointsOptions
    n_threads: int | None
    tell: Progress
    knowledge: Knowledge
    built: dict[PointKind, Points] = field(default_factory=dict)
    risks: dict[str, Indices | Ints | Floats] = field(default_factory=dict)

    def points(self, kind: PointKind) -> Points:
        """Points of a kind, built once."""
        if kind not in self.built:
            self.built[kind] = build_points(self.events, kind, self.options.resolution_s)
        return self.built[kind]

    @property
    def known(self) -> Points:
        """Points of what is known."""
        return self.points(kind_of(self.knowledge))


def kind_of(knowledge: Knowledge) -> PointKind:
    """Which points stand behind a kind of knowledge: places, but where times are known."""
    return knowledge if knowledge in ("place-time", "time") else "place"


@check_arguments(skip=("protections",))
@shows_progress
@runs_on_engine
def points(
    data: Source,
    options: PointsOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    protections: Protection | str | Sequence[Protection | str] = (),
    engine: EngineOptions | EngineName | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> PointsResult:
    """
    Measure what a few known points reveal about people in one dataset.

    Parameters
    ----------
    data : Events, path or table
        What would be released.
    options : PointsOptions, optional
        What is known of a person, and how much of it.
    reading : ReadOptions, optional
        How to read a source that is not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    protections : Protection, str or a sequence of them
        After each of these, on its own, it is counted again how many people share a trace.
    engine : EngineOptions or {"local", "spark"}, optional
        Who runs the passes over all people. Does not affect results.
    n_threads : int, optional
        Does not affect results.
    progress : callable, optional
        Told what is being done.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import trailprint as tp
    >>> from trailprint.options import PointsOptions
    >>> visits = pa.table(
    ...     {"user": ["a", "a", "b", "b", "c"], "location": ["home", "gym", "home", "bar", "home"]}
    ... )
    >>> known = PointsOptions(knowledge="unique-place", worst_case=1)
    >>> tp.points(visits, known).worst_case[0].share_at_one
    0.6666666666666666
    """
    options = options or PointsOptions()
    watch = Stopwatch()
    tell = progress or tell_nobody
    tell("Counting points", None)
    if options.knowledge == "time":  # No matter where: the data need not say it.
        reading = replace(reading or ReadOptions(), one_place=True)
    (events,) = open_places([data], reading, places)
    chains = [read_chain(one, events.engine) for one in list_protections(protections)]
    knowledge = options.settle(has_times="start" in events.columns)
    run = _Measurement(events, options, n_threads, tell, knowledge)
    known = run.known
    larger = _choose_populations(options.populations, known.n_users)
    watch.lap("read")
    announce_compilation()
    counts = _draw(run) if knowledge in DRAWN else None
    watch.lap("draw")
    grid = _measure_grid(run, counts.points) if counts is not None and options.grid else ()
    watch.lap("grid")
    worst = _measure_worst(run)
    watch.lap("worst_case")
    singling_out = _measure_sharing(run)
    protected = tuple(_protect(run, chain) for chain in chains)
    watch.lap("singling_out")
    extrapolation, checks = _extrapolate(counts, known.n_users, larger)
    return PointsResult(
        options=replace(options, knowledge=knowledge),
        users=known.users,
        n_places=len(run.points("place").locations),
        cell_m=events.cell_m,
        unicity=() if counts is None else measure_unicity(counts),
        extrapolation=extrapolation,
        checks=checks,
        grid=grid,
        worst_case=worst,
        singling_out=singling_out,
        protections=protected,
        risks=run.risks,
        seconds=watch.seconds(),
    )


def _choose_populations(wanted: tuple[int, ...], n_users: int) -> tuple[int, ...]:
    """Populations to extrapolate to; to fewer people than there are nothing is extrapolated."""
    if wanted and min(wanted) < n_users:
        raise OptionError(
            f"--populations must be at least the {n_users:,} people of the data, got "
            f"{min(wanted):,} instead."
        )
    return wanted or tuple(factor * n_users for factor in _GROWTH)


def _extrapolate(
    counts: CandidateCounts | None, n_users: int, larger: tuple[int, ...]
) -> tuple[tuple[LargerPopulation, ...], tuple[ModelCheck, ...]]:
    """Unicity in larger populations, and how well the model behind it fits this one."""
    tallies = [] if counts is None else list(zip(counts.points, counts.tallies, strict=True))
    checks = [check_model(number, tally, n_users) for number, tally in tallies]
    return never_less_with_more_points(
        row for number, tally in tallies for row in extrapolate(number, tally, n_users, larger)
    ), tuple(check for check in checks if check is not None)


def _draw(run: _Measurement) -> CandidateCounts:
    """Random points; each person's share of draws that left nobody else is kept."""
    options, known = run.options, run.known
    counts = draw_candidates(
        known,
        choose_numbers(known, options.points),
        n_draws=options.draws,
        seed=options.seed,
        n_threads=run.n_threads,
        progress=lambda done: run.tell("Drawing points", done),
    )
    for place, number in enumerate(counts.points):
        run.risks[f"unique_{number}"] = counts.unique[:, place] / counts.n_draws
    return counts


def _measure_grid(run: _Measurement, numbers: tuple[int, ...]) -> tuple[GridShare, ...]:
    options, known = run.options, run.known
    run.tell("Measuring coarser places and times", None)
    return measure_grid(
        known,
        find_levels(known, run.events),
        n_points=max((n for n in numbers if n <= QUOTED), default=min(numbers)),
        n_draws=options.draws,
        resolution_s=None if run.knowledge == "place" else options.resolution_s,
        seed=options.seed,
        n_threads=run.n_threads,
    )


def _measure_worst(run: _Measurement) -> tuple[WorstPoints, ...]:
    """The worst case for 1, 2, … k points; home and work are one case."""
    options = run.options
    numbers = range(1, options.worst_case + 1)
    if run.knowledge == "home-work" and options.worst_case:
        numbers = range(2, 3)
    found = []
    for k in numbers:
        run.tell(f"Searching all choices of {k} points", None)
        began = time.perf_counter()
        fewest = _find_worst(run, k)
        run.risks[f"candidates_{k}"] = fewest
        found.append(measure_worst(k, fewest, time.perf_counter() - began))
    return tuple(found)


def _find_worst(run: _Measurement, k: int) -> Indices:
    options = run.options
    if run.knowledge == "sequence":
        return find_worst_order(build_visit_order(run.events), k, n_threads=run.n_threads)
    return find_worst(
        run.known,
        run.knowledge,
        k,
        tolerance=options.tolerance,
        home_work=options.home_work,
        n_threads=run.n_threads,
    )


def _measure_sharing(run: _Measurement) -> tuple[Sharing, ...]:
    """How many people share a trace, a set of places, the top places."""
    run.tell("Comparing whole traces", None)
    shared = share_traces(run.events, run.options.resolution_s, run.built)
    for name, counts in shared.items():
        run.risks[f"sharing_{name.replace('-', '_')}"] = counts
    return measure_shared(shared)


def _protect(run: _Measurement, chain: tuple[Protection, ...]) -> ProtectedSharing:
    """Singling out after a chain of protections; of histograms, a trace is a histogram."""
    seed, n_threads = run.options.seed, run.n_threads
    run.tell("Protecting", None)
    protected = apply_protections(run.events, chain, seed=seed, n_threads=n_threads)
    shared = share_release(protected.events, protected.histograms, run.options.resolution_s)
    return ProtectedSharing(
        protection=" then ".join(step.label() or step.name for step in chain),
        people=len(next(iter(shared.values()))),
        singling_out=measure_shared(shared),
    )
