"""Singling out within the release: people with the same trace, places or top places."""

from __future__ import annotations

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.features.histograms import Histograms
from trailprint.features.points import Points, rank_places, top_places
from trailprint.kernels.csr import label_equal_rows

#: Numbers of most visited places that are compared.
TOPS = (1, 2, 3)


def find_sharing(points: Points) -> dict[str, Ints]:
    """
    Count for each person the people with the same places or top places, themselves included.

    ``points`` are places. ``places`` compares the whole sets of places; ``top-2`` the two most
    visited ones, in any order.
    """
    ones = np.ones(len(points.keys))
    found = {"places": count_equal(points.indptr, points.keys, ones)}
    rank = rank_places(points)
    for n_places in TOPS:
        indptr, keys = top_places(points, n_places, rank)
        found[f"top-{n_places}"] = count_equal(indptr, keys, np.ones(len(keys)))
    return found


def find_same_trace(points: Points) -> Ints:
    """Count for each person the people with exactly the same points and counts."""
    return count_equal(points.indptr, points.keys, points.counts.astype(np.float64))


def places_of(histograms: Histograms) -> Points:
    """Return the places behind histograms; ``counts`` are ranks of the released values."""
    matrix = histograms.matrix
    order = np.unique(matrix.data, return_inverse=True)[1] + 1
    return Points(
        indptr=matrix.indptr.astype(np.int64),
        keys=matrix.indices.astype(np.int32),
        counts=order.astype(np.int64),
        key_place=np.arange(matrix.shape[1], dtype=np.int32),
        key_time=np.zeros(matrix.shape[1], np.int32),
        users=histograms.users,
        locations=histograms.locations,
    )


def count_equal(indptr: Ints, keys: Indices, values: Floats) -> Ints:
    """Count for each row the rows equal to it; empty rows are equal to each other."""
    labels = label_equal_rows(indptr, keys, values)
    labels = np.where(labels < 0, labels.max(initial=-1) + 1, labels)
    counts: Ints = np.bincount(labels)[labels].astype(np.int64)
    return counts
