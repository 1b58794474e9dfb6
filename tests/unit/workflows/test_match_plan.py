"""What a matching would need, said before it is begun."""

from __future__ import annotations

from dataclasses import replace

import pytest

import trailprint as tp
from trailprint.attacks import planning
from trailprint.attacks.histogram import pose_problem
from trailprint.attacks.planning import survey_problem
from trailprint.engines import cores
from trailprint.engines.cores import read_master
from trailprint.engines.options import EngineOptions
from trailprint.events.write import write_events
from trailprint.features.histograms import build_histogram_pair
from trailprint.kernels.matching.metrics import METRICS
from trailprint.simulate import CampusOptions, GpsOptions, simulate_campus, simulate_gps
from trailprint.workflows import match_plan, plan_match
from trailprint.workflows.match_attack import Looks, prepare_attack
from trailprint.workflows.match_plan import describe_plan
from trailprint.workflows.options import ViewOptions


@pytest.fixture(scope="module")
def sides():
    campus = tp.read(simulate_campus(CampusOptions(n_users=40, n_days=14)))
    both = tp.split(campus, tp.SplitOptions(at="median"))
    return both.released, both.auxiliary


def test_the_pairs_are_those_that_are_met(sides):
    met = tp.match(*sides).linkage.facts["overlapping_pairs"]
    assert plan_match(*sides).pairs == met


def test_the_pairs_of_views_are_those_that_are_met(sides):
    views = ViewOptions(names=("visits", "moves"), weights="equal", contributions=False)
    met = tp.match(*sides, views=views).linkage.facts["overlapping_pairs"]
    assert plan_match(*sides, views=views).pairs == met
    assert plan_match(*sides, views=replace(views, weights="learnt")).pairs == met


def test_transport_compares_everybody_with_everybody(monkeypatch):
    phones = tp.read(simulate_gps(GpsOptions(n_users=6)))
    both = tp.split(phones, tp.SplitOptions(at="median"))
    options = tp.MatchOptions(metric="transport")
    plan = plan_match(both.released, both.auxiliary, options)
    assert plan.pairs == plan.released_users * plan.auxiliary_users > 1
    assert plan.passes == 1
    assert plan.core_seconds > 0
    monkeypatch.setattr(planning, "SAMPLE_PLACES", 1)
    few = plan_match(both.released, both.auxiliary, options)
    assert (few.pairs, few.driver_memory_mb) == (plan.pairs, plan.driver_memory_mb)


def test_pairs_of_a_few_people_are_scaled_up(sides, monkeypatch):
    monkeypatch.setattr(planning, "SAMPLE_TERMS", 3_000)
    met = tp.match(*sides).linkage.facts["overlapping_pairs"]
    assert plan_match(*sides).pairs == pytest.approx(met, rel=0.25)


def test_more_is_planned_for_more(sides):
    alone = plan_match(sides[0], sides[1], tp.MatchOptions(method="one-by-one"))
    joint = plan_match(*sides)
    margins = plan_match(sides[0], sides[1], tp.MatchOptions(margins=True))
    assert alone.passes < joint.passes < margins.passes
    assert 0 < alone.driver_memory_mb < joint.driver_memory_mb
    assert joint.cores is not None
    assert joint.seconds == pytest.approx(joint.core_seconds / joint.cores)
    few = sides[0].having('"user" IN (SELECT min("user") FROM (' + sides[0].query + "))")
    assert plan_match(few, sides[1]).pairs < joint.pairs


@pytest.fixture
def no_session(monkeypatch):
    """Other tests of the same process may have left a session of Spark active."""
    monkeypatch.setattr(cores, "_count_active", lambda: None)


@pytest.mark.usefixtures("no_session")
def test_cores_of_a_cluster_elsewhere_are_not_known(sides):
    cluster = EngineOptions(engine="spark", spark_master="spark://host:7077")
    plan = plan_match(sides[0], sides[1], engine=cluster)
    assert plan.cores is None
    assert plan.seconds is None
    assert plan.worker_memory_mb > 0
    assert "of one core; " in describe_plan(plan)


@pytest.mark.usefixtures("no_session")
def test_cores_of_a_master_on_this_machine_are_those_it_names(sides):
    here = EngineOptions(engine="spark", spark_master="local[3]")
    plan = plan_match(sides[0], sides[1], engine=here)
    assert plan.cores == 3
    assert plan.seconds == pytest.approx(plan.core_seconds / 3)


@pytest.mark.parametrize(
    ("master", "n_cores"),
    [
        ("local", 1),
        ("local[2]", 2),
        ("local[*]", 8),
        ("local[2,4]", 2),
        ("local-cluster[2,3,1024]", 6),
        ("yarn", None),
        ("spark://local[2]:7077", None),
    ],
)
def test_a_master_names_cores(master, n_cores):
    assert read_master(master, here=8) == n_cores


def test_little_memory_means_more_parts(sides):
    whole = plan_match(*sides)
    less = EngineOptions(worker_memory="1MB")
    assert plan_match(sides[0], sides[1], engine=less).parts == whole.parts == 1
    problem = pose_problem(*build_histogram_pair(*sides), METRICS["jensen-shannon"])
    survey = survey_problem(problem, tp.MatchOptions(), worker_bytes=5_000)
    assert survey.n_parts > 1
    assert survey.worker_bytes <= 5_000


def test_a_long_matching_says_before_it_starts_what_it_needs(sides, monkeypatch, caplog):
    caplog.set_level("INFO", "trailprint")
    tp.match(*sides)
    assert "To match:" not in caplog.text
    monkeypatch.setattr(match_plan, "LONG_TERMS", 0)
    result = tp.match(*sides)
    pairs = result.linkage.facts["overlapping_pairs"]
    assert "To match: 40 and 40 people, " in caplog.text
    assert f" locations, about {pairs:,} pairs who share one. About 7 passes" in caplog.text
    assert "MB of memory for arrays here." in caplog.text


def test_the_command_matches_nothing(sides, run, tmp_path):
    paths = [tmp_path / "released.parquet", tmp_path / "auxiliary.parquet"]
    write_events(list(zip(sides, paths, strict=True)))
    links = tmp_path / "links.csv"
    found = run("match", *paths, "--dry-run", "--links", links, "--json")
    assert found.code == 0
    assert found.json["released_users"] == 40
    assert not links.exists()
    views = run("match", *paths, "--dry-run", "--views", "all", "--json")
    assert views.code == 0
    assert views.json["worker_memory_mb"] > found.json["worker_memory_mb"]


def test_what_is_planned_is_what_is_matched(sides):
    views = ViewOptions(names=("visits", "moves"), weights="equal")
    for looks in (Looks(None, None), Looks(None, views)):
        attack = prepare_attack(sides[0], sides[1], looks, tp.MatchOptions(), None)
        survey = attack.survey(tp.MatchOptions(), None)
        assert attack.run(tp.MatchOptions()).facts["overlapping_pairs"] == round(survey.n_pairs)
