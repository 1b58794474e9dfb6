"""One part of a plan: on everybody, and on fewer people where that says something."""

import pytest
from tests.presence import present

from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.parts import Outcome
from trailprint.audit.planning.planned import make_part
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus


@pytest.fixture(scope="module")
def context(engine):
    events = read(simulate_campus(CampusOptions(n_users=40, n_days=14)), engine=engine)
    return AuditContext(make_sides([events], None, AuditOptions()), AuditOptions(), 1)


def compute(context, before, progress):
    return Outcome(data={"study": None, "why_not": None, "n": context.sizes.n_people})


def test_a_part_is_done_on_everybody(context):
    part = make_part(context, "growth/users", "Growth", 8.0, compute)
    assert part.compute({}, lambda share: None).data["n"] == context.sizes.n_people


def test_on_fewer_people_it_takes_less_and_is_another_part(context):
    part = make_part(context, "growth/users", "Growth", 8.0, compute, depends_on={"a": 1})
    fewer = present(part.on_fewer)(10)
    assert 0 < fewer.seconds < part.seconds
    assert fewer.depends_on == {"a": 1, "people": 10}
    assert "10 people" in fewer.title
    assert fewer.compute({}, lambda share: None).data["n"] == 10


def test_what_says_nothing_of_fewer_people_is_not_done_on_them(context):
    assert make_part(context, "search", "Search", 8.0, compute).on_fewer is None
    assert make_part(context, "why", "Why", 8.0, compute).on_fewer is None
