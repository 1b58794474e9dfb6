"""``plan_points``: estimate in advance what measuring a few known points needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from trailprint.arguments import check_arguments
from trailprint.attacks.points.drawn import choose_numbers
from trailprint.attacks.points.options import DRAWN, PointsOptions
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source
from trailprint.features.points import Points
from trailprint.progress import ignore_progress
from trailprint.protections.protection import Protection
from trailprint.studies.known_points import find_levels
from trailprint.workflows.plans import (
    PlannedSize,
    WorkPlan,
    announce_work,
    make_plan,
    runs_on_spark,
)
from trailprint.workflows.points_steps import (
    Measurement,
    compare_traces,
    draw_points,
    find_fewest,
    list_worst,
    measure_coarser,
    open_measurement,
)
from trailprint.workflows.protect_plan import plan_chain
from trailprint.workflows.rehearsal import Rehearsed, count_bytes, rehearse

#: From this many points in total measuring locally takes about a minute, so the plan is logged.
LONG_POINTS = 10_000_000
#: From this many place levels on, only the finest and the coarsest are timed.
MANY_LEVELS = 3
ARRAYS = ("indptr", "keys", "counts", "key_place", "key_time")


@check_arguments(skip=("protections",))
def plan_points(
    data: Source,
    options: PointsOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    protections: Protection | str | Sequence[Protection | str] = (),
    engine: EngineOptions | EngineName = "local",
    n_threads: int | None = None,
) -> WorkPlan:
    """
    Estimate what `trailprint.points` with the same arguments needs, without measuring.

    Events are read and points counted, then each kind of pass is run for a few people on one core.

    Parameters
    ----------
    data : Events, path or table
        The data to be released.
    options : PointsOptions, optional
        What is known about a person, and how much of it.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    protections : Protection, str or a sequence of them
        Protections to compare.
    engine : EngineOptions or {"local", "spark"}
        Engine that the plan is for. Does not affect results.
    n_threads : int, optional
        Number of threads that the plan is for.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate import CampusOptions, simulate_campus
    >>> campus = simulate_campus(CampusOptions(n_users=20, n_days=14))
    >>> from trailprint.workflows import plan_points
    >>> plan_points(campus).released_users
    20
    """
    options = options or PointsOptions()
    run, chains = open_measurement(
        data, options, reading, places, protections, (n_threads, ignore_progress)
    )
    return plan_measurement(run, chains, engine)


def announce_points(
    run: Measurement,
    chains: Sequence[tuple[Protection, ...]],
    engine: EngineOptions | EngineName | None,
) -> None:
    """Log the estimated cost of measuring on Spark, or of a long local measurement."""
    if runs_on_spark(engine) or len(run.known.keys) >= LONG_POINTS:
        announce_work(plan_measurement(run, chains, engine or "local"))


def plan_measurement(
    run: Measurement,
    chains: Sequence[tuple[Protection, ...]],
    engine: EngineOptions | EngineName,
) -> WorkPlan:
    """Plan a measurement whose events are already open."""
    trial = replace(run, report=ignore_progress, risks={})
    known = trial.known  # Built before timing starts: it counts as reading.
    found = _rehearse(trial)
    steps = [step for name, one in found.items() for step in one.steps(name)]
    for chain in chains:
        steps += plan_chain(trial.events, chain)[0]
    worker_bytes = max((one.worker_bytes for one in found.values()), default=0.0)
    visitors = np.bincount(known.keys, minlength=known.n_keys).astype(np.float64)
    measured = PlannedSize(
        released_users=known.n_users,
        locations=len(trial.points("place").locations),
        pairs=float((visitors * (visitors - 1) / 2).sum()),
        driver_bytes=sum(map(_count_arrays, trial.built.values())) + 2 * worker_bytes,
        worker_bytes=worker_bytes,
    )
    return make_plan("points", measured, steps, engine, run.n_threads)


def _rehearse(run: Measurement) -> dict[str, Rehearsed]:
    """Run each kind of work for a few people."""
    found = {}
    if run.knowledge in DRAWN:
        found["points drawn"] = rehearse(lambda: draw_points(run), of_few=True)
        if run.options.grid:
            found["coarser places and times"] = _rehearse_coarser(run)
    if run.options.worst_case:
        found["worst case"] = rehearse(lambda: _search(run), of_few=True)
    found["whole traces"] = rehearse(lambda: compare_traces(run), of_few=True)
    return found


def _search(run: Measurement) -> None:
    for k in list_worst(run):
        find_fewest(run, k)


def _rehearse_coarser(run: Measurement) -> Rehearsed:
    """Rehearse the finest and the coarsest places, and scale to all levels."""
    levels = find_levels(run.known, run.events)
    ends = levels if len(levels) < MANY_LEVELS else (levels[0], levels[-1])
    numbers = choose_numbers(run.known, run.options.points)
    found = rehearse(lambda: measure_coarser(run, numbers, ends), of_few=True)
    return found.times(len(levels) / len(ends))


def _count_arrays(points: Points) -> int:
    return sum(count_bytes(getattr(points, name)) for name in ARRAYS)
