"""Synthetic populations: the size asked for, the same for the same seed, and habits to find."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from trailprint import read
from trailprint.attacks.histogram import match_histograms
from trailprint.errors import OptionError
from trailprint.events.split import SplitOptions, split
from trailprint.features.histograms import build_histogram_pair, build_histograms
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


def test_nobody_is_at_two_places_at_once():
    table = simulate_campus(CampusOptions(n_users=50))
    order = table.sort_by([("user", "ascending"), ("start", "ascending")])
    user = np.array(order["user"].to_pylist())
    start, end = (order[name].to_numpy() for name in ("start", "end"))
    same = user[1:] == user[:-1]
    assert np.all(start[1:][same] >= end[:-1][same])


def test_some_stay_overnight_and_nobody_past_the_end():
    table = simulate_campus(CampusOptions(n_users=50, n_days=10))
    start, end = table["start"].to_pylist(), table["end"].to_pylist()
    overnight = [a for a, b in zip(start, end, strict=True) if b.date() > a.date()]
    assert len(overnight) > 50
    assert max(end) <= dt.datetime(2024, 3, 14, tzinfo=dt.UTC)


def test_devices_change_over_between_neighbours_of_a_floor():
    table = simulate_campus(CampusOptions(n_users=20))
    order = table.sort_by([("user", "ascending"), ("start", "ascending")])
    rows = list(zip(*(order[c].to_pylist() for c in order.column_names), strict=True))
    changed = [
        (old[1], new[1])
        for old, new in pairwise(rows)
        if old[0] == new[0] and old[3] == new[2] and old[1] != new[1]
    ]
    assert len(changed) > len(rows) / 10
    assert all(old.rsplit(".", 1)[0] == new.rsplit(".", 1)[0] for old, new in changed)


def test_everybody_comes_on_the_days_that_were_asked_for():
    options = CampusOptions(n_users=60, n_days=62, min_active_days=45)
    table = simulate_campus(options)
    days: Counter[str] = Counter()
    for user, _ in {
        (user, start.date())
        for user, start in zip(table["user"].to_pylist(), table["start"].to_pylist(), strict=True)
    }:
        days[user] += 1
    assert len(days) == 60
    assert min(days.values()) >= 45


def test_the_preset_has_the_size_of_the_paper_s_log():
    options = CampusOptions.paper()
    assert (options.n_users, options.n_days, options.n_access_points) == (4285, 62, 1364)
    assert CampusOptions.paper(857).n_access_points == 273
    table = simulate_campus(CampusOptions.paper(200))
    assert table["start"][0].as_py().date() == dt.date(2010, 1, 4)
    assert 450 < len(table) / 200 < 620


def test_a_crowd_gets_more_access_points():
    few, many = (
        len(simulate_campus(CampusOptions(n_users=n, n_days=7))["location"].unique())
        for n in (20, 400)
    )
    assert few <= 20 < many <= 160


@pytest.mark.parametrize("n_access_points", [1, 2, 9, 40, 333])
def test_any_size_of_campus_can_be(n_access_points):
    table = simulate_campus(CampusOptions(n_users=30, n_days=3, n_access_points=n_access_points))
    names = set(table["location"].to_pylist())
    assert 1 <= len(names) <= n_access_points


def test_conforming_people_are_harder_to_distinguish(engine):
    def share_found(conformity):
        table = simulate_campus(CampusOptions(n_users=80, n_days=14, conformity=conformity))
        sides = split(read(table, engine=engine), SplitOptions(at="median", active_both=True))
        linkage = match_histograms(*build_histogram_pair(sides.released, sides.auxiliary))
        return np.mean(linkage.released == linkage.auxiliary)

    assert share_found(0.95) < 0.6 < 0.85 < share_found(0.1)


def test_pseudonyms_reveal_nothing_of_the_order_people_were_made_in():
    names = list(dict.fromkeys(simulate_campus(CampusOptions(n_users=50))["user"].to_pylist()))
    assert names != sorted(names)


def test_regular_people_visit_fewer_places(engine):
    def places_per_user(regularity):
        table = simulate_campus(CampusOptions(n_users=60, regularity=regularity))
        return np.diff(build_histograms(read(table, engine=engine)).matrix.indptr).mean()

    assert places_per_user(1.0) < places_per_user(0.2)


@pytest.mark.parametrize(
    "options",
    [
        {"n_users": 0},
        {"n_days": 0},
        {"n_access_points": 0},
        {"regularity": 1.5},
        {"conformity": -1},
        {"min_active_days": 29},
    ],
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
