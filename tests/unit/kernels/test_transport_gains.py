"""Transport between two histograms is that of a linear program, and half of l1 without reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.distances import great_circle_m, transport_gain

from trailprint.kernels.distances.transport import Ground, nearness, transport_gains

DEGREES = st.tuples(st.floats(47.0, 47.03), st.floats(8.0, 8.04))
COUNTS = st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any)


def on_sphere(places):
    lat, lon = np.radians(np.asarray(places)).T
    return np.column_stack((np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)))


def as_csr(rows):
    matrix = sparse.csr_array(np.asarray(rows))
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data


def shares(counts):
    return np.array([np.divide(row, sum(row)) for row in counts])


@settings(max_examples=40, deadline=None)
@given(
    places=st.lists(DEGREES, min_size=6, max_size=6),
    released=st.lists(COUNTS, min_size=1, max_size=3),
    auxiliary=st.lists(COUNTS, min_size=1, max_size=3),
    reach_m=st.sampled_from([50.0, 700.0, 2_000.0, 50_000.0]),
)
def test_gains_are_those_of_a_linear_program(places, released, auxiliary, reach_m):
    own, other = shares(released), shares(auxiliary)
    near = np.array(
        [[max(0.0, 1 - great_circle_m(a, b) / reach_m) for b in places] for a in places]
    )
    gains = transport_gains(as_csr(own), as_csr(other), Ground(on_sphere(places), reach_m))
    wanted = [[transport_gain(p, q, near) for q in other] for p in own]
    np.testing.assert_allclose(gains, wanted, atol=1e-6)


def test_without_reach_it_is_half_of_l1():
    own, other = shares([[3, 1, 0, 0]]), shares([[1, 1, 2, 0]])
    place = on_sphere([(47, 8), (47.1, 8), (47.2, 8), (47.3, 8)])
    gain = transport_gains(as_csr(own), as_csr(other), Ground(place, 10.0))[0, 0]
    assert 1 - gain == pytest.approx(np.abs(own - other).sum() / 2)


def test_a_place_that_is_not_known_is_near_to_itself_alone():
    place = on_sphere([(47, 8), (47, 8)])
    place[1] = np.nan
    ground = Ground(place, 1_000.0)
    assert [nearness(ground, 1, 1), nearness(ground, 0, 1)] == [1.0, 0.0]
