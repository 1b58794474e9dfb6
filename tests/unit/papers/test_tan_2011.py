"""The 2011 paper's orderings on a small campus."""

from dataclasses import replace

import pytest
from tests.presence import present

from trailprint.errors import InputError
from trailprint.evaluation.intervals import wilson
from trailprint.events.engine import Engine
from trailprint.events.reading.read import read
from trailprint.papers.experiment import Context
from trailprint.papers.tan_2011 import EXPERIMENTS, figures
from trailprint.simulate.campus import CampusOptions, simulate_campus

RUN = {each.name.removeprefix("2011-"): each.run for each in EXPERIMENTS}


def small_campus(**changes):
    """Forty people on 400 access points for 40 days."""
    small = Context(seed=2)
    options = CampusOptions.paper(seed=2)
    options = replace(options, n_users=40, n_days=40, min_active_days=30, n_access_points=400)
    options = replace(options, **changes)
    small.share("2011 log", lambda: read(simulate_campus(options), engine=Engine(threads=2)))
    return small


@pytest.fixture(scope="module")
def context():
    return small_campus()


@pytest.fixture(scope="module")
def walkers():
    """Nobody stays in a room: forty people are too few to show an order among those who do."""
    return small_campus(lifelike=False, conformity=0.7)


def shares(outcome, column):
    return {(row[column], row["candidates"]): row["share"] for row in outcome.rows}


def test_knowing_more_days_helps_and_the_crf_beats_the_distance(walkers) -> None:
    outcome = RUN["figure-3"](walkers)
    found = shares(outcome, "line")
    assert found["CRF, 5–6 days", 1] >= found["CRF, 3 days", 1] >= found["CRF, 2 days", 1]
    assert found["CRF, 5–6 days", 1] > found["CRF, 2 days", 1]
    assert found["CRF, 5–6 days", 1] > found["distance, 5–6 days", 1]
    for line in {line for line, _ in found}:
        by_size = [found[line, size] for size in (1, 2, 5, 10, 20)]
        assert by_size == sorted(by_size)
    assert {c.paper for c in outcome.comparisons} == {73.21, 80.12, 92.09, 99.72, 61.67, 98.51}


def test_buildings_and_perturbed_locations_pinpoint_fewer(context) -> None:
    coarse = shares(RUN["figure-4"](context), "protection")
    assert coarse["buildings kept", 1] < coarse["nothing", 1]
    assert coarse["buildings kept", 1] <= coarse["floors kept", 1]
    perturbed = shares(RUN["figure-5"](context), "protection")
    assert perturbed["locations perturbed", 1] < perturbed["nothing", 1]


def test_tuned_shares_of_pinpointed_people_are_within_seven_points_of_the_papers(
    monkeypatch,
) -> None:
    # The paper prints nothing of three days.
    monkeypatch.setattr(figures, "LENGTHS", {"5–6 days": None, "2 days": 2})
    compared = {each.quantity: each for each in RUN["figure-3"](Context(seed=1)).comparisons}
    assert {each.standing for each in compared.values()} == {"tuned"}
    for length in ("5–6 days", "2 days"):
        assert abs(present(compared[f"CRF, {length}: pinpointed"].difference)) < 7


def test_protections_cost_what_the_papers_do_within_what_a_hundred_people_can_show() -> None:
    """Within seven points, give or take the interval of as many people: seed 1 tuned nothing."""
    campus = small_campus(n_users=100, n_days=62, min_active_days=45, n_access_points=1364, seed=1)
    names = ("floors kept", "buildings kept", "locations perturbed", "times perturbed")
    compared = figures._run_protected(*names)(campus).comparisons
    assert len(compared) == 8
    for each in compared:
        low, high = present(wilson(present(each.ours), 100))
        assert 100 * low < present(each.paper) + 7
        assert 100 * high > present(each.paper) - 7


def test_a_log_of_visitors_only_is_refused(tmp_path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("user,location,start,end\na,1.1.1,2010-01-04T08:00:00Z,2010-01-04T09:00:00Z\n")
    with pytest.raises(InputError, match="45 days"):
        RUN["figure-3"](Context(data={"associations-2011": path}))
