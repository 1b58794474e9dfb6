"""``--dry-run`` of commands: what they would need, and nothing is done."""

from __future__ import annotations

import pytest

import trailprint as tp
from trailprint.engines.options import EngineOptions
from trailprint.errors import OptionError
from trailprint.events.write import write_events
from trailprint.kernels.passes import passes_run_by
from trailprint.options import CorrelateOptions, FoldOptions, PointsOptions, SweepOptions
from trailprint.progress import ignore_progress
from trailprint.simulate import CampusOptions, GpsOptions, simulate_campus, simulate_gps
from trailprint.workflows import (
    correlate_plan,
    plan_correlate,
    plan_correlate_folds,
    plan_points,
    plan_protect,
    plan_trade_off,
    points_plan,
    protect_plan,
)
from trailprint.workflows.correlate_sides import check_correlation
from trailprint.workflows.plans import describe_work, show_estimate, show_megabytes
from trailprint.workflows.points_steps import list_worst, open_measurement
from trailprint.workflows.rehearsal import Rehearsal, Rehearsed


@pytest.fixture(scope="module")
def campus():
    return tp.read(simulate_campus(CampusOptions(n_users=30, n_days=14))).materialise()


@pytest.fixture(scope="module")
def sides(campus):
    both = tp.split(campus, tp.SplitOptions(at="median"))
    return both.released, both.auxiliary


def test_home_and_work_are_one_worst_case(campus):
    options = PointsOptions(knowledge="home-work", worst_case=3)
    run, chains = open_measurement(campus, options, None, None, (), (None, ignore_progress))
    assert (list(list_worst(run)), chains) == ([2], [])


def test_only_models_are_kept(campus, tmp_path):
    options = CorrelateOptions(model="markov")
    with pytest.raises(OptionError, match="work goes with model crf"):
        check_correlation(options, tmp_path, campus)


@pytest.mark.parametrize("knowledge", ["auto", "sequence", "home-work"])
def test_the_passes_over_points_are_those_that_are_made(campus, knowledge):
    options = PointsOptions(knowledge=knowledge, draws=2, worst_case=1)
    with passes_run_by(counting := Rehearsal(of_few=False)):
        tp.points(campus, options)
    plan = plan_points(campus, options)
    assert plan.passes == counting.n_passes > 0
    assert plan.worker_memory_mb == pytest.approx(counting.most_bytes / 1e6)
    assert (plan.released_users, plan.auxiliary_users) == (30, None)


def test_protections_of_points_are_planned_too(campus):
    options = PointsOptions(draws=1, worst_case=0, grid=False)
    plan = plan_points(campus, options, protections="top-locations:n=5")
    assert plan.steps[-1].name == "events changed and counted, on one core"
    assert plan.pairs > 0


def test_a_plan_of_models_counts_all_pairs(sides):
    models = plan_correlate(sides[0], sides[1])
    assert [step.name for step in models.steps] == ["models trained", "models run"]
    assert (models.pairs, models.passes) == (900, 2)
    assert models.worker_memory_mb > 0
    assert models.core_seconds > 0
    chains = plan_correlate(sides[0], sides[1], CorrelateOptions(model="markov"))
    assert (chains.pairs, chains.worker_memory_mb) == (900, 0)
    assert chains.driver_memory_mb < models.driver_memory_mb
    few = plan_correlate(sides[0], sides[1], CorrelateOptions(model="markov"), knows="points:1")
    assert few.driver_memory_mb < chains.driver_memory_mb


def test_rounds_are_planned_by_the_first(campus):
    options = CorrelateOptions(model="histogram")
    plan = plan_correlate_folds(campus, options, FoldOptions(n_folds=3, n_rounds=2))
    assert plan.pairs == 2 * 30 * 30


def test_positions_are_planned_with_the_places_found():
    phones = tp.read(simulate_gps(GpsOptions(n_users=4))).materialise()
    options = CorrelateOptions(model="mobility-markov")
    plan = plan_correlate_folds(phones, options, FoldOptions(n_folds=2))
    assert plan.pairs == 2 * 4 * 4
    assert plan.locations is None
    assert "places found, on one core" in {step.name for step in plan.steps}


def test_protecting_histograms_takes_passes(campus):
    grouped = plan_protect(campus, "top-locations:n=20 then microaggregate:k=5")
    assert grouped.passes > 0
    assert grouped.worker_memory_mb > 0
    events = plan_protect(campus, "top-locations:n=20")
    assert (events.passes, events.worker_memory_mb) == (0, 0)
    assert events.cores is not None
    assert events.seconds == events.core_seconds  # One core does it.


def test_a_sweep_takes_its_values_times_one(sides, monkeypatch):
    one = Rehearsed(4, 1.0, 0.5, 8e6)
    monkeypatch.setattr(protect_plan, "_try_value", lambda *given: one)
    swept = SweepOptions(parameter="k", values=(2, 5, 18))
    plan = plan_trade_off(sides[0], sides[1], "microaggregate", swept, n_threads=2)
    assert (plan.passes, plan.core_seconds, plan.seconds) == (12, 4.5, 3.0)
    assert plan.worker_memory_mb == 8
    target = SweepOptions(parameter="k", values=(2, 18), target_risk=0.1)
    found = plan_trade_off(sides[0], sides[1], "microaggregate", target, n_threads=1)
    assert found.seconds == (2 + 4) * 1.5  # Four values lie between 2 and 18 at most.


def test_a_value_that_is_refused_gives_way_to_the_next(campus):
    few = campus.having('"user" IN (SELECT DISTINCT "user" FROM (' + campus.query + ") LIMIT 9)")
    both = tp.split(few, tp.SplitOptions(at="median"))
    swept = SweepOptions(parameter="k", values=(500, 2))
    plan = plan_trade_off(both.released, both.auxiliary, "microaggregate", swept)
    assert plan.passes > 0
    swept_too_far = SweepOptions(parameter="k", values=(500,))
    with pytest.raises(OptionError, match="k must be at most"):
        plan_trade_off(both.released, both.auxiliary, "microaggregate", swept_too_far)


def test_long_work_says_before_it_starts_what_it_needs(campus, sides, monkeypatch, caplog):
    caplog.set_level("INFO", "trailprint")
    options = PointsOptions(draws=1, worst_case=0, grid=False)
    tp.points(campus, options)
    assert "To measure points" not in caplog.text
    monkeypatch.setattr(points_plan, "LONG_POINTS", 0)
    tp.points(campus, options)
    assert "To measure points: 30 people, " in caplog.text
    assert "1 pass over everybody, about " in caplog.text
    monkeypatch.setattr(protect_plan, "MANY_PEOPLE", 0)
    tp.protect(campus, "microaggregate:k=5")
    assert "To protect: 30 people, " in caplog.text
    monkeypatch.setattr(correlate_plan, "LONG_VISITS", 0)
    tp.correlate(*sides)
    assert "To correlate: 30 and 30 people, " in caplog.text
    assert "about 900 pairs. 2 passes over everybody" in caplog.text


def test_a_cluster_elsewhere_is_planned_in_seconds_of_one_core(campus, monkeypatch):
    monkeypatch.setattr("trailprint.engines.cores._count_active", lambda: None)
    cluster = EngineOptions(engine="spark", spark_master="yarn")
    plan = plan_protect(campus, "microaggregate:k=5", engine=cluster)
    assert plan.seconds is None
    assert " of one core; " in describe_work(plan)
    assert " MB on each executor." in describe_work(plan)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("points", "--draws", 1, "--per-user", "out.csv"), "points drawn"),
        (("correlate", "--at", "median", "--links", "out.csv"), "models trained"),
        (("correlate", "--folds", 2, "--model", "markov"), "pairs compared"),
        (("protect", "--apply", "microaggregate:k=5", "--out", "out.csv"), "histograms changed"),
    ],
)
def test_the_commands_do_nothing(campus, run, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    write_events([(campus, "campus.parquet")])
    command, *rest = words
    found = run(command, "campus.parquet", *rest, "--dry-run", "--json")
    assert found.code == 0
    assert found.json["released_users"] == 30
    assert any(says in step["name"] for step in found.json["steps"])
    shown = run(command, "campus.parquet", *rest, "--dry-run")
    assert "Nothing was done" in shown.out
    assert says in shown.out
    assert [path.name for path in tmp_path.iterdir()] == ["campus.parquet"]


def test_small_needs_are_not_shown_as_zero():
    assert (show_estimate(0.04), show_estimate(5.26)) == ("less than a second", "5.3 s")
    assert (show_megabytes(0.3), show_megabytes(1234.5)) == ("less than 1 MB", "1,234 MB")


def test_the_command_sweeps_nothing(campus, run, tmp_path, monkeypatch):
    one = Rehearsed(4, 1.0, 0.5, 8e6)
    monkeypatch.setattr(protect_plan, "_try_value", lambda *given: one)
    path = tmp_path / "campus.parquet"
    write_events([(campus, path)])
    words = ("protect", path, "--apply", "microaggregate", "--sweep", "k=2,5")
    found = run(*words, "--dry-run", "--json", "--threads", 1)
    assert found.json["work"] == "sweep"
    assert found.json["seconds"] == 3.0
