"""Micro-aggregation as its authors wrote it down, on dense matrices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
from tests.oracles.distances import row_distance
from tests.oracles.shapes import Dense

from trailprint.arrays import Flags, Ints

Groups = set[frozenset[int]]
Offer = tuple[float, list[int]]


def grouping_loss(matrix: Dense, group: Ints, *, squared: bool = False) -> float:
    """The 2016 paper's (11), literally."""
    moved = sum(
        row_distance(matrix[group == g], matrix[group == g].mean(axis=0), squared=squared).sum()
        for g in np.unique(group)
    )
    return float(moved / row_distance(matrix, matrix.mean(axis=0), squared=squared).sum())


def suppression_loss(matrix: Dense, kept: Flags) -> float:
    """The same of leaving out all but some places, one person at a time."""
    shares = matrix / matrix.sum(axis=1, keepdims=True)
    mean = shares.mean(axis=0)
    lost, whole = 0.0, 0.0
    for own in shares:
        to_mean = np.abs(own - mean).sum()
        left = np.where(kept, own, 0.0)
        moved = np.abs(own - left / left.sum()).sum() if left.sum() else np.inf
        lost += min(moved, to_mean)
        whole += to_mean
    return float(lost / whole)


def count_alike(records: Sequence[object], small: int) -> tuple[int, int, int]:
    """The smallest group of equal records, the people, and those in groups below ``small``."""
    sizes = [records.count(record) for record in records]
    return min(sizes, default=0), len(records), sum(size < small for size in sizes)


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


def refine_groups(matrix: Dense, group: Ints, k: int, *, squared: bool) -> Groups:
    """
    Local search on groups by exact costs: rows move or change places, groups split or dissolve.

    A sweep tries all rows and then all groups, each with all groups there were when it began.
    Groups dissolve only if they changed in this sweep or the last; when a sweep takes no step, all
    are tried once more.
    """
    search = _Search(matrix, group, k, squared=squared)
    is_last = False
    for sweep in count(1):
        if search.take_steps(sweep):
            continue
        if is_last:
            return {frozenset(members) for members in search.groups if members}
        is_last, search.changed = True, [sweep] * len(search.groups)
    raise AssertionError


class _Search:
    """Groups as lists of rows, some of them empty, and the sweep that last changed each."""

    LEAST_GAIN = 1e-10

    def __init__(self, matrix: Dense, group: Ints, k: int, *, squared: bool) -> None:
        self.matrix, self.k, self.squared = matrix, k, squared
        self.groups: list[list[int]] = [[] for _ in range(len(matrix) // k + 1)]
        for row, label in enumerate(group):
            self.groups[label].append(row)
        self.most = max(3 * k, max(map(len, self.groups)) + k)
        self.changed = [0] * len(self.groups)

    def distances(self, rows: list[int], point: Dense) -> Dense:
        return row_distance(self.matrix[rows], point, squared=self.squared)

    def mean(self, rows: list[int]) -> Dense:
        return np.asarray(self.matrix[rows].mean(axis=0))

    def cost(self, rows: list[int]) -> float:
        return float(self.distances(rows, self.mean(rows)).sum()) if rows else 0.0

    def take_steps(self, sweep: int) -> int:
        there = [label for label, members in enumerate(self.groups) if members]
        steps = sum(self.improve(row, there, sweep) for row in range(len(self.matrix)))
        steps += sum(self.split(label, sweep) for label in range(len(self.groups)))
        return steps + sum(self.dissolve(label, there, sweep) for label in range(len(self.groups)))

    def improve(self, row: int, there: list[int], sweep: int) -> bool:
        """The move or exchange of a row that lowers the cost most."""
        home = next(label for label, own in enumerate(self.groups) if row in own)
        own = self.groups[home]
        best, least = None, -self.LEAST_GAIN
        for label in there:
            other = self.groups[label]
            if label == home or not other:
                continue
            # Of the other group, only the row that suits this one best by the means is exchanged.
            better = self.distances(other, self.mean(own)) - self.distances(other, self.mean(other))
            guest = other[int(np.argmin(better))]
            swapped = [row if member == guest else member for member in other]
            for after in (
                (_without(own, row), [*other, row]),
                ([*_without(own, row), guest], swapped),
            ):
                change = sum(map(self.cost, after)) - self.cost(own) - self.cost(other)
                if len(after[0]) >= self.k and len(after[1]) <= self.most and change < least:
                    best, least = (label, after), change
        if best is None:
            return False
        self.groups[home], self.groups[best[0]] = best[1]
        self.changed[home] = self.changed[best[0]] = sweep
        return True

    def split(self, label: int, sweep: int) -> bool:
        """The best cut of a large group, along the line between two rows that are far apart."""
        own = self.groups[label]
        if len(own) < 2 * self.k or all(self.groups):
            return False
        first = own[int(np.argmax(self.distances(own, self.mean(own))))]
        to_first = self.distances(own, self.matrix[first])
        to_last = self.distances(own, self.matrix[own[int(np.argmax(to_first))]])
        line = [own[i] for i in np.argsort(to_first - to_last, kind="stable")]
        cuts = [(line[:n], line[n:]) for n in range(self.k, len(line) - self.k + 1)]
        best = min(cuts, key=lambda cut: sum(map(self.cost, cut)))
        if sum(map(self.cost, best)) >= self.cost(own) - self.LEAST_GAIN:
            return False
        empty = self.groups.index([])
        self.groups[label], self.groups[empty] = best
        self.changed[label] = self.changed[empty] = sweep
        return True

    def dissolve(self, label: int, there: list[int], sweep: int) -> bool:
        """Each row of a group in turn joins the group where it costs least, if that lowers it."""
        if not self.groups[label] or self.changed[label] < sweep - 1:
            return False
        after = [list(members) for members in self.groups]
        joined, spent = [], 0.0
        for row in self.groups[label]:
            added = {
                other: self.cost([*after[other], row]) - self.cost(after[other])
                for other in there
                if other != label and 0 < len(after[other]) < self.most
            }
            if not added:
                return False
            joined.append(min(added, key=added.__getitem__))
            spent += added[joined[-1]]
            after[joined[-1]].append(row)
        if spent > self.cost(self.groups[label]) - self.LEAST_GAIN:
            return False
        after[label] = []
        self.groups = after
        for other in joined:
            self.changed[other] = sweep
        return True


def _without(members: list[int], row: int) -> list[int]:
    """A group without one row, whose place the last one takes: dissolving goes by this order."""
    kept = list(members)
    kept[kept.index(row)] = kept[-1]
    return kept[:-1]
