"""Matching on Spark: the same answer to the bit, and the session left as it was."""

from __future__ import annotations

import time

import numpy as np
import pytest
from tests.presence import present

import trailprint as tp
from trailprint.attacks.points.options import PointsOptions
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.errors import EngineError, OptionError
from trailprint.events.write import write_events
from trailprint.kernels.stopping import OutOfTimeError, time_limit
from trailprint.simulate import CampusOptions, simulate_campus

ENGINES: tuple[EngineName, ...] = ("local", "spark")
#: What Spark runs of a match with margins, and of one by one.
KERNELS = {"joint": {"_best_rows", "_margin_range"}, "one-by-one": {"_choose_rows"}}


def two_weeks_of(n_users):
    campus = tp.read(simulate_campus(CampusOptions(n_users=n_users, n_days=14)))
    both = tp.split(campus, tp.SplitOptions(at="median", active_both=True))
    return both.released, both.auxiliary


@pytest.fixture(scope="module")
def sides():
    return two_weeks_of(30)


@pytest.mark.parametrize(
    "options",
    [tp.MatchOptions(margins=True), tp.MatchOptions(method="one-by-one", metric="l1")],
    ids=["joint", "one-by-one"],
)
def test_a_match_is_the_same(every_pass, sides, options, without_clocks):
    found = tp.match(sides[0], sides[1], options, engine="spark")
    assert set(every_pass) == KERNELS[options.method]
    expected = tp.match(sides[0], sides[1], options)
    assert without_clocks(found.to_dict()) == without_clocks(expected.to_dict())
    assert found.links().equals(expected.links())


def test_a_plan_says_what_executors_hold(spark, sides, run, tmp_path):
    paths = [tmp_path / "released.parquet", tmp_path / "auxiliary.parquet"]
    write_events(list(zip(sides, paths, strict=True)))
    shown = run("match", *paths, "--dry-run", "--engine", "spark")
    assert shown.code == 0
    assert "memory on each executor" in shown.out


def test_work_that_takes_too_long_is_stopped_and_the_session_lives_on(every_pass, spark, sides):
    with pytest.raises(OutOfTimeError), time_limit(0.05):
        tp.match(*sides, engine="spark")
    assert spark.sparkContext.parallelize([1, 2]).sum() == 3


def test_tasks_that_have_finished_are_counted_for_a_watcher(spark):
    from trailprint.engines.spark.counting import count_finished, counting_blocks

    reported: list[float] = []
    context = spark.sparkContext
    context.setJobGroup("counted", "three tasks, then two")
    with counting_blocks(context, "counted", 3, reported.append):
        context.parallelize(range(3), 3).count()
        while not reported or reported[-1] < 1.0:
            time.sleep(0.05)
    assert reported == sorted(reported)
    before = set(context.statusTracker().getJobIdsForGroup("counted"))
    context.parallelize(range(2), 2).count()
    # Spark reports finished tasks to its status tracker a little after the job has returned.
    end = time.monotonic() + 30
    while (counted := count_finished(context, "counted", before)) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert counted == 2


def test_settings_of_a_new_session_are_refused_while_one_is_active(spark, sides):
    wanted = EngineOptions(engine="spark", spark_master="local[1]")
    with pytest.raises(OptionError, match="but one is active"):
        tp.match(*sides, engine=wanted)


def test_workers_with_other_kernels_are_refused_in_a_sentence(every_pass, sides, monkeypatch):
    monkeypatch.setattr("trailprint.engines.spark.runner.get_stamp", lambda: b"another")
    with pytest.raises(EngineError, match="the same version of trailprint"):
        tp.match(*sides, engine="spark")


def test_large_results_come_in_waves(every_pass, sides, monkeypatch):
    monkeypatch.setattr("trailprint.engines.spark.runner.WAVE_BYTES", 1)
    found = tp.match(*sides, engine="spark")
    np.testing.assert_array_equal(found.linkage.auxiliary, tp.match(*sides).linkage.auxiliary)


def test_joins_larger_than_a_worker_may_hold_go_in_parts_and_their_margins_stay_here(
    every_pass, sides, monkeypatch, without_clocks
):
    # As little as ten kilobytes would be refused: nobody has such a worker.
    monkeypatch.setattr("trailprint.engines.options.LEAST_WORKER_BYTES", 1)
    options = tp.MatchOptions(margins=True)
    little = EngineOptions(engine="spark", worker_memory="10KB")
    found = tp.match(sides[0], sides[1], options, engine=little)
    assert set(every_pass) == {"_best_rows"}
    expected = tp.match(sides[0], sides[1], options)
    assert without_clocks(found.to_dict()) == without_clocks(expected.to_dict())
    assert found.links().equals(expected.links())


def test_known_points_and_the_worst_case_are_the_same(a_few_passes, sides, without_clocks):
    options = PointsOptions(points=(1, 2), draws=1, worst_case=1, grid=False)
    found, expected = (tp.points(sides[0], options, engine=one) for one in ENGINES)
    assert {"_count_drawn", "_find_fewest"} <= set(a_few_passes)
    assert without_clocks(found.to_dict()) == without_clocks(expected.to_dict())


def test_a_protection_is_the_same(a_few_passes, sides):
    found, expected = (tp.protect(sides[0], "microaggregate:k=3", engine=one) for one in ENGINES)
    assert {"_offer_groups", "_find_near"} <= set(a_few_passes)
    assert present(found.histograms()).equals(present(expected.histograms()))


def test_models_of_sequences_are_the_same(every_model, without_clocks):
    # A model for each of them, and everybody's under every model: a few people are enough for both.
    sides = two_weeks_of(10)
    options = tp.CorrelateOptions(joint=True)
    expected, found = (tp.correlate(sides[0], sides[1], options, engine=one) for one in ENGINES)
    assert set(every_model) == {"train_model", "score_queries"}
    assert without_clocks(found.to_dict()) == without_clocks(expected.to_dict())
    assert found.links().equals(expected.links())


def test_a_frame_of_spark_is_read_like_any_other(spark, sides, rows_of):
    table = sides[0].engine.arrow(sides[0].query)
    there = spark.createDataFrame(table)
    assert rows_of(tp.read(there)) == rows_of(tp.read(table))


def test_events_counted_on_spark_give_the_same_match(spark, sides, without_clocks):
    there = [spark.createDataFrame(side.engine.arrow(side.query)) for side in sides]
    counted = [frame.groupBy("user", "location").count() for frame in there]
    found, expected = tp.match(*counted), tp.match(*sides)
    different = ("periods_overlap",)
    found, expected = (without_clocks(one.to_dict()) for one in (found, expected))
    assert {k: v for k, v in found.items() if k not in different} == {
        k: v for k, v in expected.items() if k not in different
    }
