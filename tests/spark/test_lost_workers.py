"""A worker that dies while it reads changes nothing; one with another Python is refused."""

from __future__ import annotations

import pytest
from tests.spark.deadly import make_deadly

import trailprint as tp
from trailprint.errors import EngineError
from trailprint.simulate import CampusOptions, simulate_campus


def test_a_worker_that_dies_while_it_reads_changes_nothing(spark, tmp_path, rows_of):
    table = simulate_campus(CampusOptions(n_users=30, n_days=14))
    frame = spark.createDataFrame(table).repartition(2)
    step = make_deadly(str(tmp_path), executor=False)
    there = tp.read(frame.mapInArrow(step, frame.schema))
    assert rows_of(there) == rows_of(tp.read(table))
    assert (tmp_path / "killed").exists()


def test_workers_with_another_python_are_refused_in_a_sentence(every_pass, spark, monkeypatch):
    table = simulate_campus(CampusOptions(n_users=5, n_days=7))
    frame = spark.createDataFrame(table)
    # What the driver says it has, and workers compare with what they have.
    monkeypatch.setattr(spark.sparkContext, "pythonVer", "3.9")
    with pytest.raises(EngineError, match="the driver's version of Python"):
        tp.match(tp.read(frame), tp.read(frame), engine="spark")
