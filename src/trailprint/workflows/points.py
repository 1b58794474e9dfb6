"""``trailprint.points``: what a few known points reveal, from events to shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trailprint.arguments import check_arguments
from trailprint.attacks.points.drawn import CandidateCounts
from trailprint.attacks.points.options import DRAWN, PointsOptions
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
    measure_unicity,
)
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source
from trailprint.progress import Progress, ignore_progress, shows_progress
from trailprint.protections.chain import apply_protections
from trailprint.protections.protection import Protection
from trailprint.studies.shared_traces import measure_shared, share_release
from trailprint.workflows.engines import runs_on_engine
from trailprint.workflows.measuring import Stopwatch, announce_compilation
from trailprint.workflows.points_plan import announce_points
from trailprint.workflows.points_result import PointsResult, ProtectedSharing
from trailprint.workflows.points_steps import (
    Measurement,
    compare_traces,
    draw_points,
    measure_coarser,
    measure_worst_case,
    open_measurement,
)

#: Default populations to extrapolate to, as multiples of the number of people.
_GROWTH = (10, 100, 1000)


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
        The data to be released.
    options : PointsOptions, optional
        What is known about a person, and how much of it.
    reading : ReadOptions, optional
        How to read a source that is not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    protections : Protection, str or a sequence of them
        Protections to compare; people who share a trace are counted again after each one alone.
    engine : EngineOptions or {"local", "spark"}, optional
        Engine that runs the passes over all people. Does not affect results.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with a description of the step and the share that is done.

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
    announce_compilation()
    options = options or PointsOptions()
    watch = Stopwatch()
    report = progress or ignore_progress
    report("Counting points", None)
    run, chains = open_measurement(data, options, reading, places, protections, (n_threads, report))
    events, knowledge = run.events, run.knowledge
    known = run.known
    larger = _choose_populations(options.populations, known.n_users)
    watch.lap("read")
    announce_points(run, chains, engine)
    counts = draw_points(run) if knowledge in DRAWN else None
    watch.lap("draw")
    grid = measure_coarser(run, counts.points) if counts is not None and options.grid else ()
    watch.lap("grid")
    worst = measure_worst_case(run)
    watch.lap("worst_case")
    singling_out = compare_traces(run)
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
    """Return the populations to extrapolate to, which must not be smaller than the data."""
    if wanted and min(wanted) < n_users:
        raise OptionError(
            f"--populations must be at least the {n_users:,} people of the data, got "
            f"{min(wanted):,} instead.",
            option="populations",
        )
    return wanted or tuple(factor * n_users for factor in _GROWTH)


def _extrapolate(
    counts: CandidateCounts | None, n_users: int, larger: tuple[int, ...]
) -> tuple[tuple[LargerPopulation, ...], tuple[ModelCheck, ...]]:
    """Extrapolate unicity to larger populations, and check the fit of the model on this one."""
    tallies = [] if counts is None else list(zip(counts.points, counts.tallies, strict=True))
    checks = [check_model(number, tally, n_users) for number, tally in tallies]
    return never_less_with_more_points(
        row for number, tally in tallies for row in extrapolate(number, tally, n_users, larger)
    ), tuple(check for check in checks if check is not None)


def _protect(run: Measurement, chain: tuple[Protection, ...]) -> ProtectedSharing:
    """Measure singling out after a chain of protections; the trace of a histogram is itself."""
    seed, n_threads = run.options.seed, run.n_threads
    run.report("Protecting", None)
    protected = apply_protections(run.events, chain, seed=seed, n_threads=n_threads)
    shared = share_release(protected.events, protected.histograms, run.options.resolution_s)
    return ProtectedSharing(
        protection=" then ".join(step.label() or step.name for step in chain),
        people=len(next(iter(shared.values()))),
        singling_out=measure_shared(shared),
    )
