"""Micro-aggregation as its authors wrote it down, on dense matrices."""

from __future__ import annotations

import numpy as np
from tests.oracles.distances import row_distance
from tests.oracles.shapes import Dense

from trailprint.arrays import Ints

Groups = set[frozenset[int]]
Offer = tuple[float, list[int]]


def grouping_loss(matrix: Dense, group: Ints, *, squared: bool = False) -> float:
    """The 2016 paper's (11), literally."""
    moved = sum(
        row_distance(matrix[group == g], matrix[group == g].mean(axis=0), squared=squared).sum()
        for g in np.unique(group)
    )
    return float(moved / row_distance(matrix, matrix.mean(axis=0), squared=squared).sum())


def group_by_mdav(matrix: Dense, k: int, *, squared: bool) -> Groups:
    """MDAV as Domingo-Ferrer and Torra wrote it down."""
    left, groups = list(range(len(matrix))), []

    def farthest(point: Dense) -> int:
        return left[int(np.argmax(row_distance(matrix[left], point, squared=squared)))]

    def take_around(row: int) -> None:
        away = row_distance(matrix[left], matrix[row], squared=squared)
        members = [left[i] for i in np.argsort(away, kind="stable")[:k]]
        groups.append(members)
        for member in members:
            left.remove(member)

    while len(left) >= 3 * k:
        first = farthest(matrix[left].mean(axis=0))
        take_around(first)
        take_around(farthest(matrix[first]))
    if len(left) >= 2 * k:
        take_around(farthest(matrix[left].mean(axis=0)))
    groups.append(left)
    return {frozenset(group) for group in groups if group}


def select_groups(matrix: Dense, k: int, *, squared: bool) -> tuple[Groups, set[int]]:
    """
    Groups selected one after another, and the rows that no group was left for.

    Several rows may offer one group: it has one cost, and the first of these rows has the say.
    """
    worth = row_distance(matrix, matrix.mean(axis=0), squared=squared)
    left, groups = set(range(len(matrix))), []

    def offer(row: int) -> Offer | None:
        others = [i for i in sorted(left) if i != row and (matrix[i] * matrix[row]).any()]
        if len(others) < k - 1:
            return None
        away = {i: float(row_distance(matrix[i], matrix[row], squared=squared)) for i in others}
        own = sorted([row, *sorted(others, key=away.__getitem__)[: k - 1]])
        cost = row_distance(matrix[own], matrix[own].mean(axis=0), squared=squared).sum()
        return float(cost - worth[own].sum()), own

    offers = {row: offer(row) for row in left}
    while standing := [(one[0], row) for row, one in offers.items() if one and row in left]:
        row = min(standing)[1]
        best = offers[row]
        if best is not None and left.issuperset(best[1]):
            groups.append(best[1])
            left.difference_update(best[1])
        else:
            offers[row] = offer(row)
    return {frozenset(group) for group in groups}, left
