"""What correlations say of candidate sets, in rows that leave out what was not measured."""

from __future__ import annotations

from trailprint.attacks.options import CorrelateOptions
from trailprint.evaluation.candidates import TOP, AverageSets, average_sets
from trailprint.workflows.candidate_rows import (
    describe_options,
    describe_rates,
    plot_top,
    sum_costs,
    top1,
    top_table,
)

SETS = AverageSets(
    top={1: 0.5, 2: 0.6, 5: None, 20: 0.9},
    top_interval={1: (0.4, 0.6), 2: None, 5: None, 20: (0.8, 1.0)},
    mscis_median=2.0,
    chance=0.01,
)


def test_rates_have_names_that_json_knows_and_intervals_as_lists():
    reported = describe_rates(SETS)
    assert reported["top"] == {"1": 0.5, "2": 0.6, "5": None, "20": 0.9}
    assert reported["top_interval"]["20"] == [0.8, 1.0]
    assert reported["top_interval"]["2"] is None
    assert reported["top1_interval"] == [0.4, 0.6]
    assert (reported["mscis_median"], reported["chance"]) == (2.0, 0.01)


def test_a_size_that_was_not_measured_has_no_row_and_no_bar():
    table = top_table(SETS).to_arrow()
    assert table["k"].to_pylist() == [1, 2, 20]
    assert table["low"].to_pylist() == [0.4, None, 0.8]
    drawn = plot_top(SETS).to_dict()
    assert "among 20" in str(drawn)
    assert "among 5" not in str(drawn)


def test_nobody_looked_up_is_nothing_measured():
    reported = describe_rates(average_sets([]))
    assert reported["top"] == {str(k): None for k in TOP}
    assert reported["top1_interval"] is None
    assert top1(None) is None


def test_costs_are_added_up_and_those_a_model_has_not_are_zero():
    rounds = [{"models_trained": 3, "taggings": 10}, {"models_trained": 2}]
    assert sum_costs(list(rounds)) == {
        "models_trained": 5,
        "taggings": 10,
        "taggings_all_pairs": 0,
    }


def test_options_that_results_repeat_are_those_given():
    given = CorrelateOptions(model="distance", days=3, joint=True)
    reported = describe_options(given)
    assert reported == {"model": "distance", "joint": True, "days": 3, "all_pairs": given.all_pairs}
