"""Distances between days and between points against the definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.distances import mean_day_distances as days_by_definition
from tests.oracles.distances import nearest_distances as points_by_definition
from tests.oracles.shapes import to_csr

from trailprint.kernels.csr import transpose_csr
from trailprint.kernels.distances.days import Days, DaysByColumn, mean_day_distances
from trailprint.kernels.distances.points import WeightedPoints, nearest_distances

N_COLUMNS = 5


def make_people(rng, n, width):
    """People with none to three rows of numbers each, many of them zero."""
    return [rng.integers(0, 3, (rng.integers(0, 4), width)).astype(float) for _ in range(n)]


def firsts(people):
    return np.cumsum([0, *map(len, people)]).astype(np.int64)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 6), m=st.integers(1, 6))
def test_mean_distances_between_days(seed, n, m):
    rng = np.random.default_rng(seed)
    own, other = make_people(rng, n, N_COLUMNS), make_people(rng, m, N_COLUMNS)
    mine = np.vstack([np.empty((0, N_COLUMNS)), *own])
    theirs = np.vstack([np.empty((0, N_COLUMNS)), *other])
    ptr, day, value = transpose_csr(*to_csr(theirs), N_COLUMNS)
    by_column = DaysByColumn(ptr, day, value, firsts(other), (theirs**2).sum(1))
    people = rng.permutation(n)
    found = mean_day_distances(Days(*to_csr(mine), firsts(own)), people, by_column)
    np.testing.assert_allclose(found, days_by_definition(own, other)[people], atol=1e-6)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 6), m=st.integers(1, 6))
def test_mean_distances_to_the_nearest_point(seed, n, m):
    rng = np.random.default_rng(seed)

    def with_weights(people):
        weights = [rng.random(len(p)) + 0.1 for p in people]
        return [(p, w / w.sum()) for p, w in zip(people, weights, strict=True)]

    own, other = with_weights(make_people(rng, n, 3)), with_weights(make_people(rng, m, 3))

    def as_points(people):
        places = np.vstack([np.empty((0, 3)), *[p for p, _ in people]])
        weights = np.concatenate([np.empty(0), *[w for _, w in people]])
        return WeightedPoints(firsts([p for p, _ in people]), places, weights)

    people = rng.permutation(n)
    found = nearest_distances(as_points(own), people, as_points(other))
    np.testing.assert_allclose(found, points_by_definition(own, other)[people], atol=1e-9)
