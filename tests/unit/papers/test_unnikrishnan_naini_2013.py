"""The 2013 paper's orderings on a small campus, and its protocol on a synthetic log."""

import math

import pytest
from tests.presence import present

from trailprint.errors import InputError
from trailprint.events.engine import Engine
from trailprint.events.reading.read import read
from trailprint.papers.experiment import Context
from trailprint.papers.unnikrishnan_naini_2013 import EXPERIMENTS, experiments
from trailprint.simulate.weekday_campus import WeekdayCampusOptions, simulate_weekday_campus

RUN = {each.name.removeprefix("2013-"): each.run for each in EXPERIMENTS}


@pytest.fixture(scope="module")
def context():
    small = Context(seed=1)
    table = simulate_weekday_campus(WeekdayCampusOptions(n_users=500, seed=1))
    small.share("2013 log", lambda: read(table, engine=Engine(threads=2)))
    return small


def accuracies(outcome):
    return {(row["days"], row["method"]): row["accuracy"] for row in outcome.rows}


def test_matching_all_at_once_beats_one_at_a_time(context) -> None:
    found = accuracies(RUN["table-1"](context))
    for days in {days for days, _ in found}:
        assert found[days, "all at once"] > found[days, "one at a time"]


def test_a_second_day_helps_and_more_users_hurt(context) -> None:
    found = accuracies(RUN["table-1"](context))
    both = found["Mondays and Tuesdays, 10–17 h", "all at once"]
    assert both > found["Mondays, 10–17 h", "all at once"]
    assert found["Mondays, 9–17 h", "all at once"] > found["Mondays, 10–17 h", "all at once"]


def test_tuned_accuracies_are_within_seven_points_of_the_papers() -> None:
    campus = Context(seed=11)
    compared = [*RUN["table-1"](campus).comparisons, *RUN["pooled-days"](campus).comparisons]
    shares = [each for each in compared if each.unit == "%"]
    assert len(shares) == 8
    assert {each.standing for each in shares} == {"tuned"}
    assert max(abs(present(each.difference)) for each in shares) < 7
    users = [each for each in compared if each.unit == "users"]
    assert {(each.difference, each.standing) for each in users} == {(0, "forced")}


def test_pooled_days_hurt(context) -> None:
    pooled, apart = (row["accuracy"] for row in RUN["pooled-days"](context).rows)
    assert pooled < 0.5 * apart


def test_cohorts_keep_the_papers_proportions(context) -> None:
    users = {row["days"]: row["users"] for row in RUN["table-1"](context).rows}
    assert list(users.values()) == [round(500 * 1154 / 2174), 500, round(500 * 1047 / 2174)]


def test_the_penalty_follows_the_papers_formula_and_decisions_follow(context) -> None:
    outcome = RUN["rejection"](context)
    assert outcome.comparisons[0].paper is None
    n_users = round(500 * 1154 / 2174)
    per_location = 2 * n_users * math.log2(28_801) / 28_800
    assert present(outcome.comparisons[0].ours) % per_location == pytest.approx(0, abs=1e-6)
    assert [row["decision"] for row in outcome.rows] == ["match", "match", "no-match"]
    assert [row["vacuous"] for row in outcome.rows] == [True, False, False]
    assert "any exponent" in outcome.reading


def test_stays_are_carried_into_the_window(tmp_path) -> None:
    lines = ["user,location,start"]
    for day in ("05", "06", "12", "13"):
        for device, place in (("a", "p"), ("b", "q")):
            lines += [f"{device},{place},2012-03-{day}T08:30:00Z"]
            lines += [f"{device},r,2012-03-{day}T16:00:00Z"]
        lines += [f"late,p,2012-03-{day}T11:00:00Z"]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    found = RUN["table-1"](Context(data={"associations-2013": path}))
    assert {row["users"] for row in found.rows} == {2}
    assert {row["accuracy"] for row in found.rows} == {1.0}


def test_a_days_seconds_sum_to_the_length_of_the_window(context) -> None:
    for cohort in (experiments.MONDAYS_LONG, experiments.MONDAYS, experiments.BOTH_DAYS):
        n_days = len(cohort.weekdays)
        for side in experiments._histograms(context, cohort):
            assert set(side.totals.tolist()) == {n_days * cohort.string_length}


def test_a_log_of_one_week_is_refused(tmp_path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("user,location,start\na,p,2012-03-05T08:00:00Z\nb,q,2012-03-05T08:00:00Z\n")
    with pytest.raises(InputError, match="two weeks"):
        RUN["table-1"](Context(data={"associations-2013": path}))


def test_a_small_penalty_is_not_called_beyond_asking(tmp_path) -> None:
    lines = ["user,location,start"]
    for day in ("05", "12"):
        lines += [
            f"{who},{where},2012-03-{day}T08:30:00Z" for who, where in (("a", "p"), ("b", "q"))
        ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    outcome = RUN["rejection"](Context(data={"associations-2013": path}))
    assert present(outcome.comparisons[0].ours) < 1
    assert "any exponent" not in outcome.reading
