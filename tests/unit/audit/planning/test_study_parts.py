"""Studies repeat the strongest attack: how long they take depends on which that was."""

import pytest

from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.planning.seconds import operations_of
from trailprint.audit.planning.study_parts import plan_studies
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus


@pytest.fixture(scope="module")
def campus(engine):
    return read(simulate_campus(CampusOptions(n_users=60, n_days=14)), engine=engine)


def plan(events, **options):
    chosen = AuditOptions(**options)
    parts = plan_studies(AuditContext(make_sides([events], None, chosen), chosen, 1))
    return {part.name: part for part in parts}


def test_studies_take_longer_by_an_attack_that_learns(campus):
    one = plan(campus, attacks=("histogram",))
    several = plan(campus, attacks=("histogram", "combined"))
    for name in ("growth/users", "growth/time", "growth/knowledge", "growth/resolution"):
        assert one[name].seconds < several[name].seconds
    assert "learning" in operations_of(several["growth/time"].seconds)
    assert "learning" not in operations_of(several["growth/users"].seconds)


def test_every_study_uses_the_attacks_it_may_repeat(campus):
    for part in plan(campus, attacks=("histogram", "combined")).values():
        assert {"attack/histogram", "attack/combined"} <= set(part.uses)


def test_what_is_asked_is_known_in_operations(campus):
    """Each operation can then be corrected by what the attacks took."""
    known = {"match", "views", "select", "curve", "learning", "events", "trail"}
    for part in plan(campus).values():
        assert set(operations_of(part.seconds)) <= known
