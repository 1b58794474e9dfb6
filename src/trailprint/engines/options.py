"""Which engine is wanted: options that check themselves, loaded without any library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trailprint.arguments import check_fields
from trailprint.errors import OptionError

EngineName = Literal["local", "spark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """
    Who runs the passes over all pairs. Does not affect results.

    Attributes
    ----------
    engine : {"local", "spark"}
        Who runs the passes over all pairs: threads of this machine, or tasks on Spark.
    spark_master : str, optional
        With ``engine`` spark: the cluster to use (default: local[*], all cores of this machine).
        A session that is already active is used as it is.
    spark_conf : sequence of str
        With ``engine`` spark: a setting of the session, KEY=VALUE; may be given several times.

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

    def __post_init__(self) -> None:
        check_fields(self)
        if self.engine != "spark" and (self.spark_master is not None or self.spark_conf):
            raise OptionError("--spark-master and --spark-conf go with --engine spark.")
        for text in self.spark_conf:
            key, is_pair, _ = text.partition("=")
            if not (is_pair and key.strip()):
                raise OptionError(
                    "--spark-conf must be KEY=VALUE, such as spark.executor.memory=4g, "
                    f"got {text!r} instead."
                )

    @property
    def settings(self) -> dict[str, str]:
        """``spark_conf`` by key; the last value of a key counts."""
        pairs = (text.partition("=") for text in self.spark_conf)
        return {key.strip(): value.strip() for key, _, value in pairs}


def choose_engine(engine: EngineOptions | EngineName) -> EngineOptions:
    """Options of an engine that may be given by name."""
    return engine if isinstance(engine, EngineOptions) else EngineOptions(engine=engine)
