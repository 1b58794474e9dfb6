"""Distances between people's days, points and rows, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog
from tests.oracles.shapes import Dense

from trailprint.arrays import Floats


def mean_day_distances(own: Sequence[Dense], other: Sequence[Dense]) -> Floats:
    """Mean Euclidean distance between all days of two people; infinite where one has none."""
    out = np.full((len(own), len(other)), np.inf)
    for i, mine in enumerate(own):
        for j, theirs in enumerate(other):
            if len(mine) and len(theirs):
                out[i, j] = np.mean([np.linalg.norm(a - b) for a in mine for b in theirs])
    return out


def nearest_distances(
    own: Sequence[tuple[Dense, Dense]], other: Sequence[tuple[Dense, Dense]]
) -> Floats:
    """Weighted mean distance to the other's nearest point, averaged over both ways."""
    out = np.full((len(own), len(other)), np.inf)
    for i, (mine, my_weight) in enumerate(own):
        for j, (theirs, their_weight) in enumerate(other):
            if len(mine) and len(theirs):
                apart = np.linalg.norm(mine[:, None] - theirs[None], axis=-1)
                there, back = my_weight @ apart.min(1), their_weight @ apart.min(0)
                out[i, j] = (there + back) / 2
    return out


def transport_gain(p: Dense, q: Dense, near: Dense) -> float:
    """The most nearness that a plan of transport from p to q can have, by linear programming."""
    n, m = near.shape
    leaves = np.kron(np.eye(n), np.ones(m))
    arrives = np.kron(np.ones(n), np.eye(m))
    limits = np.concatenate((p, q))
    found = linprog(-near.ravel(), A_ub=np.vstack((leaves, arrives)), b_ub=limits)
    return -float(found.fun)


def great_circle_m(a: Sequence[float], b: Sequence[float]) -> float:
    """Metres between two places given in degrees, by the haversine formula."""
    (lat, lon), (other_lat, other_lon) = np.radians(a), np.radians(b)
    half = np.sin((lat - other_lat) / 2) ** 2
    half += np.cos(lat) * np.cos(other_lat) * np.sin((lon - other_lon) / 2) ** 2
    return float(2 * 6_371_008.8 * np.arcsin(np.sqrt(half)))


def row_distance(a: Dense, b: Dense, *, squared: bool) -> Floats:
    """l1, or Euclidean squared, along the last axis."""
    return np.asarray(((a - b) ** 2 if squared else np.abs(a - b)).sum(axis=-1))
