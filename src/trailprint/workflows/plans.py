"""What a piece of work will need, before it is begun: people, passes, memory, time."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from trailprint.display.discreet import Words
from trailprint.display.numbers import format_seconds, to_finite
from trailprint.engines.cores import count_spark_cores
from trailprint.engines.options import EngineName, EngineOptions, choose_engine
from trailprint.kernels.threads import available_threads
from trailprint.workflows.results import Result

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
        What is done.
    passes : int
        How often everybody is looked at; 0 for work that is no pass.
    core_seconds : float
        What it takes one core.
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
    What a piece of work will need, estimated from a few people.

    Attributes
    ----------
    work : str
        What would be done: correlate, points, protect or sweep.
    released_users, auxiliary_users, locations : int
        What was counted; None for what this work does not have.
    pairs : float
        Pairs of people who are compared, or how often two people share something.
    passes : int
        How often everybody is looked at.
    driver_memory_mb, worker_memory_mb : float
        Memory for arrays, of this process and of one executor on Spark; libraries, and what
        reading needs, come on top.
    core_seconds : float
        What all steps take one core; reading comes on top.
    cores : int, optional
        Cores that share them; None on a cluster that has not been asked.
    seconds : float, optional
        What they take all cores; None where these are not known.
    steps : tuple of PlannedStep
        The same, step by step.
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
        """All of it as plain values."""
        plain: dict[str, Any] = to_finite(asdict(self))
        return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSize:
    """What was counted of the data of a plan."""

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
    """Put a plan together."""
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
    """Cores that run passes: of this machine, of an active session, or as its master says."""
    if engine.engine == "local":
        return n_threads or available_threads()
    return count_spark_cores(engine, here=available_threads())


def show_cores(n_cores: int) -> str:
    """A number of cores in words."""
    return f"{n_cores:,} core{'s' if n_cores != 1 else ''}"


def describe_time(core_seconds: float, seconds: float | None, cores: int | None) -> str:
    """How long it takes, in words."""
    if seconds is None:
        return f"{format_seconds(core_seconds)} of one core"
    return f"{format_seconds(seconds)} on {show_cores(cores or 1)}"


def describe_memory(driver_mb: float, worker_mb: float, engine: EngineName) -> str:
    """How much memory arrays need, in words."""
    elsewhere = f" and {worker_mb:,.0f} MB on each executor" if engine == "spark" else ""
    return f"{driver_mb:,.0f} MB of memory for arrays here{elsewhere}"


def describe_work(plan: WorkPlan) -> str:
    """The plan in one line."""
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
    """Say in the log what is going to be needed."""
    _LOG.info(describe_work(plan))


def runs_on_spark(engine: EngineOptions | EngineName | None) -> bool:
    """Whether work is run elsewhere: then its plan is always said."""
    return choose_engine(engine or "local").engine == "spark"
