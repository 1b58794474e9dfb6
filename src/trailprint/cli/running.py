"""Options of every command: how it runs and how it prints its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from trailprint.arguments import check_fields, check_range
from trailprint.cli.groups import Given, Panel
from trailprint.cli.option_fields import Written
from trailprint.engines.options import EngineOptions
from trailprint.events.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """
    How a command runs.

    Attributes
    ----------
    json : bool
        Print one JSON object and nothing else.
    seed : int
        Seed of every random choice.
    threads : int, optional
        Worker threads (default: all cores).
    memory : str, optional
        Memory limit, such as 2GB; what does not fit is spilled to disk.
    """

    json: bool = False
    seed: int = 0
    threads: int | None = None
    memory: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        check_range("n_threads", self.threads)

    def engine(self) -> Engine:
        """Open a DuckDB engine with these limits."""
        return Engine(memory=self.memory, threads=self.threads)


Running = Annotated[RunOptions, Panel("Running")]
#: For a command to which a seed that was typed means something else than the same one left out.
GivenRunning = Annotated[Given[RunOptions], Panel("Running")]
_SETTINGS = {"spark_conf": Written(read=tuple, metavar="KEY=VALUE", many=True)}
EnginePanel = Annotated[EngineOptions, Panel("Running", written=_SETTINGS)]
#: For a command that only reads the data and makes no passes.
ReadingEngine = Annotated[
    EngineOptions, Panel("Running", without=("worker_memory",), written=_SETTINGS)
]
