"""Slots without events: how many there are, and that added columns hold what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from trailprint.attacks.slots import add_allowances, count_empty_slots
from trailprint.kernels.matching.metrics import METRICS


def matrix(rows: list[list[float]]) -> sparse.csr_array:
    return sparse.csr_array(np.array(rows, dtype=np.float64))


def test_a_slot_is_empty_where_none_of_its_locations_was_visited():
    # Two slots of three locations each.
    rows = matrix([[1, 0, 0, 0, 0, 2], [0, 0, 0, 0, 4, 0], [0, 0, 0, 0, 0, 0]])
    assert count_empty_slots(rows, 2).tolist() == [0, 1, 2]
    assert count_empty_slots(rows, 1).tolist() == [0, 0, 1]


@pytest.mark.parametrize("name", ["l1", "cosine"])
def test_every_pair_shares_what_its_empty_slots_allow(name):
    sides = matrix([[1, 0], [0, 1]]), matrix([[0, 1], [1, 0], [1, 0]])
    empty = np.array([0, 2]), np.array([1, 0, 2])
    first, second = (side.toarray() for side in add_allowances(sides, empty, METRICS[name]))
    own, other = first[:, 2:], second[:, 2:]
    if name == "cosine":
        gained = own @ other.T
    else:
        gained = 2 * np.minimum(own[:, None, :], other[None, :, :]).sum(axis=2)
    scale = 0.5 if name == "cosine" else 1.0
    assert np.allclose(gained, scale * (empty[0][:, None] + empty[1][None, :]))


def test_where_no_slot_is_empty_nothing_is_added():
    sides = matrix([[1, 1]]), matrix([[1, 1]])
    nobody = np.array([0]), np.array([0])
    assert [side.shape for side in add_allowances(sides, nobody, METRICS["l1"])] == [(1, 2)] * 2
