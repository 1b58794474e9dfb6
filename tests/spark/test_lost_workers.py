"""An executor that dies while it reads changes nothing; a worker with another Python is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.spark import lost_executor

import trailprint as tp
from trailprint.errors import EngineError
from trailprint.simulate import CampusOptions, simulate_campus


def test_an_executor_that_dies_while_it_reads_changes_nothing(spark, tmp_path):
    table = simulate_campus(CampusOptions(n_users=30, n_days=14))
    pq.write_table(table, tmp_path / "events.parquet")
    program = Path(lost_executor.__file__)
    done = subprocess.run(
        [sys.executable, program, tmp_path], capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout)
    assert said["on_spark"]
    assert said["killed"] == 1
    here = tp.read(table)
    expected = here.engine.rows(lost_executor.COUNTS.format(here.query))
    assert said["counts"] == [list(row) for row in expected]


def test_workers_with_another_python_are_refused_in_a_sentence(every_pass, spark, monkeypatch):
    table = simulate_campus(CampusOptions(n_users=5, n_days=7))
    frame = spark.createDataFrame(table)
    # What the driver says it has, and workers compare with what they have.
    monkeypatch.setattr(spark.sparkContext, "pythonVer", "3.9")
    with pytest.raises(EngineError, match="the driver's version of Python"):
        tp.match(tp.read(frame), tp.read(frame), engine="spark")
