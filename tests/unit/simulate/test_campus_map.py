"""The map of a simulated campus: names, neighbours, and draws by popularity."""

from __future__ import annotations

import numpy as np
import pytest

from trailprint.simulate.campus_map import HALL, SHARED, draw_map


@pytest.fixture(scope="module")
def campus():
    return draw_map(np.random.default_rng(3), 3200)


def test_access_points_are_as_many_as_asked_for_and_have_names_of_their_own(campus):
    names = campus.names()
    assert len(set(names)) == len(names) == 3200
    assert names[0] == "1.1.1"
    assert campus.popularity.sum() == pytest.approx(1.0)


def test_a_neighbour_is_on_the_same_floor_and_alone_only_where_nobody_else_is(campus):
    other = campus.neighbour
    assert np.array_equal(campus.building[other], campus.building)
    assert np.array_equal(campus.floor[other], campus.floor)
    floors = campus.building * 1000 + campus.floor
    _, place, count = np.unique(floors, return_inverse=True, return_counts=True)
    assert np.array_equal(other == np.arange(3200), count[place] == 1)


def test_draws_stay_in_their_quarter_and_kind(campus):
    assert campus.n_quarters > 1
    quarters = np.random.default_rng(0).integers(0, campus.n_quarters, 4000)
    random = np.random.default_rng(1)
    for kind in (None, HALL, SHARED):
        drawn = campus.draw(random, quarters, kind)
        assert np.array_equal(campus.quarter[drawn], quarters)
        assert kind is None or set(campus.kind[drawn]) == {kind}


def test_what_is_popular_is_drawn_as_often_as_that(campus):
    own = campus.quarter == 0
    share = campus.popularity[own] / campus.popularity[own].sum()
    drawn = campus.draw(np.random.default_rng(5), np.zeros(40_000, dtype=np.int64))
    often = np.argsort(-share)[:5]
    counted = np.bincount(drawn, minlength=3200)[np.flatnonzero(own)[often]] / 40_000
    np.testing.assert_allclose(counted, share[often], atol=0.01)


def test_a_campus_without_a_kind_offers_everything():
    tiny = draw_map(np.random.default_rng(0), 3)
    drawn = tiny.draw(np.random.default_rng(0), np.zeros(50, dtype=np.int64), HALL)
    assert set(drawn) <= {0, 1, 2}
