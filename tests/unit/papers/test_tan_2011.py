"""The 2011 paper's orderings on a small campus."""

from dataclasses import replace

import pytest

from trailprint.errors import InputError
from trailprint.events.engine import Engine
from trailprint.events.read import read
from trailprint.papers.experiment import Context
from trailprint.papers.tan_2011 import EXPERIMENTS
from trailprint.simulate.campus import CampusOptions, simulate_campus

RUN = {each.name.removeprefix("2011-"): each.run for each in EXPERIMENTS}


@pytest.fixture(scope="module")
def context():
    small = Context(seed=2)
    options = CampusOptions.paper(seed=2)
    options = replace(options, n_users=40, n_days=40, min_active_days=30, n_access_points=400)
    small.share("2011 log", lambda: read(simulate_campus(options), engine=Engine(threads=2)))
    return small


def shares(outcome, column):
    return {(row[column], row["candidates"]): row["share"] for row in outcome.rows}


def test_knowing_more_days_helps_and_the_crf_beats_the_distance(context) -> None:
    outcome = RUN["figure-3"](context)
    found = shares(outcome, "line")
    assert found["CRF, 5–6 days", 1] >= found["CRF, 3 days", 1] >= found["CRF, 2 days", 1]
    assert found["CRF, 5–6 days", 1] > found["CRF, 2 days", 1]
    assert found["CRF, 5–6 days", 1] > found["distance, 5–6 days", 1]
    for line in {line for line, _ in found}:
        by_size = [found[line, size] for size in (1, 2, 5, 10, 20)]
        assert by_size == sorted(by_size)
    assert {c.paper for c in outcome.comparisons} == {73.21, 80.12, 92.09, 99.72, 61.67, 98.51}


@pytest.mark.parametrize("figure", ["figure-4", "figure-5"])
def test_protections_lower_the_crf_only_mildly(context, figure) -> None:
    found = shares(RUN[figure](context), "protection")
    for name in {name for name, _ in found}:
        assert found[name, 1] >= 0.5 * found["nothing", 1]
        assert found[name, 1] <= found["nothing", 1] + 0.1


def test_a_log_of_visitors_only_is_refused(tmp_path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("user,location,start,end\na,1.1.1,2010-01-04T08:00:00Z,2010-01-04T09:00:00Z\n")
    with pytest.raises(InputError, match="45 days"):
        RUN["figure-3"](Context(data={"associations-2011": path}))
