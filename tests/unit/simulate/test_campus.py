"""Synthetic populations: the size asked for, the same for the same seed, and habits to find."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import numpy as np
import pytest

from trailprint import OptionError, read
from trailprint.features.histograms import build_histograms
from trailprint.simulate.call_records import call_records
from trailprint.simulate.calls import simulate_calls
from trailprint.simulate.campus import CampusOptions, simulate_campus


def test_a_campus_has_what_was_asked_for():
    table = simulate_campus(CampusOptions(n_users=40, n_days=14, n_access_points=30))
    assert len(set(table["user"].to_pylist())) <= 40
    assert len(set(table["location"].to_pylist())) <= 30
    days = {start.date() for start in table["start"].to_pylist()}
    assert min(days) == dt.date(2024, 3, 4)
    assert len(days) <= 14
    assert all(name.count(".") == 2 for name in table["location"].to_pylist())


def test_visits_are_in_order_and_end_after_they_start():
    table = simulate_campus(CampusOptions(n_users=20))
    start, end = table["start"].to_pylist(), table["end"].to_pylist()
    assert start == sorted(start)
    assert all(a < b for a, b in zip(start, end, strict=True))


def test_one_seed_one_campus():
    first, again, other = (simulate_campus(CampusOptions(n_users=9, seed=s)) for s in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_pseudonyms_tell_nothing_of_the_order_people_were_made_in():
    names = list(dict.fromkeys(simulate_campus(CampusOptions(n_users=50))["user"].to_pylist()))
    assert names != sorted(names)


def test_regular_people_visit_fewer_places(engine):
    def places_per_user(regularity):
        table = simulate_campus(CampusOptions(n_users=60, regularity=regularity))
        return np.diff(build_histograms(read(table, engine=engine)).matrix.indptr).mean()

    assert places_per_user(1.0) < places_per_user(0.2)


@pytest.mark.parametrize(
    "options", [{"n_users": 0}, {"n_days": 0}, {"n_access_points": 0}, {"regularity": 1.5}]
)
def test_options_that_break_their_rule(options):
    with pytest.raises(OptionError):
        CampusOptions(**options)


def test_call_records_hold_every_call_of_every_week():
    population = simulate_calls(30, seed=4)
    table = call_records(population, seed=4)
    monday = dt.datetime(2012, 4, 9, tzinfo=dt.UTC)
    weeks = Counter((start - monday).days // 7 for start in table["start"].to_pylist())
    assert weeks == {i: int(week.count.sum()) for i, week in enumerate(population.weeks)}
    assert table.equals(call_records(population, seed=4))
