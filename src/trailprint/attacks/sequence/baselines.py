"""
Simpler comparisons of sequences, as baselines that show what the order of visits adds.

Each scores all released users for auxiliary ones (higher is better) and computes only the
requested rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import sparse

from trailprint.arrays import Floats, Ints
from trailprint.attacks.matching import to_arrays
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.features.histograms import Histograms
from trailprint.features.sequences import NA, Sequences
from trailprint.kernels.distances.days import Days, DaysByColumn, mean_day_distances
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.lookup import dense_gains
from trailprint.kernels.matching.metrics import METRICS

#: Additive smoothing of a chain: the pseudocount of each change of place.
SMOOTHING = 0.1
HistogramWeight = Literal["visits", "duration"]


@dataclass(frozen=True, slots=True, eq=False)
class DistanceScores:
    """
    Negated mean distance between the days of two people (2011, section 6).

    The Euclidean distance between the time vectors of an auxiliary and a released day, averaged
    over all pairs of days. A row costs the auxiliary user's days times all released days.
    """

    released: DaysByColumn
    auxiliary: Days

    @property
    def shape(self) -> tuple[int, int]:
        """Number of auxiliary and of released users."""
        return len(self.auxiliary.first) - 1, len(self.released.first) - 1

    def rows(self, auxiliary: Ints) -> Floats:
        """Return the scores of all released users for these auxiliary ones."""
        return -mean_day_distances(self.auxiliary, auxiliary, self.released)


def score_distance(released: Sequences, auxiliary: Sequences) -> DistanceScores:
    """Score by the 2011 paper's own baseline: distances between daily time vectors."""
    seconds, first = _time_vectors(released)
    squared = np.asarray(seconds.multiply(seconds).sum(axis=1), dtype=np.float64).reshape(-1)
    by_location = DaysByColumn(*to_arrays(seconds.T.tocsr()), first, squared)
    own, own_first = _time_vectors(auxiliary)
    return DistanceScores(by_location, Days(*to_arrays(own), own_first))


def _time_vectors(sequences: Sequences) -> tuple[sparse.csr_array, Ints]:
    """Return seconds at each location, one row per user and day, and each user's first row."""
    starts = sequences.day_starts() if sequences.n_visits else np.zeros(1, dtype=np.int64)
    day = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    shape = (len(starts) - 1, len(sequences.locations))
    seconds = _count(day, sequences.location, sequences.duration_s, shape)
    owner = sequences.user[starts[:-1]]
    first = np.searchsorted(owner, np.arange(len(sequences.users) + 1)).astype(np.int64)
    return seconds, first


@dataclass(frozen=True, slots=True, eq=False)
class MarkovScores(Discreet):
    """
    Log likelihood of the auxiliary user's days under each released user's chain.

    With n(a, b) the released user's changes from a to b, n(a) those from a, K locations and the
    smoothing s, the score is the sum of ln (n(a, b) + s) / (n(a) + s K) over the auxiliary user's
    changes; the first visit of a day is a change from nowhere. A row costs two sparse products.
    """

    changes: sparse.csr_array
    origins: sparse.csr_array
    gain: sparse.csr_array
    loss: sparse.csr_array
    n_locations: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of auxiliary and of released users."""
        return self.changes.shape[0], self.gain.shape[1]

    def rows(self, auxiliary: Ints) -> Floats:
        """Return the log likelihoods for these auxiliary users."""
        gain = (self.changes[auxiliary] @ self.gain).toarray()
        loss = (self.origins[auxiliary] @ self.loss).toarray()
        n_changes = np.asarray(self.changes[auxiliary].sum(axis=1), dtype=np.float64).reshape(-1, 1)
        scores: Floats = gain - loss - n_changes * math.log(max(self.n_locations, 1))
        return scores


def score_markov(
    released: Sequences, auxiliary: Sequences, smoothing: float = SMOOTHING
) -> MarkovScores:
    """Score by a smoothed first-order Markov chain per released user over the given locations."""
    if not smoothing > 0 or not math.isfinite(smoothing):
        raise OptionError(f"smoothing must be a positive number, got {smoothing!r} instead.")
    n_locations = len(auxiliary.locations)
    own, other = _changes(auxiliary), _changes(released)
    # Only changes that the auxiliary side makes can add to a score.
    kinds, column = np.unique(own, return_inverse=True)
    place = np.minimum(np.searchsorted(kinds, other), max(len(kinds) - 1, 0))
    known = np.flatnonzero(kinds[place] == other) if len(kinds) else np.empty(0, dtype=np.int64)
    shape = (len(kinds), len(released.users))
    seen = _count(place[known], released.user[known], None, shape)
    from_there = _count(
        released.previous - NA, released.user, None, (n_locations + 1, len(released.users))
    )
    seen.data = np.log1p(seen.data / smoothing)
    from_there.data = np.log1p(from_there.data / (smoothing * n_locations))
    users = len(auxiliary.users)
    return MarkovScores(
        changes=_count(auxiliary.user, column, None, (users, len(kinds))),
        origins=_count(auxiliary.user, auxiliary.previous - NA, None, (users, n_locations + 1)),
        gain=seen,
        loss=from_there,
        n_locations=n_locations,
    )


def _changes(sequences: Sequences) -> Ints:
    """Return a code for each visit: the previous and the current location."""
    changes: Ints = (sequences.previous - NA) * len(sequences.locations) + sequences.location
    return changes


@dataclass(frozen=True, slots=True, eq=False)
class HistogramScores(Discreet):
    """The histogram attack's gains (Jensen–Shannon), for each auxiliary user independently."""

    released: sparse.csr_array
    auxiliary: sparse.csr_array

    @property
    def shape(self) -> tuple[int, int]:
        """Number of auxiliary and of released users."""
        return self.auxiliary.shape[0], self.released.shape[0]

    def rows(self, auxiliary: Ints) -> Floats:
        """Return the gains of all released users with these auxiliary ones."""
        sides = to_arrays(self.auxiliary[auxiliary]), to_arrays(self.released)
        join = build_join(*sides, self.released.shape[1], METRICS["jensen-shannon"])
        return dense_gains(join)


def score_histogram(
    released: Sequences, auxiliary: Sequences, weight: HistogramWeight = "visits"
) -> HistogramScores:
    """Score the similarity of two users' shares of visits or of time, ignoring their order."""
    if weight not in get_args(HistogramWeight):
        raise OptionError(
            f"weight must be one of {', '.join(get_args(HistogramWeight))}, got {weight!r} instead."
        )
    return HistogramScores(_shares(released, weight), _shares(auxiliary, weight))


def _shares(sequences: Sequences, weight: HistogramWeight) -> sparse.csr_array:
    # As elsewhere, one second is added so that visits of zero length count.
    amount = None if weight == "visits" else sequences.duration_s + 1.0
    shape = (len(sequences.users), len(sequences.locations))
    matrix = _count(sequences.user, sequences.location, amount, shape)
    whole = Histograms(matrix=matrix, users=sequences.users, locations=sequences.locations)
    return whole.scaled(METRICS["jensen-shannon"].scaling)


def _count(
    row: Ints, column: Ints, amount: Floats | None, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return a sparse matrix of how often, or how much, each pair occurs."""
    values = np.ones(len(row)) if amount is None else amount
    matrix = sparse.coo_array((values, (row, column)), shape=shape).tocsr()
    matrix.sum_duplicates()
    return matrix
