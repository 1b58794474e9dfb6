"""Plans: the people, passes, memory and time that a piece of work needs, estimated in advance."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from trailprint.display.discreet import Words
from trailprint.display.numbers import format_seconds, to_finite
from trailprint.engines.cores import count_spark_cores
from trailprint.engines.options import EngineName, EngineOptions, choose_engine
from trailprint.events.results import Result
from trailprint.kernels.threads import available_threads

_LOG = logging.getLogger(__name__)

PlannedWork = Literal["correlate", "points", "protect", "sweep"]
_TITLES: dict[PlannedWork, str] = {
    "correlate": "To correlate",
    "points": "To measure points",
    "protect": "To protect",
    "sweep": "To sweep",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """
    One step of a plan.

    Attributes
    ----------
    name : str
        Name of the step.
    passes : int
        Number of passes over all people; 0 for other work.
    core_seconds : float
        Seconds on one core.
    is_shared : bool
        Whether all cores share it; else one core of this machine does it.
    """

    name: str
    passes: int
    core_seconds: float
    is_shared: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkPlan(Result):
    """
    Estimated cost of a piece of work, extrapolated from a few people.

    Attributes
    ----------
    work : str
        Kind of work: correlate, points, protect or sweep.
    released_users, auxiliary_users, locations : int
        Number of users and locations counted; None if they do not apply to this work.
    pairs : float
        Pairs of people compared, or number of times that two people share something.
    passes : int
        Number of passes over all people.
    driver_memory_mb, worker_memory_mb : float
        Memory for arrays in this process and in one Spark executor, in megabytes, without
        libraries and reading.
    core_seconds : float
        Seconds of all steps on one core, without reading.
    cores : int, optional
        Cores that share the steps; None for a cluster whose size is unknown.
    seconds : float, optional
        Seconds of all steps on all cores; None if the number of cores is unknown.
    steps : tuple of PlannedStep
        The individual steps.
    """

    work: PlannedWork
    engine: EngineName
    released_users: int
    auxiliary_users: int | None
    locations: int | None
    pairs: float
    passes: int
    driver_memory_mb: float
    worker_memory_mb: float
    core_seconds: float
    cores: int | None
    seconds: float | None
    steps: tuple[PlannedStep, ...]

    def _shown(self) -> dict[str, object]:
        shown = {**self.to_dict(), "work": Words(self.work)}
        del shown["steps"]
        return shown

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values."""
        plain: dict[str, Any] = to_finite(asdict(self))
        return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSize:
    """Counts and bytes of the data of a plan."""

    released_users: int
    auxiliary_users: int | None = None
    locations: int | None
    pairs: float
    driver_bytes: float
    worker_bytes: float


def make_plan(
    work: PlannedWork,
    measured: PlannedSize,
    steps: Iterable[PlannedStep],
    engine: EngineOptions | EngineName | None,
    n_threads: int | None,
) -> WorkPlan:
    """Assemble a plan from its size and steps."""
    chosen, listed = choose_engine(engine or "local"), tuple(steps)
    cores = count_cores(chosen, n_threads)
    return WorkPlan(
        work=work,
        engine=chosen.engine,
        released_users=measured.released_users,
        auxiliary_users=measured.auxiliary_users,
        locations=measured.locations,
        pairs=round(measured.pairs),
        passes=sum(step.passes for step in listed),
        driver_memory_mb=measured.driver_bytes / 1e6,
        worker_memory_mb=measured.worker_bytes / 1e6,
        core_seconds=sum(step.core_seconds for step in listed),
        cores=cores,
        seconds=None if cores is None else _time_on(cores, listed),
        steps=listed,
    )


def _time_on(cores: int, steps: Sequence[PlannedStep]) -> float:
    return sum(step.core_seconds / (cores if step.is_shared else 1) for step in steps)


def count_cores(engine: EngineOptions, n_threads: int | None) -> int | None:
    """Return the number of cores: of this machine, an active Spark session, or its master URL."""
    if engine.engine == "local":
        return n_threads or available_threads()
    return count_spark_cores(engine, here=available_threads())


def show_cores(n_cores: int) -> str:
    """Return a number of cores in words."""
    return f"{n_cores:,} core{'s' if n_cores != 1 else ''}"


def describe_time(core_seconds: float, seconds: float | None, cores: int | None) -> str:
    """Return the time that work takes, in words."""
    if seconds is None:
        return f"{show_estimate(core_seconds)} of one core"
    return f"{show_estimate(seconds)} on {show_cores(cores or 1)}"


def show_estimate(seconds: float) -> str:
    """Return an estimated duration in words."""
    return "less than a second" if seconds < 1 else format_seconds(seconds)


def show_megabytes(megabytes: float) -> str:
    """Return an amount of memory in words."""
    return "less than 1 MB" if megabytes < 1 else f"{megabytes:,.0f} MB"


def describe_memory(driver_mb: float, worker_mb: float, engine: EngineName) -> str:
    """Return the memory that arrays need, in words."""
    elsewhere = f" and {show_megabytes(worker_mb)} on each executor" if engine == "spark" else ""
    return f"{show_megabytes(driver_mb)} of memory for arrays here{elsewhere}"


def describe_work(plan: WorkPlan) -> str:
    """Return the plan in one line."""
    both = "" if plan.auxiliary_users is None else f" and {plan.auxiliary_users:,}"
    places = "" if plan.locations is None else f"{plan.locations:,} locations, "
    return (
        f"{_TITLES[plan.work]}: {plan.released_users:,}{both} people, {places}"
        f"about {plan.pairs:,.0f} pairs. "
        f"{_show_passes(plan.passes)} over everybody, about "
        f"{describe_time(plan.core_seconds, plan.seconds, plan.cores)}; "
        f"{describe_memory(plan.driver_memory_mb, plan.worker_memory_mb, plan.engine)}."
    )


def _show_passes(number: int) -> str:
    return f"{number:,} pass{'es' if number != 1 else ''}"


def announce_work(plan: WorkPlan) -> None:
    """Log a plan."""
    _LOG.info(describe_work(plan))


def runs_on_spark(engine: EngineOptions | EngineName | None) -> bool:
    """Whether work runs on Spark, where its plan is always logged."""
    return choose_engine(engine or "local").engine == "spark"
