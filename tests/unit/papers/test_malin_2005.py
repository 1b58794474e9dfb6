"""The 2005 paper's orderings on its simulated people, and its own data read from files."""

import numpy as np
import pytest
from tests.presence import present

from trailprint.errors import SourceError
from trailprint.papers.experiment import Context
from trailprint.papers.malin_2005 import (
    EXPERIMENTS,
    families,
    household_growth,
    popularity,
    shops,
)

RUN = {each.name.removeprefix("2005-"): each.run for each in EXPERIMENTS}


@pytest.fixture(scope="module")
def context():
    return Context(seed=3)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(shops, "N_DRAWS", 15)
    monkeypatch.setattr(popularity, "N_RUNS", 3)
    monkeypatch.setattr(popularity, "N_STEPS", 20)
    monkeypatch.setattr(household_growth, "N_POPULATIONS", 2)


def by(outcome, *columns, value="rate"):
    return {tuple(row[c] for c in columns): row[value] for row in outcome.rows}


def test_complete_finds_at_least_as_many_as_incomplete(context) -> None:
    complete = by(RUN["section-4.1.1"](context), "level")
    incomplete = by(RUN["section-4.1.2"](context), "level")
    for level in complete:
        assert complete[level] >= incomplete[level]


def test_rates_are_within_seven_points_of_the_papers(monkeypatch) -> None:
    monkeypatch.setattr(shops, "N_DRAWS", 60)
    other = Context(seed=71)
    for name in ("section-4.1.1", "section-4.1.2"):
        for comparison in RUN[name](other).comparisons:
            assert abs(present(comparison.difference)) < 7
            assert comparison.standing == "tuned"


def test_no_link_is_wrong_where_the_assumptions_hold(context) -> None:
    for name in ("section-4.1.1", "section-4.1.2"):
        for row in RUN[name](context).rows:
            assert row["right"] == row["reidentified"]


def test_the_cohorts_have_the_papers_sizes(context) -> None:
    rows = {row["level"]: row for row in RUN["section-4.1.2"](context).rows}
    assert (rows["people"]["deidentified"], rows["people"]["identified"]) == (53, 30)
    assert (rows["households"]["deidentified"], rows["households"]["identified"]) == (39, 26)


def test_several_names_for_one_address_find_whole_families(context) -> None:
    found = by(RUN["section-4.1.3"](context), "algorithm", value="full_households")
    assert found["multiple",] > 2
    assert found["incomplete",] == 0


def test_leaving_out_the_largest_shop_raises_the_rate(context) -> None:
    outcome = RUN["figure-10"](context)
    assert {row["algorithm"] for row in outcome.rows} == {"complete", "incomplete", "multiple"}
    assert len(outcome.rows) == 3 * 24
    assert all(present(comparison.ours) > 5 for comparison in outcome.comparisons)


def test_visits_follow_the_law(context) -> None:
    exponent, correlation = RUN["figure-11"](context).comparisons
    assert exponent.ours == pytest.approx(0.6, abs=0.08)
    assert present(correlation.ours) > 0.97
    assert (exponent.standing, correlation.standing) == ("forced", "tuned")


def test_rare_sites_identify_at_once(context) -> None:
    rare = RUN["figure-12"](context).comparisons[0]
    assert present(rare.ours) > 95
    assert rare.standing == "predicted"


def test_on_average_as_many_popular_sites_are_needed_as_in_the_paper(monkeypatch) -> None:
    monkeypatch.setattr(popularity, "N_STEPS", 60)
    needed = [RUN["figure-13"](Context(seed=seed)).comparisons[0] for seed in range(71, 79)]
    assert 20 - 3 < np.mean([present(each.ours) for each in needed]) < 25 + 3
    assert {(each.paper, each.paper_to, each.standing) for each in needed} == {
        (20.0, 25.0, "predicted")
    }


def test_withholding_names_slows_reidentification(context) -> None:
    outcome = RUN["figure-14"](context)
    needed = [present(comparison.ours) for comparison in outcome.comparisons]
    assert needed == sorted(needed)
    assert len(set(needed)) > 1
    assert {row["line"] for row in outcome.rows} == {"addresses", "names", "re-identified"}


def test_on_average_people_pull_ahead_at_as_many_sites_as_in_the_paper(monkeypatch) -> None:
    monkeypatch.setattr(household_growth, "N_POPULATIONS", 24)
    outcome = RUN["figure-15"](Context(seed=71))
    (crossing,) = outcome.comparisons
    assert crossing.ours == pytest.approx(60, abs=7)
    assert "24 simulated populations" in outcome.notes[1]
    lines = by(outcome, "line", "sites", value="number")
    few = min(sites for _, sites in lines if sites >= 10)
    lead = lines["people re-identified", few] - lines["households re-identified", few]
    assert 0 <= lead <= 3


def write_folder(folder, **files) -> None:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)


def test_own_files_are_read(tmp_path) -> None:
    write_folder(
        tmp_path,
        visits="user,location\na,s\na,t\nb,t\nc,u\nc,s\n",
        purchases="user,location\na,s\nb,t\n",
        households="user,household\na,h1\nb,h1\nc,h2\n",
    )
    context = Context(data={"clickstreams-2005": tmp_path})
    shoppers = families.load_shoppers(context)
    assert sorted(shoppers.visits.lengths.tolist()) == [1, 2, 2]
    assert sorted(shoppers.purchases.lengths.tolist()) == [0, 1, 1]
    rows = {row["level"]: row for row in RUN["section-4.1.1"](context).rows}
    assert (rows["people"]["identified"], rows["people"]["reidentified"]) == (2, 2)
    assert rows["households"]["identified"] == 1


def test_own_files_must_be_whole(tmp_path) -> None:
    context = Context(data={"clickstreams-2005": tmp_path})
    with pytest.raises(SourceError, match="visits is missing"):
        families.load_shoppers(context)
    write_folder(
        tmp_path,
        visits="user,location\na,s\n",
        purchases="user,location\nb,s\n",
        households="user,household\na,h1\n",
    )
    with pytest.raises(SourceError, match="1 are not"):
        families.load_shoppers(context)


def test_nothing_said_of_own_people_is_of_simulated_ones(tmp_path) -> None:
    write_folder(
        tmp_path,
        visits="user,location\na,s\na,t\nb,t\nc,u\nc,s\n",
        purchases="user,location\na,s\nb,t\n",
        households="user,household\na,h1\nb,h1\nc,h2\n",
    )
    context = Context(data={"clickstreams-2005": tmp_path})
    for name in ("section-4.1.1", "section-4.1.2", "section-4.1.3", "figure-10"):
        outcome = RUN[name](context)
        said = " ".join((outcome.reading, *outcome.notes))
        for word in ("simulated", "on average", "mean over", "raises the rate"):
            assert word not in said
