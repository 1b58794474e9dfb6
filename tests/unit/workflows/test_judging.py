"""Sweeps are judged by every family that the data allows."""

import pytest

import trailprint as tp
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.studies.options import SweepOptions
from trailprint.workflows import judging
from trailprint.workflows.protect import trade_off


@pytest.fixture(scope="module")
def sides(engine):
    campus = tp.read(simulate_campus(CampusOptions(n_users=40, n_days=14)), engine=engine)
    return tp.split(campus, tp.SplitOptions(at="median", active_both=True))


def sweep(sides, chain, parameter, *values):
    options = SweepOptions(parameter=parameter, values=values)
    return trade_off(sides.released, sides.auxiliary, chain, options).to_dict()["sweep"]


def test_times_are_judged_by_what_uses_times(sides):
    (point,) = sweep(sides, "coarsen-time", "unit_s", 86_400.0)
    rates = {one["family"]: one["user_accuracy"] for one in point["attacks"]}
    assert set(rates) == {"histogram", "trail", "combined", "sequence"}
    assert point["user_accuracy"] == max(one["user_accuracy"] for one in point["attacks"])
    assert point["not_judged"] == []
    assert point["smallest_group"] == 1


def test_what_cannot_judge_histograms_is_said(sides):
    (point,) = sweep(sides, "microaggregate", "k", 5)
    assert {one["family"] for one in point["attacks"]} == {"histogram", "trail"}
    assert [one["family"] for one in point["not_judged"]] == ["combined", "sequence"]
    assert point["smallest_group"] >= 5


def test_of_many_people_sequences_are_tried_on_some(sides, monkeypatch):
    monkeypatch.setattr(judging, "MOST_SEQUENCES", 10)
    (point,) = sweep(sides, "top-locations", "n", 20)
    people = {one["family"]: one["people"] for one in point["attacks"]}
    assert people["sequence"] == 10
    assert people["combined"] == people["histogram"] > 10
    assert point["family"] != "sequence"
