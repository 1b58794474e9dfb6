"""One small Spark session for all tests of a process; skipped where there is no Java 17."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from trailprint.engines.options import EngineOptions
from trailprint.errors import EngineError

#: As small as Spark gets: two workers, and few partitions for few rows.
SETTINGS = (
    "spark.driver.memory=1g",
    "spark.sql.shuffle.partitions=2",
    "spark.default.parallelism=2",
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


@pytest.fixture
def every_pass(spark: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The session, with every pass run on it, however small."""
    from trailprint.engines.spark import runner

    monkeypatch.setattr(runner, "LEAST_WORK", 0)
    return spark


@pytest.fixture
def a_few_passes(every_pass: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The session, with the first few passes run on it: an audit has hundreds."""
    from trailprint.engines.spark.runner import SparkRunner

    run, left = SparkRunner.__call__, iter(range(4))
    monkeypatch.setattr(
        SparkRunner,
        "__call__",
        lambda runner, one: next(left, None) is not None and run(runner, one),
    )
    return every_pass
