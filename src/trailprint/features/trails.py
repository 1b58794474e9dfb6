"""Trails: the mere set of locations each user was seen at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from trailprint.events.events import Events
from trailprint.features.histograms import Histograms, build_histogram_pair, build_histograms

_WORD = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trails:
    """
    Users × locations, one bit each.

    Attributes
    ----------
    bits : ndarray of uint64, shape (n_users, ceil(n_locations / 64))
        Bit ``k % 64`` of word ``k // 64`` says whether the user was at location ``k``.
    users, locations : pyarrow.Array of string
        What rows and bits stand for, sorted.
    """

    bits: NDArray[np.uint64]
    users: pa.Array
    locations: pa.Array

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(self.users)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many locations each user was seen at."""
        counts: NDArray[np.int64] = np.bitwise_count(self.bits).sum(axis=1, dtype=np.int64)
        return counts

    def to_matrix(self) -> sparse.csr_array:
        """The same as a sparse matrix of booleans."""
        unpacked = np.unpackbits(self.bits.view(np.uint8), axis=1, bitorder="little")
        return sparse.csr_array(unpacked[:, : len(self.locations)].astype(bool))


def trails_of(histograms: Histograms) -> Trails:
    """The trails behind histograms: where a count, in whatever slot, is above zero."""
    matrix = histograms.matrix
    n_words = -(-max(len(histograms.locations), 1) // _WORD)
    bits = np.zeros((histograms.n_users, n_words), dtype=np.uint64)
    rows = np.repeat(np.arange(histograms.n_users), np.diff(matrix.indptr))
    location = matrix.indices % max(len(histograms.locations), 1)
    bit = np.left_shift(np.uint64(1), (location % _WORD).astype(np.uint64))
    np.bitwise_or.at(bits, (rows, location // _WORD), bit)
    return Trails(bits=bits, users=histograms.users, locations=histograms.locations)


def build_trails(events: Events) -> Trails:
    """The trails of one dataset."""
    return trails_of(build_histograms(events))


def build_trail_pair(released: Events, auxiliary: Events) -> tuple[Trails, Trails]:
    """The trails of both sides, over one list of locations."""
    first, second = build_histogram_pair(released, auxiliary)
    return trails_of(first), trails_of(second)
