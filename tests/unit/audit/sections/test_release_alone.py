"""A release tried as it will be published: what an audit of it finds is found before."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

import trailprint as tp
from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.sections.release_alone import measure_alone
from trailprint.audit.sides import make_sides
from trailprint.events.events import Events
from trailprint.protections.protection import Protection
from trailprint.protections.registry import parse_protection
from trailprint.studies.options import ATTACKS, TrialOptions

N_USERS, N_PLACES = 60, 30
QUICK = AuditOptions(attacks=("histogram",), protections=("top-locations:n=30",))


@pytest.fixture(scope="module")
def events(make_events) -> Events:
    """Everybody has four weeks, but for ten people with a place of their own and one week."""
    random = np.random.default_rng(3)
    habits = random.dirichlet(np.full(N_PLACES, 0.3), N_USERS)
    rows = [
        (f"u{user:02}", f"s{random.choice(N_PLACES, p=habit):02}", _day(day))
        for user, habit in enumerate(habits)
        for day in range(28)
    ]
    rows += [(f"visitor{n}", "s99", _day(2)) for n in range(10)]
    found: Events = make_events(rows, "user", "location", "start")
    return found


def _day(number: int) -> dt.datetime:
    return dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC) + dt.timedelta(days=number)


def open_context(*sides: Events) -> AuditContext:
    return AuditContext(make_sides(sides, None, QUICK), QUICK)


def parse(text: str) -> tuple[Protection, ...]:
    return (parse_protection(text),)


@pytest.mark.parametrize("written", ["top-locations:n=6", "common-locations:min_users=12"])
def test_it_is_what_an_audit_of_the_release_finds(events, written):
    found = measure_alone(
        open_context(events), parse(written), (), TrialOptions(attacks=ATTACKS[:1])
    )
    protected = tp.protect(events, written).events
    assert protected is not None
    # The attack alone: there is no time for what was not asked for.
    options = replace(QUICK, time_limit_s=0.001)
    audited = tp.audit(protected, options=options).findings.headline
    assert found is not None
    assert found.people == audited.people
    share, upper = audited.share or 0.0, (audited.interval or (0.0, 0.0))[1]
    # Ties are drawn many times and the highest counts.
    assert share <= found.accuracy < (audited.share or audited.at_most or 0.0) + 0.1
    assert found.at_risk >= max(upper, found.interval[1])


def test_what_cannot_be_cut_in_two_is_not_tried(events):
    context = open_context(events)
    assert measure_alone(context, parse("microaggregate:k=5"), (), TrialOptions()) is None
    two = open_context(*context.events)
    assert measure_alone(two, parse("top-locations:n=6"), (), TrialOptions()) is None


def test_lists_of_places_are_learnt_from_everything_that_is_published(events):
    """Ten people are on no side of the audit, but their place is in what is published."""
    from trailprint.protections.chain import protect_events, start

    context = open_context(events)
    chain = parse("common-locations:min_users=10")
    stage = protect_events(start(*context.events, whole=context.sides.whole), chain, 0)
    whole = tp.protect(events, "common-locations:min_users=10").events
    listed = {
        side: {row[0] for row in _list_places(side_events)}
        for side, side_events in (("trial", stage.whole), ("published", whole))
    }
    assert listed["trial"] == listed["published"]
    assert "s99" in listed["published"]


def _list_places(events: Events | None) -> list[tuple[str]]:
    assert events is not None
    table = events.engine.arrow(f"SELECT DISTINCT location::VARCHAR AS l FROM ({events.query})")
    return [(place,) for place in table["l"].to_pylist()]
