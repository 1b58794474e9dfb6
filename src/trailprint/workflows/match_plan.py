"""``plan_match``: estimate in advance what a matching needs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from trailprint.arguments import check_arguments
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.planning import count_terms
from trailprint.display.numbers import to_finite
from trailprint.engines.options import EngineName, EngineOptions, choose_engine
from trailprint.events.knowledge import Knowledge, open_knowledge, restrict
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, open_places
from trailprint.events.results import Result
from trailprint.features.options import HistogramOptions
from trailprint.workflows.match_attack import Looks, MatchAttack, prepare_attack
from trailprint.workflows.options import ViewOptions, open_views
from trailprint.workflows.plans import count_cores, describe_memory, describe_time

_LOG = logging.getLogger(__name__)

#: From this many terms on a local pass takes some seconds, so the plan is logged.
LONG_TERMS = 500_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatchPlan(Result):
    """
    Estimated cost of a matching, extrapolated from a few people.

    Attributes
    ----------
    released_users, auxiliary_users, locations : int
        Number of users and locations counted.
    pairs : float
        Pairs of people who share a location.
    passes : float
        Approximate number of passes over all pairs.
    driver_memory_mb, worker_memory_mb : float
        Memory for arrays in this process and in one Spark executor, in megabytes, without
        libraries and reading.
    core_seconds : float
        Seconds of the passes on one core.
    parts : int
        Number of parts of each pass, because a worker may not hold everything.
    cores : int, optional
        Cores that share the passes; None for a cluster whose size is unknown.
    seconds : float, optional
        Seconds of the passes on all cores; None if the number of cores is unknown.
    """

    engine: EngineName
    released_users: int
    auxiliary_users: int
    locations: int
    pairs: float
    passes: float
    parts: int
    driver_memory_mb: float
    worker_memory_mb: float
    core_seconds: float
    cores: int | None
    seconds: float | None

    def _shown(self) -> dict[str, object]:
        return self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values."""
        plain: dict[str, Any] = to_finite(asdict(self))
        return plain


@check_arguments()
def plan_match(
    released: Source,
    auxiliary: Source,
    options: MatchOptions | None = None,
    *,
    histograms: HistogramOptions | None = None,
    views: ViewOptions | str | Sequence[str] | None = None,
    knows: Knowledge | str | None = None,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    engine: EngineOptions | EngineName = "local",
    n_threads: int | None = None,
) -> MatchPlan:
    """
    Estimate what `trailprint.match` with the same arguments needs, without matching.

    Events are read and counted, then a few people are compared with all others on one core.
    Weights of views are not learnt: all views get equal weight.

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
    knows : Knowledge or str, optional
        How much of the auxiliary side is known about each person; by default everything.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
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
    >>> from trailprint.workflows import plan_match
    >>> plan_match(sides.released, sides.auxiliary).released_users
    20
    """
    options = options or MatchOptions()
    first, second = open_places([released, auxiliary], reading, places)
    second, _ = restrict(second, open_knowledge(knows, options.seed))
    views = open_views(views)
    if views is not None and views.weights == "learnt":
        views = replace(views, weights="equal")
    attack = prepare_attack(first, second, Looks(histograms, views), options, n_threads)
    return _plan(attack, options, choose_engine(engine), n_threads)


def announce_plan(
    attack: MatchAttack,
    options: MatchOptions,
    engine: EngineOptions | EngineName | None,
    n_threads: int | None,
) -> None:
    """Log the estimated cost of a matching on Spark, or of a long local one."""
    chosen = choose_engine(engine or "local")
    if options.metric == "transport":
        return
    if chosen.engine == "local" and count_terms(*attack.sides) < LONG_TERMS:
        return
    _LOG.info(describe_plan(_plan(attack, options, chosen, n_threads)))


def describe_plan(plan: MatchPlan) -> str:
    """Return the plan in one line."""
    time = describe_time(plan.core_seconds, plan.seconds, plan.cores)
    in_parts = f", each in {plan.parts:,} parts" if plan.parts > 1 else ""
    return (
        f"To match: {plan.released_users:,} and {plan.auxiliary_users:,} people, "
        f"{plan.locations:,} locations, about {plan.pairs:,.0f} pairs who share one. "
        f"About {plan.passes:,.0f} passes over them{in_parts}, {time}; "
        f"{describe_memory(plan.driver_memory_mb, plan.worker_memory_mb, plan.engine)}."
    )


def _plan(
    attack: MatchAttack, options: MatchOptions, engine: EngineOptions, n_threads: int | None
) -> MatchPlan:
    survey, first = attack.survey(options, engine.worker_bytes), attack.sides[0]
    cores = count_cores(engine, n_threads)
    return MatchPlan(
        engine=engine.engine,
        released_users=first.n_users,
        auxiliary_users=attack.sides[1].n_users,
        locations=first.n_locations,
        pairs=round(survey.n_pairs),
        passes=survey.n_passes,
        parts=survey.n_parts,
        driver_memory_mb=survey.driver_bytes / 1e6,
        worker_memory_mb=survey.worker_bytes / 1e6,
        core_seconds=survey.core_seconds,
        cores=cores,
        seconds=None if cores is None else survey.core_seconds / cores,
    )
