"""What a matching would need, said before it is begun."""

from __future__ import annotations

import pytest

import trailprint as tp
from trailprint.attacks import planning
from trailprint.events.write import write_events
from trailprint.simulate import CampusOptions, simulate_campus
from trailprint.workflows import plan_match


@pytest.fixture(scope="module")
def sides():
    campus = tp.read(simulate_campus(CampusOptions(n_users=40, n_days=14)))
    both = tp.split(campus, tp.SplitOptions(at="median"))
    return both.released, both.auxiliary


def test_the_pairs_are_those_that_are_met(sides):
    met = tp.match(*sides).linkage.facts["overlapping_pairs"]
    assert plan_match(*sides).pairs == met


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


def test_on_spark_cores_are_not_known(sides):
    plan = plan_match(*sides, engine="spark")
    assert plan.cores is None
    assert plan.seconds is None
    assert plan.worker_memory_mb > 0


def test_the_command_matches_nothing(sides, run, tmp_path):
    paths = [tmp_path / "released.parquet", tmp_path / "auxiliary.parquet"]
    write_events(list(zip(sides, paths, strict=True)))
    links = tmp_path / "links.csv"
    found = run("match", *paths, "--dry-run", "--links", links, "--json")
    assert found.code == 0
    assert found.json["released_users"] == 40
    assert not links.exists()
    shown = run("match", *paths, "--dry-run", "--engine", "spark")
    assert shown.code == 0
    assert "memory on each executor" in shown.out
    refused = run("match", *paths, "--dry-run", "--views", "all")
    assert refused.code == 2
    assert "does not go with --views" in refused.err
