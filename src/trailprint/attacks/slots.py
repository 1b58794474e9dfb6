"""
Slots without events: their cost, and how it is passed to the kernels.

By the metrics' definitions a slot that is empty on both sides costs nothing, and one that is empty
on one side costs half the constant: ‖p − 0‖₁ is 1, and the Jensen–Shannon weight of p and 0 is
ln 2. So the weight of two users is the constant of all slots, minus their gain, minus half a slot's
constant for every empty slot of either. These **allowances** belong to users, not to pairs: if all
users are linked they do not change the matching.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from trailprint.arrays import Ints
from trailprint.kernels.matching.metrics import PRODUCT, Metric

Matrices = tuple[sparse.csr_array, sparse.csr_array]


def count_empty_slots(matrix: sparse.csr_array, n_slots: int) -> Ints:
    """
    Count each user's empty slots.

    Column ``s * n_locations + k`` of the matrix is location ``k`` in slot ``s``.
    """
    n_users, n_columns = matrix.shape
    rows = np.repeat(np.arange(n_users), np.diff(matrix.indptr))
    seen = np.zeros((n_users, n_slots), dtype=bool)
    seen[rows, matrix.indices // max(n_columns // n_slots, 1)] = True
    n_empty: Ints = n_slots - seen.sum(axis=1)
    return n_empty


def add_allowances(matrices: Matrices, empty: tuple[Ints, Ints], metric: Metric) -> Matrices:
    """
    Add columns whose terms are the users' allowances, so that a gain includes them.

    For every number n of empty slots there is one column, shared by the users of one side with that
    number and all users of the other, with values whose term is n half-constants. All pairs then
    overlap: use this only where allowances affect who is linked.
    """
    first, second = ([matrices[0]], [matrices[1]])
    for own, other, n_empty in ((first, second, empty[0]), (second, first, empty[1])):
        for n in np.unique(n_empty[n_empty > 0]):
            value = np.sqrt(n / 2) if metric.term == PRODUCT else n / 2
            own.append(sparse.csr_array((n_empty == n)[:, None] * value))
            other.append(sparse.csr_array(np.full((other[0].shape[0], 1), value)))
    return _side_by_side(first), _side_by_side(second)


def _side_by_side(blocks: list[sparse.csr_array]) -> sparse.csr_array:
    return sparse.csr_array(sparse.hstack(blocks, format="csr"))
