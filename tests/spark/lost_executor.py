"""
A cluster of two executors, one of which dies while it reads: ``python lost_executor.py FOLDER``.

Prints as JSON how often each person is at each place of ``events.parquet`` in the folder, how many
executors died while their tasks ran, and whether the events were on Spark. A program of its own: a
process has one Spark session at a time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import trailprint as tp
from trailprint.engines.options import EngineOptions
from trailprint.engines.spark.sessions import open_session

COUNTS = 'SELECT "user", location, count(*) FROM ({}) GROUP BY ALL ORDER BY ALL'
CLUSTER = EngineOptions(
    engine="spark",
    spark_master="local-cluster[2,1,1024]",
    spark_conf=(
        "spark.driver.memory=1g",
        "spark.executor.memory=512m",
        "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions=2",
        "spark.sql.adaptive.enabled=false",
        "spark.sql.codegen.wholeStage=false",
        "spark.sql.codegen.factoryMode=NO_CODEGEN",
    ),
)


def make_deadly(folder: str) -> Any:
    """A step that kills the executor of the first task that has read a batch, and no other."""

    def kill_once(batches: Iterable[Any]) -> Iterator[Any]:
        import os
        import signal
        from pathlib import Path

        for batch in batches:
            yield batch
            try:
                (Path(folder) / "killed").touch(exist_ok=False)
            except FileExistsError:
                continue
            # This process is a child of Python's daemon, which is one of the executor.
            daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
            os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)

    return kill_once


def main(folder: str) -> None:
    with open_session(CLUSTER) as spark:
        frame = spark.read.parquet(f"{folder}/events.parquet").repartition(2)
        events = tp.read(frame.mapInArrow(make_deadly(folder), frame.schema))
        said = {
            "counts": events.engine.rows(COUNTS.format(events.query)),
            "killed": len(list(Path(folder).glob("killed"))),
            "on_spark": events.engine.is_on_spark,
        }
    print(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
