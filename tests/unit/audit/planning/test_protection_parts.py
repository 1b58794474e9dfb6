"""Protections with as many values as there is time for; the other values come later."""

import pytest

from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.planning.protection_parts import plan_protections
from trailprint.audit.planning.seconds import operations_of
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus


@pytest.fixture(scope="module")
def campus(engine):
    return read(simulate_campus(CampusOptions(n_users=30, n_days=14)), engine=engine)


def plan(events, **options):
    chosen = AuditOptions(**options)
    return plan_protections(AuditContext(make_sides([events], None, chosen), chosen, 1))


def values_of(parts):
    kinds: dict[str, list[object]] = {}
    for part in parts:
        kind = part.name.partition(",")[0]
        kinds.setdefault(kind, []).extend(part.depends_on.get("values", []))
    return {kind: sorted(values, key=str) for kind, values in kinds.items() if values}


def test_no_value_is_lost_or_tried_twice_however_short_the_time(campus):
    (everything, none), (first, rest) = plan(campus), plan(campus, time_limit_s=0.1)
    assert not none
    assert rest
    assert values_of([*first, *rest]) == values_of(everything)


def test_the_search_comes_after_the_parts_it_builds_on(campus):
    parts, _ = plan(campus)
    assert parts[-1].name == "search"
    assert parts[-1].is_open_ended
    assert {part.name for part in parts[:-1]} < set(parts[-1].uses)


def test_a_protection_that_takes_time_itself_is_an_operation_of_its_own(campus):
    parts = {part.name: part for part in plan(campus)[0]}
    own = operations_of(parts["protect/microaggregate"].seconds)
    assert own["microaggregate"] > 0
    assert "microaggregate" not in operations_of(parts["protect/none"].seconds)
