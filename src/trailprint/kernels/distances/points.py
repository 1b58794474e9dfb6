"""Mean distances from each person's points to the nearest points of others, in both directions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.passes import Pass, run_pass


class WeightedPoints(NamedTuple):
    """Weighted points; person ``i`` owns ``first[i]:first[i + 1]``, whose weights sum to one."""

    first: Ints
    place: Floats
    weight: Floats


@njit(cache=True, nogil=True)
def _compare(own: WeightedPoints, i: int, other: WeightedPoints, j: int, nearest: Floats) -> float:
    """Compare two people's points.

    Meaning: the weighted mean distance to the other's nearest point, averaged over both directions.
    Shapes: nearest is scratch for the points of j. Cost: the product of their numbers of points.
    """
    start, stop = other.first[j], other.first[j + 1]
    nearest[: stop - start] = np.inf
    there = 0.0
    for a in range(own.first[i], own.first[i + 1]):
        best = np.inf
        for b in range(start, stop):
            squared = 0.0
            for k in range(own.place.shape[1]):
                step = own.place[a, k] - other.place[b, k]
                squared += step * step
            best = min(best, squared)
            nearest[b - start] = min(nearest[b - start], squared)
        there += own.weight[a] * np.sqrt(best)
    back = 0.0
    for b in range(start, stop):
        back += other.weight[b] * np.sqrt(nearest[b - start])
    return (there + back) / 2.0


@njit(cache=True, nogil=True)
def _fill_rows(
    own: WeightedPoints, people: Ints, other: WeightedPoints, low: int, high: int, out: Floats
) -> None:
    """Fill rows low:high of the distances.

    Meaning: infinite where either person has no points. Shapes: out is people × others. Cost:
    points of the people times all other points.
    """
    most = 0
    for j in range(other.first.size - 1):
        most = max(most, other.first[j + 1] - other.first[j])
    nearest = np.empty(most)
    for r in range(low, high):
        i = people[r]
        for j in range(other.first.size - 1):
            if own.first[i] == own.first[i + 1] or other.first[j] == other.first[j + 1]:
                out[r, j] = np.inf
            else:
                out[r, j] = _compare(own, i, other, j, nearest)


def nearest_distances(
    own: WeightedPoints, people: Ints, other: WeightedPoints, n_threads: int | None = None
) -> Floats:
    """Return the mean distance to the nearest point between ``people`` and all others."""
    out = np.empty((people.size, other.first.size - 1))
    work = (own.first[people + 1] - own.first[people]) * float(other.first[-1])
    run_pass(Pass(_fill_rows, (own, people, other), (), work, out), n_threads)
    return out
