"""Places from positions: hand-made days of people who stay, go, and pass by."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from trailprint.errors import ColumnError, OptionError
from trailprint.features.places import OwnPlaceOptions, build_chain_pair, build_chains

NOON = dt.datetime(2024, 3, 4, 12, tzinfo=dt.UTC)
HOME, WORK, CLUB = (48.0, 2.0), (48.02, 2.0), (48.0, 2.05)
#: A degree of latitude in metres.
DEGREE_M = 111_195


def stay(user, place, hour, n=8, step_m=3.0):
    """Positions a minute apart, a few metres from each other."""
    return [
        (
            user,
            NOON + dt.timedelta(hours=hour, minutes=i),
            place[0] + i * step_m / DEGREE_M,
            place[1],
        )
        for i in range(n)
    ]


def chains_of(make_events, rows, **options):
    events = make_events(rows, "user", "start", "lat", "lon")
    return build_chains(events, OwnPlaceOptions(**options))


def test_places_visits_and_moves_of_one_person(make_events):
    rows = [
        *stay("ann", HOME, 0, n=12),
        *stay("ann", WORK, 2),
        *stay("ann", HOME, 4, n=12),
        *stay("ann", CLUB, 6, n=6),
        *stay("ann", HOME, 8, n=12),
    ]
    chains = chains_of(make_events, rows)
    assert chains.first_place.tolist() == [0, 3]
    np.testing.assert_allclose(chains.stationary, [3 / 5, 1 / 5, 1 / 5])
    moves = set(zip(chains.origin.tolist(), chains.target.tolist(), strict=True))
    assert moves == {(0, 1), (1, 0), (0, 2), (2, 0)}
    np.testing.assert_allclose(chains.transition[chains.origin == 0], [0.5, 0.5])
    far = np.linalg.norm(chains.centre_m[0] - chains.centre_m[1])
    assert far == pytest.approx(0.02 * DEGREE_M, rel=0.02)


def test_people_at_the_same_spot_have_places_of_their_own(make_events):
    chains = chains_of(make_events, [*stay("ann", HOME, 0), *stay("ben", HOME, 0)])
    assert chains.first_place.tolist() == [0, 1, 2]
    np.testing.assert_allclose(chains.centre_m[0], chains.centre_m[1])


def test_a_few_positions_make_no_place(make_events):
    rows = [*stay("ann", HOME, 0, n=4), *stay("ben", HOME, 0, n=5)]
    chains = chains_of(make_events, rows, min_positions=5)
    assert chains.users.to_pylist() == ["ann", "ben"]
    assert np.diff(chains.first_place).tolist() == [0, 1]
    assert len(chains_of(make_events, stay("ann", HOME, 0, n=4)).centre_m) == 0


def test_positions_on_the_way_belong_to_no_place(make_events):
    drive = [
        ("ann", NOON + dt.timedelta(minutes=20, seconds=5 * i), 48.0 + 0.0005 * i, 2.0)
        for i in range(40)
    ]
    options = {"radius_m": 200.0, "max_radius_m": 1e6}
    assert len(chains_of(make_events, drive, **options, max_speed_m_s=50.0).centre_m) == 1
    assert len(chains_of(make_events, drive, **options, max_speed_m_s=1.0).centre_m) == 0


def test_a_place_ends_at_its_greatest_radius(make_events):
    line = [("ann", NOON + dt.timedelta(hours=i), 48.0 + 0.0005 * i, 2.0) for i in range(41)]
    whole = chains_of(make_events, line, min_positions=3, max_radius_m=5000.0)
    assert whole.first_place.tolist() == [0, 1]
    cut = chains_of(
        make_events, [*line, *stay("ann", HOME, 100)], min_positions=3, max_radius_m=200
    )
    # What is cut off belongs to no place: leaving it and coming back is no move.
    assert cut.first_place.tolist() == [0, 1]
    assert len(cut.origin) == 0


def test_neighbours_of_neighbours_are_joined(make_events):
    near = stay("ann", HOME, 0) + stay("ann", (48.0 + 90 / DEGREE_M, 2.0), 3)
    apart = stay("ann", HOME, 0) + stay("ann", (48.0 + 300 / DEGREE_M, 2.0), 3)
    assert len(chains_of(make_events, near, radius_m=100.0).centre_m) == 1
    assert len(chains_of(make_events, apart, radius_m=100.0).centre_m) == 2


def test_nothing_is_torn_at_the_date_line(make_events):
    rows = stay("ann", (0.0, 179.9999), 0) + stay("ann", (0.0, -179.9999), 1)
    assert len(chains_of(make_events, rows).centre_m) == 1


def test_the_number_of_users_at_a_time_changes_nothing(make_events, monkeypatch):
    rows = [row for user in "abcdef" for row in stay(user, HOME, 0) + stay(user, WORK, 2)]
    whole = chains_of(make_events, rows)
    monkeypatch.setattr("trailprint.features.places._POINTS_AT_A_TIME", 1)
    parts = chains_of(make_events, rows)
    np.testing.assert_array_equal(whole.centre_m, parts.centre_m)
    np.testing.assert_array_equal(whole.first_place, parts.first_place)


def test_locations_without_positions_are_refused_in_one_sentence(make_events):
    events = make_events([("ann", NOON, "1.1.1")], "user", "start", "location")
    with pytest.raises(ColumnError, match="A mobility Markov chain needs a column 'lat'"):
        build_chain_pair(events, events)


@pytest.mark.parametrize(
    "options",
    [{"radius_m": 0}, {"max_radius_m": float("inf")}, {"min_positions": 0}, {"max_speed_m_s": -1}],
)
def test_options_that_break_their_rule(options):
    with pytest.raises(OptionError, match="must be"):
        OwnPlaceOptions(**options)


def test_nobody_has_no_places(make_events):
    events = make_events(stay("ann", HOME, 0), "user", "start", "lat", "lon")
    chains = build_chains(events.having("false"))
    assert chains.n_users == len(chains.centre_m) == len(chains.origin) == 0
