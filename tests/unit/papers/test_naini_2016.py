"""What the 2016 paper claims holds on simulated people of reduced sizes."""

from __future__ import annotations

import itertools

import pytest
from tests.presence import present

from trailprint.papers.experiment import Context
from trailprint.papers.naini_2016 import (
    EXPERIMENTS,
    calls,
    gps,
    overall,
    populations,
    web,
)

#: Of the seeds kept for tests; none was used in tuning.
FIRST_SEED = 101


@pytest.fixture(scope="module")
def context():
    """A country of three thousand, so that each experiment takes a second or so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trailprint.papers.naini_2016.people.SMALL_USERS", 3_000)
        patch.setattr("trailprint.papers.naini_2016.people.PAPER_USERS", 6_000)
        patch.setattr(calls, "GROWTH", ((500, 3), (1_000, 2), (3_000, 1)))
        patch.setattr(calls, "N_SIDE", 2_000)
        patch.setattr(calls, "N_COMMON", 1_500)
        patch.setattr(calls, "PARTS", (20, 4, 1))
        patch.setattr(overall, "GROUP_SIZES", (1, 3, 10))
        patch.setattr(overall, "N_GROUPED_CALLERS", 400)
        patch.setattr(gps, "CELLS_M", (100.0, 1_000.0, 10_000.0))
        patch.setattr(gps, "COMPARED_CELLS_M", (300.0, 1_000.0))
        patch.setattr(web, "TOP_SITES", (5, 60, 500))
        patch.setattr(populations, "N_POPULATIONS", 3)
        yield Context(seed=FIRST_SEED, n_threads=2)


@pytest.fixture(scope="module")
def figure_9(context):
    return web.run_figure_9(context)


def by_metric(rows, **where):
    """Accuracies by metric of the rows with these values."""
    chosen = [row for row in rows if all(row[name] == value for name, value in where.items())]
    return {row["metric"]: row["accuracy"] for row in chosen}


def test_every_table_and_figure_of_the_paper_has_an_experiment():
    assert [each.name.removeprefix("2016-") for each in EXPERIMENTS] == [
        "table-2",
        "figure-4",
        "figure-5",
        "figure-6",
        "table-3",
        "figure-7",
        "section-4a6",
        "figure-8",
        "figure-9",
        "figure-10",
        "figure-11",
        "section-4c4",
        "section-4d",
        "figure-12",
    ]


def test_the_proposed_metric_wins_every_row_and_dot_comes_last(context):
    rows = overall.run_table_2(context).rows
    for dataset, n_populations in (("CDR", 1), ("WBH", 3), ("GL", 3)):
        found = by_metric(rows, dataset=dataset)
        order = sorted(found, key=found.get, reverse=True)
        assert (order[0], order[-1]) == ("proposed", "dot")
        chosen = [row for row in rows if row["dataset"] == dataset]
        assert {row["populations"] for row in chosen} == {n_populations}
        assert all(row["low"] < row["accuracy"] < row["high"] for row in chosen)


def test_fewer_are_identified_the_more_there_are(context):
    rows = calls.run_figure_5(context).rows
    proposed = [row["accuracy"] for row in rows if row["metric"] == "proposed"]
    assert proposed == sorted(proposed, reverse=True)
    assert proposed[0] > proposed[-1] + 0.1
    assert all(row["low"] <= row["accuracy"] <= row["high"] for row in rows)


def test_joint_matching_beats_looking_people_up_one_by_one(context):
    rows = calls.run_figure_6(context).rows
    assert rows[0]["method"] == "one by one"
    assert rows[-1]["accuracy"] == max(row["accuracy"] for row in rows)
    assert rows[-1]["accuracy"] > rows[0]["accuracy"] + 0.01
    correct = [row["correct"] for row in rows]
    assert correct == sorted(correct)


def test_a2_makes_fewer_and_surer_matches_than_a1(context):
    a2, a1 = calls.run_table_3(context).rows
    assert (a2["matches"], a1["matches"]) == (1_500, 2_000)
    assert a2["precision"] > a1["precision"]
    assert a2["correct"] < a1["correct"]


def test_each_day_identifies_more_and_the_quiet_tuesday_adds_least_of_the_first(context):
    rows = calls.run_figure_7(context).rows
    proposed = [row["accuracy"] for row in rows if row["metric"] == "proposed"]
    assert len(proposed) == 7
    assert proposed == sorted(proposed)
    steps = [after - before for before, after in itertools.pairwise(proposed)]
    assert steps[0] < steps[1]
    assert all(
        row["accuracy"] <= proposed[row["days"] - 1] + 0.01
        for row in rows
        if row["metric"] != "proposed"
    )


def test_regions_identify_far_fewer_than_antennas_but_more_than_chance(context):
    antenna, region = calls.run_section_4a6(context).rows
    assert region["accuracy"] < antenna["accuracy"] / 3
    assert region["accuracy"] > 5 * region["chance"]


def test_most_sites_have_one_visitor_and_a_few_most_visits(context):
    outcome = web.run_figure_8(context)
    visits = [row["visits"] for row in outcome.rows]
    assert visits == sorted(visits, reverse=True)
    assert visits[0] > 1_000 * visits[-1]
    people, sites, alone = (present(comparison.ours) for comparison in outcome.comparisons)
    assert people == 121
    assert alone > 0.9 * sites


def test_popular_sites_alone_identify_many(figure_9):
    rows = figure_9.rows
    proposed = [row["accuracy"] for row in rows if row["metric"] == "proposed"]
    assert proposed == sorted(proposed)
    assert 0.35 < proposed[1] < 0.7
    assert {row["people"] for row in rows} == {rows[0]["people"]}


def test_maps_and_weeks_are_shown_as_counts(context):
    outcome = gps.run_figure_10(context)
    shares = [row["amount"] for row in outcome.rows if row["part"] == "a"]
    assert all(0 <= share <= 1 for share in shares)
    assert max(shares[:5]) > max(shares[-5:])
    people, weeks = (comparison.ours for comparison in outcome.comparisons)
    assert people == 154
    assert weeks == pytest.approx(15.4, abs=3)
    assert max(row["amount"] for row in outcome.rows if row["part"] == "b") <= 154


def test_squares_of_a_moderate_size_identify_most(context):
    rows = gps.run_figure_11(context).rows
    proposed = {row["cell_m"]: row["accuracy"] for row in rows if row["metric"] == "proposed"}
    # tests/unit/simulate/test_gps.py asks eight populations whether 10 m are too small.
    assert proposed[100.0] > proposed[1_000.0] + 0.02
    assert proposed[10_000.0] == min(proposed.values())


def test_joint_matching_beats_one_by_one_and_chains_of_places(context):
    rows = gps.run_section_4c4(context).rows
    for cell in ("300 m", "1000 m"):
        joint, alone = (row["accuracy"] for row in rows if row["setting"] == cell)
        assert joint > alone
    best = {row["method"]: row["accuracy"] for row in sorted(rows, key=lambda r: r["accuracy"])}
    assert best["joint"] > best["one by one"]
    assert best["joint"] > best["mobility Markov chain"]
    # What three populations can show; tests/unit/simulate/test_gps.py asks more of them.
    (chains,) = (row for row in rows if row["method"] == "mobility Markov chain")
    assert chains["low"] < 0.45 + 0.07
    assert chains["high"] > 0.45 - 0.07


def test_running_times_are_measured_for_all_three(context):
    rows = overall.run_section_4d(context).rows
    assert [row["dataset"] for row in rows[::2]] == ["CDR", "WBH", "GL"]
    assert all(0 <= row["seconds"] < row["paper_seconds"] for row in rows)


def test_groups_hide_people_but_stay_recognisable(context):
    rows = overall.run_figure_12(context).rows
    for dataset in ("CDR", "WBH", "GL"):
        lines = {
            name: {
                r["k"]: r["value"] for r in rows if (r["dataset"], r["quantity"]) == (dataset, name)
            }
            for name in ("user-level accuracy", "cluster-level accuracy", "information loss")
        }
        user, cluster, loss = lines.values()
        assert user[10] < user[1] / 3
        assert cluster[10] > cluster[1] - 0.15
        assert loss[1] == 0
        assert 0 < loss[3] < loss[10] < 1
        everybody = max(user)
        assert cluster[everybody] == 1
        assert loss[everybody] == pytest.approx(1)


def test_the_same_seed_gives_the_same_numbers():
    first, again = (web.run_figure_8(Context(seed=5, n_threads=n)) for n in (1, 2))
    assert first.rows == again.rows


def test_results_hold_plain_values_only(figure_9):
    rows = figure_9.rows
    assert {type(value) for row in rows for value in row.values()} <= {int, float, str}
    assert all(row.keys() == rows[0].keys() for row in rows)
