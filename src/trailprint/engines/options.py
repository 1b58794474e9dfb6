"""Options that choose the engine; importing them loads no library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trailprint.arguments import check_fields
from trailprint.errors import OptionError
from trailprint.system.sizes import parse_size

EngineName = Literal["local", "spark"]

#: With a lower limit, each part would hold only a few people.
LEAST_WORKER_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """
    The engine that runs the passes over all pairs. Does not affect results.

    Attributes
    ----------
    engine : {"local", "spark"}
        Where data is read and people are compared: on this machine, or in tasks on Spark.
    spark_master : str, optional
        With ``engine`` spark: the cluster to use (default: local[*], all cores of this machine).
        A session that is already active is used as it is.
    spark_conf : sequence of str
        With ``engine`` spark: a setting of the session, KEY=VALUE; may be given several times.
    worker_memory : str, optional
        Memory limit of a worker, such as 4GB; what is larger is compared in parts.

    Examples
    --------
    >>> from trailprint.options import EngineOptions
    >>> EngineOptions(engine="spark", spark_master="local[2]").settings
    {}
    >>> EngineOptions(engine="spark", spark_conf=["spark.executor.memory=4g"]).settings
    {'spark.executor.memory': '4g'}
    """

    engine: EngineName = "local"
    spark_master: str | None = None
    spark_conf: Sequence[str] = ()
    worker_memory: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.engine != "spark" and (self.spark_master is not None or self.spark_conf):
            raise OptionError(
                "--spark-master and --spark-conf go with --engine spark.", option="spark-master"
            )
        if self.worker_memory is not None and (self.worker_bytes or 0) < LEAST_WORKER_BYTES:
            raise OptionError(
                "--worker-memory must be a size of at least 1MB with its unit, "
                f"got {self.worker_memory!r} instead. Try 4GB.",
                option="worker-memory",
            )
        if "spark.master" in self.settings:
            raise OptionError(
                "The cluster is named by --spark-master, got spark.master in --spark-conf instead.",
                option="spark-master",
            )
        for text in self.spark_conf:
            key, is_pair, _ = text.partition("=")
            if not (is_pair and key.strip()):
                raise OptionError(
                    "--spark-conf must be KEY=VALUE, such as spark.executor.memory=4g, "
                    f"got {text!r} instead.",
                    option="spark-conf",
                )

    @property
    def worker_bytes(self) -> int | None:
        """``worker_memory`` in bytes; None if there is no limit."""
        return None if self.worker_memory is None else parse_size(self.worker_memory)

    @property
    def settings(self) -> dict[str, str]:
        """``spark_conf`` by key; the last value given for a key wins."""
        pairs = (text.partition("=") for text in self.spark_conf)
        return {key.strip(): value.strip() for key, _, value in pairs}


def choose_engine(engine: EngineOptions | EngineName) -> EngineOptions:
    """Return engine options as they are, or those of an engine given by name."""
    return engine if isinstance(engine, EngineOptions) else EngineOptions(engine=engine)
