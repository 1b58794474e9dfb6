"""Risk by how much is known of each person."""

import datetime as dt

import numpy as np
import pytest
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.studies.growth.amount import grow_amount
from trailprint.studies.growth.events import attack_pair, prepare_pair
from trailprint.studies.repeated import prepare_histograms

N_USERS, N_DAYS = 30, 6


def attack(released, auxiliary):
    return match_histograms(released, auxiliary, MatchOptions())


PREPARE = prepare_histograms(attack)


@pytest.fixture
def sides(make_events):
    def period(first_day):
        random = np.random.default_rng([5, first_day])
        habits = np.random.default_rng(5).dirichlet(np.full(25, 0.2), N_USERS)
        return [
            (f"u{user:02}", f"p{place}", dt.datetime(2024, 1, first_day + day, 9, tzinfo=dt.UTC))
            for user, habit in enumerate(habits)
            for day in range(N_DAYS)
            for place in random.choice(25, 2, p=habit)
        ]

    return lambda *names: [
        make_events([row[: len(names)] for row in period(day)], *names) for day in (1, 15)
    ]


def test_everything_is_the_attack_itself_and_less_is_known_before(sides):
    released, auxiliary = sides("user", "location", "start")
    grown = grow_amount(PREPARE, released, auxiliary, seed=3)
    whole = attack_pair(prepare_pair(PREPARE, released, auxiliary, None))
    assert grown.points[-1].known.kind == "everything"
    assert grown.points[-1].found == whole
    assert {point.found.n_people for point in grown.points} == {N_USERS}
    events = [p for p in grown.points if p.known.kind == "points"]
    assert [p.mean_points for p in events] == [1, 2, 4, 8]
    assert events[0].found.n_found <= whole.n_found
    assert [p.known.amount for p in grown.points if p.known.kind == "days"] == [1, 2, 4]


def test_a_result_says_the_ends_and_home_and_work(sides):
    plain = present(grow_amount(PREPARE, *sides("user", "location", "start")).to_finding())
    assert plain.points[0].label == "1 event"
    assert "one who knows home and work" in plain.reading
    assert all(point.x >= 1 for point in plain.points)


def test_without_times_no_days_are_known(sides):
    grown = grow_amount(PREPARE, *sides("user", "location"))
    assert "days" not in {point.known.kind for point in grown.points}


def test_people_must_be_on_both_sides(make_events):
    one, other = (make_events([(user, "p")], "user", "location") for user in "ab")
    assert grow_amount(PREPARE, one, other).to_finding() is None
