"""People of a simulated campus: weeks that can be lived, and circles that resemble each other."""

from __future__ import annotations

import numpy as np
import pytest

from trailprint.simulate.campus_map import draw_map
from trailprint.simulate.campus_people import (
    FIRST_CLASS,
    HOME,
    MEAL,
    N_BLOCKS,
    N_PERSONAL,
    N_PLACES,
    beta_around,
    draw_columns,
    draw_people,
)

N_USERS = 240


@pytest.fixture(scope="module")
def campus():
    return draw_map(np.random.default_rng(3), 400)


def people_of(campus, conformity):
    return draw_people(np.random.default_rng(7), campus, N_USERS, conformity)


def test_everybody_has_places_a_week_and_likings(campus):
    people = people_of(campus, 0.5)
    assert people.places.shape == people.liking.shape == (N_USERS, N_PLACES)
    assert people.timetable.shape == (N_USERS, 7, N_BLOCKS)
    assert set(np.unique(people.timetable)) <= set(range(N_PLACES))
    np.testing.assert_allclose(people.liking.sum(axis=1), 1.0)
    assert np.all((people.places >= 0) & (people.places < 400))


def test_nights_are_at_home_noons_at_table_and_weekends_without_classes(campus):
    timetable = people_of(campus, 0.5).timetable
    assert np.all(timetable[:, :, [0, -1]] == HOME)
    assert np.mean(timetable[:, :, 3] == MEAL) > 0.99
    taken = (timetable >= FIRST_CLASS) & (timetable < FIRST_CLASS + 3)
    assert taken[:, :5].any()
    # A class meets on weekdays; a place of its number may still be liked at other times.
    assert taken[:, :5].mean() > 2 * taken[:, 5:].mean()


def test_the_more_people_conform_the_more_they_share(campus):
    def shared(conformity: float) -> float:
        """Of each person's own places, those of the most similar other person, on average."""
        own = people_of(campus, conformity).places[:, -N_PERSONAL:]
        alike = (own[:, None, :] == own[None, :, :]).mean(axis=2)
        np.fill_diagonal(alike, 0.0)
        return float(alike.max(axis=1).mean())

    assert shared(0.95) > shared(0.5) > shared(0.05)


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.9])
def test_conformity_has_the_mean_asked_for(mean):
    first, second = beta_around(mean, 4.0)
    assert first / (first + second) == pytest.approx(mean, abs=1e-6)


def test_columns_are_drawn_by_the_shares_of_their_row():
    shares = np.array([[0.2, 0.8, 0.0], [0.0, 0.5, 0.5]])
    rows = np.repeat([0, 1], 20_000)
    drawn = draw_columns(np.random.default_rng(0), shares, rows)
    for row in (0, 1):
        counted = np.bincount(drawn[rows == row], minlength=3) / 20_000
        np.testing.assert_allclose(counted, shares[row], atol=0.015)
