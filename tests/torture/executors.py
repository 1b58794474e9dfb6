"""A cluster of two executors, one of which is killed while it reads: the same events."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tests.spark.deadly import make_deadly
from tests.torture.outcomes import Series

import trailprint as tp
from trailprint.engines.options import EngineOptions
from trailprint.engines.spark.sessions import open_session
from trailprint.simulate import CampusOptions, simulate_campus

CLUSTER = EngineOptions(
    engine="spark",
    spark_master="local-cluster[2,1,1024]",
    spark_conf=("spark.executor.memory=512m", "spark.sql.shuffle.partitions=4"),
)
_COUNTS = 'SELECT "user", location, count(*) FROM ({}) GROUP BY ALL ORDER BY ALL'


def executor_series(n_tries: int) -> Iterator[Series]:
    """Every try has a population and a victim of its own."""
    series = Series(name="executors killed while reading")
    with open_session(CLUSTER) as session:
        for seed in range(n_tries):
            began = time.perf_counter()
            faults = list(_kill_one(session, seed))
            series.add(faults, seconds=time.perf_counter() - began)
    yield series


def _kill_one(session: Any, seed: int) -> Iterator[str]:
    table = simulate_campus(CampusOptions(n_users=40, n_days=14, seed=seed))
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table, f"{folder}/events.parquet")
        frame = session.read.parquet(f"{folder}/events.parquet").repartition(4)
        events = tp.read(frame.mapInArrow(make_deadly(folder, executor=True), frame.schema))
        if not events.engine.is_on_spark:
            yield "the events are not on Spark"
        if _count(events) != _count(tp.read(table)):
            yield "other events than without a kill"
        if not (Path(folder) / "killed").exists():
            yield "nobody was killed"


def _count(events: tp.Events) -> list[tuple[Any, ...]]:
    return list(events.engine.rows(_COUNTS.format(events.query)))
