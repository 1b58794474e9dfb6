"""One small Spark session for all tests of a process; skipped where there is no Java 17."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from trailprint.engines.options import EngineOptions
from trailprint.errors import EngineError

#: As small as Spark gets: two workers, and few partitions for few rows; compiling code for a few
#: rows takes longer than running it.
SETTINGS = (
    "spark.driver.memory=1g",
    "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions=2",
    "spark.default.parallelism=2",
    "spark.sql.adaptive.enabled=false",
    "spark.sql.codegen.wholeStage=false",
    "spark.sql.codegen.factoryMode=NO_CODEGEN",
    "spark.sql.autoBroadcastJoinThreshold=-1",
)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """An active session."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install trailprint[spark]")
    from trailprint.engines.spark.sessions import check_java, open_session

    try:
        check_java()
    except EngineError:
        pytest.skip("no Java 17 found: install Debian's openjdk-17-jre-headless to test Spark")
    wanted = EngineOptions(engine="spark", spark_master="local[2]", spark_conf=SETTINGS)
    with open_session(wanted) as session:
        yield session


CLOCKS = ("seconds", "peak_memory_mb")


@pytest.fixture(scope="session")
def without_clocks() -> Callable[[Any], Any]:
    """What was found, at any depth, without what a clock says."""

    def strip(result: Any) -> Any:
        if isinstance(result, dict):
            kept = {name: value for name, value in result.items() if name not in CLOCKS}
            return {name: strip(value) for name, value in kept.items()}
        return [strip(one) for one in result] if isinstance(result, list) else result

    return strip


def _count_passes(monkeypatch: pytest.MonkeyPatch, most: int) -> list[str]:
    """The kernels whose passes Spark runs: the first ``most`` of each, however small they are."""
    from trailprint.engines.spark import runner

    ran: list[str] = []
    run = runner.SparkRunner.__call__

    def count(own: Any, one: Any) -> bool:
        name = one.kernel.__name__
        if ran.count(name) == most or not run(own, one):
            return False
        ran.append(name)
        return True

    monkeypatch.setattr(runner, "LEAST_WORK", 0)
    monkeypatch.setattr(runner.SparkRunner, "__call__", count)
    return ran


@pytest.fixture
def every_pass(spark: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Spark has run: every pass."""
    return _count_passes(monkeypatch, 1_000_000)


@pytest.fixture
def a_few_passes(spark: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Spark has run: the first passes of each kernel, because an audit has hundreds."""
    return _count_passes(monkeypatch, 2)


@pytest.fixture
def every_model(a_few_passes: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Functions whose calls Spark has run: every model, however little there is to learn."""
    from trailprint.engines.spark.runner import SparkRunner

    ran: list[str] = []
    run = SparkRunner._call

    def count(own: Any, make: Any, function: Any, tasks: Any) -> Any:
        ran.append(function.__name__)
        return run(own, make, function, tasks)

    monkeypatch.setattr(SparkRunner, "_call", count)
    for module in ("models", "scores"):
        monkeypatch.setattr(f"trailprint.attacks.sequence.{module}._WORTH_PROCESSES", 0)
    return ran
