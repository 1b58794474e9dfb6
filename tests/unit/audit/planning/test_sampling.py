"""Parts on fewer people: in terms of everybody, and said to be of fewer."""

from __future__ import annotations

import numpy as np
import pytest
from tests.presence import present

from trailprint.audit.assemble import Done, assemble
from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.part_shapes import fits_shape
from trailprint.audit.parts import Outcome
from trailprint.audit.planning.making import make_plan
from trailprint.audit.results.kept import attack_of, protections_of, study_of
from trailprint.audit.sides import make_sides
from trailprint.audit.summary import summarise
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.studies.growth.findings import UsersGrowth

N_PEOPLE, N_DRAWN = 60, 25
OPTIONS = AuditOptions(attacks=("histogram", "trail"), protections=("top-locations:n=5",))


@pytest.fixture(scope="module")
def context(engine):
    events = read(simulate_campus(CampusOptions(n_users=N_PEOPLE, n_days=14)), engine=engine)
    return AuditContext(make_sides([events], None, OPTIONS), OPTIONS, 1)


@pytest.fixture(scope="module")
def outcomes(context):
    """Trails and what follows on fewer people; histograms on everybody."""
    found: dict[str, Outcome] = {}
    wanted = ("attack/histogram", "attack/trail", "control/trail", "growth/users")
    for part in make_plan(context).parts:
        is_wanted = part.name in wanted or part.name.startswith("protect/")
        if is_wanted and part.name not in ("attack/histogram", "protect/none"):
            part = present(part.on_fewer)(N_DRAWN)
        if is_wanted:
            found[part.name] = part.compute(found, lambda share: None)
    return found


def test_an_attack_on_fewer_is_scaled_to_everybody(context, outcomes):
    outcome = outcomes["attack/trail"]
    assert fits_shape("attack/trail", outcome, context.sizes)
    entry, risk = attack_of(outcome).entry, outcome.arrays["risk"]
    assert entry.people == N_DRAWN
    assert np.count_nonzero(~np.isnan(risk)) == N_DRAWN
    assert np.count_nonzero(outcome.arrays["linked"]) == entry.correct
    assert "Tried on 25 people drawn at random, for lack of time" in entry.notes[-1]
    partner = dict(zip(context.truth.released, context.truth.auxiliary, strict=True))
    links = zip(outcome.arrays["released"], outcome.arrays["auxiliary"], strict=True)
    assert sum(partner[own] == other for own, other in links) == entry.correct


def test_its_controls_see_the_same_people(outcomes):
    assert all(control["passed"] for control in outcomes["control/trail"].data["controls"])


def test_protections_and_studies_say_it(outcomes):
    (point,) = protections_of(outcomes["protect/top-locations:n=5"]).points
    assert point.people == N_DRAWN
    assert point.label.endswith(", among 25 people")
    study = study_of(outcomes["growth/users"], UsersGrowth).study
    assert study is not None
    assert study.people == N_DRAWN
    assert study.points[-1].x == N_DRAWN
    assert "for lack of time" in study.reading


def test_the_result_marks_them_wherever_they_stand(context, outcomes):
    done = Done(outcomes=outcomes, left_out=(), tallies=context.sides.tallies, seconds=1.0)
    found = assemble(context, done)
    rows = dict(summarise(found))
    assert "trail matching, of 25 people" in rows
    assert found.worst_case is not None
    assert found.worst_case.people == N_DRAWN
    assert found.worst_case.not_tried == N_PEOPLE - N_DRAWN
    assert found.headline.people == N_PEOPLE
    assert [point.people for point in present(found.protections).points] == [None, N_DRAWN]
    assert found.to_dict()["growth"]["users"]["people"] == N_DRAWN
