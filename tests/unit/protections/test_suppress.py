"""Suppression: what is left out, and of whom nothing is left."""

import datetime as dt
import itertools
from typing import Any, cast

import pytest
from tests.presence import present

from trailprint.errors import InputError, OptionError
from trailprint.protections.chain import apply_protections, protect_events, start
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.protection import AuditedData
from trailprint.protections.suppress import (
    ActiveUsers,
    CommonLocations,
    Period,
    TopLocations,
    Weekdays,
)

UTC = dt.UTC


@pytest.fixture
def visits(make_events):
    def day(n):
        return dt.datetime(2024, 1, n, 12, tzinfo=UTC)  # 1 January 2024 was a Monday

    rows = [
        ("a", "shop", day(1)),
        ("a", "cafe", day(2)),
        ("b", "shop", day(3)),
        ("b", "park", day(8)),
        ("c", "park", day(8)),
        ("c", "shop", day(9)),
        ("d", "rare", day(10)),
        ("d", "rare", day(10)),
        ("d", "rare", day(11)),
        ("d", "rare", day(11)),
    ]
    return make_events(rows, "user", "location", "start")


def places(rows_of, events):
    return {place for (place,) in rows_of(events, "location")}


def test_the_most_popular_are_those_with_the_most_users(visits, rows_of):
    found = apply_protections(visits, [TopLocations(n=2)])
    assert places(rows_of, found.events) == {"shop", "park"}
    by_events = apply_protections(visits, [TopLocations(n=1, by="events")])
    assert places(rows_of, by_events.events) == {"rare"}


def test_users_left_with_nothing_are_counted(visits):
    loss = apply_protections(visits, [TopLocations(n=2)]).loss
    assert loss.users_left_out == 1
    assert loss.users_kept == pytest.approx(3 / 4)
    assert loss.events_kept == pytest.approx(5 / 10)
    assert loss.locations_kept == pytest.approx(2 / 4)


def test_locations_of_few_users_are_left_out(visits, rows_of):
    found = apply_protections(visits, [CommonLocations(min_users=3)])
    assert places(rows_of, found.events) == {"shop"}


def test_the_list_of_locations_follows_from_the_release_and_holds_for_both(visits, rows_of):
    released = visits.having("\"user\" IN ('a', 'b')")
    stage = protect_events(start(released, visits), [CommonLocations(min_users=2)], 0)
    assert places(rows_of, stage.released) == {"shop"}
    assert places(rows_of, stage.auxiliary) == {"shop"}


def test_weekdays_change_both_sides_but_a_period_only_the_release(visits, rows_of):
    stage = protect_events(start(visits, visits), [Weekdays(days="mon+tue")], 0)
    assert len(rows_of(stage.released)) == len(rows_of(stage.auxiliary)) == 5
    stage = protect_events(start(visits, visits), [Period(between="2024-01-01..2024-01-03")], 0)
    assert (len(rows_of(stage.released)), len(rows_of(stage.auxiliary))) == (3, 10)


def test_users_with_few_events_are_left_out_of_the_release_only(visits, rows_of):
    stage = protect_events(start(visits, visits), [ActiveUsers(min_events=3)], 0)
    assert {user for (user,) in rows_of(stage.released, "user")} == {"d"}
    assert len({user for (user,) in rows_of(stage.auxiliary, "user")}) == 4


def test_leaving_nothing_is_an_error(visits):
    with pytest.raises(InputError, match="active-users leaves none"):
        apply_protections(visits, [ActiveUsers(min_events=99)])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: TopLocations(n=0), "n must be at least 1 location"),
        (lambda: TopLocations(by=cast(Any, "noise")), "by must be one of users, events"),
        (lambda: CommonLocations(min_users=0), "min_users must be at least 1"),
        (lambda: Weekdays(days="mon+noday"), "days must be among mon"),
        (lambda: Weekdays(days=""), "days must be among mon"),
        (lambda: Period(between="2024"), "between must look like"),
        (lambda: ActiveUsers(min_events=-1), "min_events must be at least 1"),
    ],
)
def test_bad_parameters_get_one_sentence(wrong, message):
    with pytest.raises(OptionError, match=message) as caught:
        wrong()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "n_users", "n_locations", "expected"),
    [
        (TopLocations, 100, 120, [3, 1]),
        (TopLocations, 100, 2, []),
        (CommonLocations, 300, 9, [40, 80, 150]),
        (CommonLocations, 30, 9, []),
        (Microaggregate, 300, 9, [40, 80, 150]),
        (Microaggregate, 90, 9, [40, 45]),
        (Microaggregate, 30, 9, []),
    ],
)
def test_stronger_values_go_on_from_those_of_an_audit(visits, kind, n_users, n_locations, expected):
    data = AuditedData(released=visits, auxiliary=visits, n_users=n_users, n_locations=n_locations)
    assert list(kind.stronger_values(data)) == expected
    usual = list(kind.audit_values(data))
    sense = kind.monotone[present(kind.audited)]
    assert all(sense * a < sense * b for a, b in itertools.pairwise([*usual, *expected]))
