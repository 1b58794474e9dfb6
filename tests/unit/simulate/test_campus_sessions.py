"""Lifelike devices: settled ones, usual stays, short hand-offs, and full halls."""

from __future__ import annotations

import numpy as np
import pytest

from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.simulate.campus_map import draw_map
from trailprint.simulate.campus_people import HOME, draw_people
from trailprint.simulate.campus_sessions import ANYWHERE, Visits, VisitStays, associate, draw_usual


def draw_records(options: CampusOptions) -> tuple[np.ndarray, ...]:
    """User, location, start and end in seconds, by user and time."""
    table = simulate_campus(options).sort_by([("user", "ascending"), ("start", "ascending")])
    user, location = (table[name].to_numpy() for name in ("user", "location"))
    start, end = (
        table[name].to_numpy().astype("datetime64[s]").astype(np.int64) for name in ("start", "end")
    )
    return user, location, start, end


@pytest.fixture(scope="module")
def lifelike():
    return draw_records(CampusOptions(n_users=150, n_days=21, lifelike=True, seed=4))


@pytest.fixture(scope="module")
def plain():
    return draw_records(CampusOptions(n_users=150, n_days=21, seed=4))


def share_on_one_floor(records) -> float:
    """How many people are only ever seen on one floor."""
    floors: dict[str, set[str]] = {}
    for user, location in zip(records[0], records[1], strict=True):
        floors.setdefault(user, set()).add(location.rsplit(".", 1)[0])
    return float(np.mean([len(each) == 1 for each in floors.values()]))


def test_settled_devices_stay_on_one_access_point(lifelike):
    user, location, *_ = lifelike
    places = {name: set(location[user == name].tolist()) for name in np.unique(user).tolist()}
    on_one_floor = [
        seen for seen in places.values() if len({each.rsplit(".", 1)[0] for each in seen}) == 1
    ]
    assert on_one_floor
    assert all(len(seen) == 1 for seen in on_one_floor)


def test_the_days_of_lifelike_people_are_alike():
    def share_alike(lifelike):
        random = np.random.default_rng(5)
        campus = draw_map(random, 400)
        weeks = draw_people(random, campus, 400, 0.5, lifelike=lifelike).timetable[:, :5]
        return np.mean(weeks[:, 1:] == weeks[:, :1])

    assert share_alike(True) > share_alike(False) + 0.1


def test_about_a_quarter_of_lifelike_devices_stay_on_a_floor_and_no_others(lifelike, plain):
    assert share_on_one_floor(lifelike) == pytest.approx(0.25, abs=0.1)
    assert share_on_one_floor(plain) == 0


def test_lifelike_devices_connect_again_to_where_they_were(lifelike, plain):
    def share_repeated(records):
        user, location, start, end = records
        joined = (user[1:] == user[:-1]) & (start[1:] == end[:-1])
        return np.mean(location[1:][joined] == location[:-1][joined])

    assert share_repeated(lifelike) > share_repeated(plain) + 0.25


def test_nobody_is_at_two_places_at_once_nor_there_after_the_end(lifelike):
    user, _, start, end = lifelike
    same = user[1:] == user[:-1]
    assert np.all(start[1:][same] >= end[:-1][same])
    assert np.all(end > start)
    assert end.max() <= np.datetime64("2024-03-25", "s").astype(np.int64)


def test_stays_of_one_person_at_one_place_are_alike_and_those_anywhere_are_not():
    random = np.random.default_rng(1)
    user = np.repeat(np.arange(40), 50)
    visits = Visits(user, np.zeros_like(user), np.full_like(user, 1))
    usual = np.log(draw_usual(random, 40, visits, np.full(2_000, 3))).reshape(40, 50)
    assert usual.std(axis=1).mean() == pytest.approx(0.25, abs=0.03)
    assert usual.mean(axis=1).std() > 0.7
    anywhere = np.log(draw_usual(random, 40, visits, np.full(2_000, ANYWHERE))).reshape(40, 50)
    assert anywhere.std(axis=1).mean() > 0.9
    assert anywhere.mean(axis=1).std() < 0.3


def test_hand_offs_are_short_where_stays_have_a_habit():
    campus = draw_map(np.random.default_rng(0), 60)
    here = int(np.flatnonzero(campus.neighbour != np.arange(60))[0])
    n = 4_000
    visits = Visits(np.zeros(n, dtype=np.int64), np.arange(n), np.full(n, 1))

    def length_there_and_here(usual):
        nowhere = np.zeros(n, dtype=bool)
        stays = VisitStays(
            location=np.full(n, here), is_home=nowhere, is_still=nowhere, usual=usual
        )
        found = associate(np.random.default_rng(2), campus, visits, stays, n * 86_400.0)
        length = found.end_s - found.start_s
        # Visits with several records that begin here: every other record is next door.
        return np.median(length[found.location != here]), np.median(length[found.location == here])

    there, home = length_there_and_here(np.full(n, 3_000.0))
    assert there < home / 2
    there, home = length_there_and_here(None)
    assert there > home / 2


def test_as_many_people_share_an_access_point_at_home_on_an_emptier_campus():
    def at_home(n_users, lifelike):
        random = np.random.default_rng(3)
        campus = draw_map(random, 1_364)
        people = draw_people(random, campus, n_users, 0.5, lifelike=lifelike)
        home = people.places[:, HOME]
        return np.bincount(home, minlength=1_364)[home].mean()

    assert at_home(300, True) == pytest.approx(at_home(3_000, True), rel=0.25)
    assert at_home(300, False) < 0.7 * at_home(3_000, False)
