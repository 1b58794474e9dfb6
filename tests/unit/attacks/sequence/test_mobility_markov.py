"""Mobility Markov chains: two people with two places each, by hand; and the definitions."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.distances import nearest_distances

from trailprint.attacks.sequence.mobility_markov import ChainOptions, score_mobility_markov
from trailprint.errors import OptionError
from trailprint.features.places import MobilityChains


def make_chains(people) -> MobilityChains:
    """Chains from users as lists of (x, y, stationary) and {(from, to): transition}."""
    first_place = np.cumsum([0] + [len(places) for places, _ in people])
    first_move = np.cumsum([0] + [len(moves) for _, moves in people])
    moves = [
        (a + first_place[i], b + first_place[i], p)
        for i, (_, ways) in enumerate(people)
        for (a, b), p in sorted(ways.items())
    ]
    places = [place for some, _ in people for place in some]
    return MobilityChains(
        first_place=first_place,
        centre_m=np.array([(x, y, 0.0) for x, y, _ in places]).reshape(-1, 3),
        stationary=np.array([p for _, _, p in places]),
        first_move=first_move,
        origin=np.array([m[0] for m in moves], dtype=np.int64),
        target=np.array([m[1] for m in moves], dtype=np.int64),
        transition=np.array([m[2] for m in moves]),
        users=pa.array([f"u{i}" for i in range(len(people))], pa.string()),
    )


Person = tuple[list[tuple[int, int, float]], dict[tuple[int, int], float]]
TO_AND_FRO = {(0, 1): 1.0, (1, 0): 1.0}
ANN = ([(0, 0, 0.5), (1000, 0, 0.5)], TO_AND_FRO)
BEN = ([(0, 0, 0.75), (0, 4000, 0.25)], TO_AND_FRO)
#: Ann a year later: Ann's places moved a little.
ANN_AGAIN = ([(30, 40, 0.5), (1000, 50, 0.5)], TO_AND_FRO)


def table(released, auxiliary, **options):
    scores = score_mobility_markov(
        make_chains(released), make_chains(auxiliary), ChainOptions(**options)
    )
    return scores.rows(np.arange(scores.shape[0]))


def test_stationary_distance_by_hand():
    found = table([ANN, BEN], [ANN_AGAIN])
    to_ben = 0.5 * 50 + 0.5 * math.dist((1000, 50), (0, 0))
    from_ben = 0.75 * 50 + 0.25 * math.dist((0, 4000), (30, 40))
    np.testing.assert_allclose(found, [[-50.0, -(to_ben + from_ben) / 2]], rtol=1e-9)


def test_transition_distance_by_hand():
    found = table([ANN, BEN], [ANN_AGAIN], distance="transition")
    assert found[0, 0] == pytest.approx(-50.0)
    # Of the two moves each, the better partner: both ends count.
    there = [
        min(math.dist((30, 40, 1000, 50), m), math.dist((1000, 50, 30, 40), m))
        for m in ((0, 0, 0, 4000), (0, 4000, 0, 0))
    ]
    assert there[0] > 1000
    back = 0.5 * math.dist((30, 40, 1000, 50), (0, 0, 0, 4000)) + 0.5 * math.dist(
        (1000, 50, 30, 40), (0, 4000, 0, 0)
    )
    assert found[0, 1] == pytest.approx(-back / math.sqrt(2))


def test_proximity_counts_equal_ranks_that_are_near():
    found = table([ANN, BEN], [ANN_AGAIN], distance="proximity", near_m=100.0)
    np.testing.assert_allclose(found, [[15.0, 10.0]])


def test_proximity_bears_people_without_a_place():
    nowhere: Person = ([], {})
    found = table([nowhere, ANN], [nowhere, ANN], distance="proximity")
    np.testing.assert_allclose(found, [[0.0, 0.0], [0.0, 15.0]])


@pytest.mark.parametrize("distance", ["stationary", "transition", "proximity"])
def test_each_is_nearest_to_herself(distance):
    found = table([ANN, BEN], [BEN, ANN], distance=distance)
    assert found.argmax(axis=1).tolist() == [1, 0]


def test_people_without_a_place_are_ruled_out():
    found = table([ANN, ([], {})], [([], {}), ANN])
    assert np.all(np.isneginf(found[0]))
    assert np.isfinite(found[1, 0])
    assert np.isneginf(found[1, 1])
    assert np.all(np.isneginf(table([([], {})], [ANN])))


def test_a_person_who_never_moves_is_compared_by_their_place():
    alone: Person = ([(0, 0, 1.0)], {})
    found = table([alone, ANN], [alone], distance="transition")
    assert found[0, 0] == 0.0
    assert found[0, 1] == pytest.approx(-1000 / math.sqrt(2))


place = st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000), st.integers(1, 9))
population = st.lists(st.lists(place, min_size=0, max_size=4), min_size=1, max_size=5)


def with_shares(people):
    return [
        ([(x, y, w / sum(p[2] for p in places)) for x, y, w in places], {}) for places in people
    ]


def as_points(people):
    """Places and shares of people without moves."""
    tables = [np.array(places, float).reshape(-1, 3) for places, _ in people]
    return [(one[:, :2], one[:, 2]) for one in tables]


@settings(deadline=None)
@given(population, population)
def test_stationary_distances_equal_the_definition(released, auxiliary):
    released, auxiliary = with_shares(released), with_shares(auxiliary)
    found = table(released, auxiliary)
    expected = nearest_distances(as_points(auxiliary), as_points(released))
    np.testing.assert_allclose(found, -expected, rtol=1e-9, atol=1e-3)


@pytest.mark.parametrize("options", [{"distance": "euclidean"}, {"near_m": 0}])
def test_options_that_break_their_rule(options):
    with pytest.raises(OptionError, match="must be"):
        ChainOptions(**options)
