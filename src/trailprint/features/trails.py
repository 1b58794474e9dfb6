"""Trails: the set of locations each user was seen at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from trailprint.display.discreet import Discreet
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms, build_histogram_pair, build_histograms
from trailprint.kernels.bits import pack_bits
from trailprint.kernels.csr import row_starts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trails(Discreet):
    """
    Users × locations, as a boolean sparse matrix.

    Attributes
    ----------
    indptr, indices : ndarray
        User ``i`` was at the locations ``indices[indptr[i]:indptr[i + 1]]``, ascending.
    users, locations : pyarrow.Array of string
        Ids of rows and of location numbers, sorted.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    users: pa.Array
    locations: pa.Array

    def _shown(self) -> dict[str, object]:
        return {
            "users": self.n_users,
            "locations": len(self.locations),
            "visits": len(self.indices),
        }

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.users)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of locations each user was seen at; zero is a null trail."""
        return np.diff(self.indptr)

    @property
    def n_null(self) -> int:
        """Number of users with a null trail."""
        return int(np.count_nonzero(self.lengths == 0))

    @property
    def visitors(self) -> NDArray[np.int64]:
        """Number of users seen at each location."""
        return np.bincount(self.indices, minlength=len(self.locations)).astype(np.int64)

    @property
    def bits(self) -> NDArray[np.uint64]:
        """One row of 64-bit words per user: bit ``k % 64`` of word ``k // 64`` is location k."""
        packed: NDArray[np.uint64] = pack_bits(
            self.indptr, self.indices, max(len(self.locations), 1)
        )
        return packed

    def to_matrix(self) -> sparse.csr_array:
        """The trails as a sparse boolean matrix."""
        shape = (self.n_users, len(self.locations))
        ones = np.ones(len(self.indices), dtype=bool)
        return sparse.csr_array((ones, self.indices, self.indptr), shape=shape)

    def select(self, rows: NDArray[np.int64]) -> Trails:
        """Some of the users, in the order given."""
        chosen = self.to_matrix()[rows]
        chosen.sort_indices()
        return Trails(
            indptr=chosen.indptr.astype(np.int64),
            indices=chosen.indices.astype(np.int32),
            users=self.users.take(pa.array(rows)),
            locations=self.locations,
        )

    def keep(self, visits: NDArray[np.bool_]) -> Trails:
        """Some of the visits, given one flag per entry of ``indices``; trails may become null."""
        rows = np.repeat(np.arange(self.n_users), self.lengths)
        counts = np.bincount(rows[visits], minlength=self.n_users)
        return Trails(
            indptr=row_starts(counts),
            indices=self.indices[visits],
            users=self.users,
            locations=self.locations,
        )

    def at(self, locations: NDArray[np.bool_]) -> Trails:
        """Only the visits to some of the locations, which keep their numbers."""
        return self.keep(locations[self.indices])


def trails_of(histograms: Histograms) -> Trails:
    """The trails of histograms: locations with a positive count in any slot."""
    n_locations = len(histograms.locations)
    matrix = histograms.matrix
    if len(histograms.slots) > 1:
        shape = (histograms.n_users, n_locations)
        places = (matrix.data, matrix.indices % n_locations, matrix.indptr)
        # A copy, because sum_duplicates works in place and must not change the histograms.
        matrix = sparse.csr_array(places, shape=shape, copy=True)
        matrix.sum_duplicates()
    return Trails(
        indptr=matrix.indptr.astype(np.int64),
        indices=matrix.indices.astype(np.int32),
        users=histograms.users,
        locations=histograms.locations,
    )


def shared_trails(released: Histograms, auxiliary: Histograms) -> tuple[Trails, Trails]:
    """Both sides' trails, limited to locations that occur on both sides."""
    first, second = trails_of(released), trails_of(auxiliary)
    shared = (first.visitors > 0) & (second.visitors > 0)
    return first.at(shared), second.at(shared)


def build_trails(events: Events) -> Trails:
    """The trails of one dataset."""
    return trails_of(build_histograms(events))


def build_trail_pair(released: Events, auxiliary: Events) -> tuple[Trails, Trails]:
    """The trails of both sides, over a shared list of locations."""
    first, second = build_histogram_pair(released, auxiliary)
    return trails_of(first), trails_of(second)
