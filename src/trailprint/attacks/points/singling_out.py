"""Singling out in the release itself: who has the same trace, places or top places."""

from __future__ import annotations

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.features.histograms import Histograms
from trailprint.features.points import Points, rank_places, top_places
from trailprint.kernels.csr import label_equal_rows

#: How many of the most visited places are compared.
TOPS = (1, 2, 3)


def find_sharing(points: Points) -> dict[str, Ints]:
    """
    For each person, how many people share what they have, themselves included.

    ``points`` are places. People with the same set of places share ``places``; ``top-2`` are the
    two most visited ones, in whatever order.
    """
    ones = np.ones(len(points.keys))
    found = {"places": count_equal(points.indptr, points.keys, ones)}
    rank = rank_places(points)
    for n_places in TOPS:
        indptr, keys = top_places(points, n_places, rank)
        found[f"top-{n_places}"] = count_equal(indptr, keys, np.ones(len(keys)))
    return found


def find_same_trace(points: Points) -> Ints:
    """For each person, how many people have exactly the same points, as often."""
    return count_equal(points.indptr, points.keys, points.counts.astype(np.float64))


def places_of(histograms: Histograms) -> Points:
    """The places behind histograms, most visited first where shares were released."""
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
    """For each row, how many rows equal it; empty rows equal each other."""
    labels = label_equal_rows(indptr, keys, values)
    labels = np.where(labels < 0, labels.max(initial=-1) + 1, labels)
    counts: Ints = np.bincount(labels)[labels].astype(np.int64)
    return counts
