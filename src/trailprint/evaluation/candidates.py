"""
Sizes of candidate sets: how far an attack narrows a person down (2011, section 6).

The minimum size of the candidate identifier set (MSCIS) of an auxiliary record is the number of
released candidates whose score is no smaller than that of the true one. Ties count in full, so a
set of this size is certain to contain the true candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.display.discreet import Discreet
from trailprint.errors import InputError
from trailprint.evaluation.intervals import mean_interval, wilson
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage

#: Sizes of candidate sets that are reported.
TOP = (1, 2, 5, 20)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateSets(Discreet):
    """
    The MSCIS of every auxiliary record that has a counterpart.

    Attributes
    ----------
    mscis : ndarray of int64
        One size for each true pair.
    n_candidates : int
        Number of released records to choose from.
    """

    mscis: NDArray[np.int64]
    n_candidates: int

    @property
    def n_records(self) -> int:
        """Number of records that were looked up."""
        return len(self.mscis)

    @property
    def median(self) -> float | None:
        """The median size."""
        return float(np.median(self.mscis)) if self.n_records else None

    @property
    def chance(self) -> float | None:
        """Probability that a single candidate drawn at random is the true one."""
        return 1 / self.n_candidates if self.n_candidates else None

    def n_within(self, size: int) -> int:
        """Number of records with at most this many candidates."""
        return int(np.count_nonzero(self.mscis <= size))

    def top(self, size: int) -> float | None:
        """The share of records with at most this many candidates."""
        return self.n_within(size) / self.n_records if self.n_records else None

    def top_interval(self, size: int) -> tuple[float, float] | None:
        """Wilson's 95 % interval for that share."""
        return wilson(self.n_within(size), self.n_records)


def measure_candidates(linkage: Linkage, truth: Truth) -> CandidateSets | None:
    """Measure the candidate sets of all true pairs; None without a truth."""
    if truth.source == "none":
        return None
    if linkage.ranked_among != "released":
        raise InputError("Candidate sets need an attack that ranks released candidates.")
    ranks = linkage.rank(truth.released, truth.auxiliary)
    return CandidateSets(mscis=ranks.n_better + ranks.n_tied, n_candidates=linkage.n_released)


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageSets:
    """
    Candidate sets averaged over rounds.

    Attributes
    ----------
    top, top_interval : dict
        By size, the mean share and its 95 % interval: Student's over the rounds, but not narrower
        than Wilson's for all records looked up (with one round, just Wilson's).
    mscis_median, chance : float, optional
        Means of the medians and chances of the rounds.
    """

    top: dict[int, float | None]
    top_interval: dict[int, tuple[float, float] | None]
    mscis_median: float | None
    chance: float | None


def average_sets(rounds: Sequence[CandidateSets], sizes: Sequence[int] = TOP) -> AverageSets:
    """Average over the rounds in which at least one record was looked up."""
    filled = [sets for sets in rounds if sets.n_records]
    if not filled:
        nothing = dict.fromkeys(sizes)
        return AverageSets(top=nothing, top_interval=nothing, mscis_median=None, chance=None)
    shares = {k: np.array([sets.n_within(k) / sets.n_records for sets in filled]) for k in sizes}
    return AverageSets(
        top={k: float(share.mean()) for k, share in shares.items()},
        top_interval={k: _interval(filled, k, share) for k, share in shares.items()},
        mscis_median=float(np.mean([np.median(sets.mscis) for sets in filled])),
        chance=float(np.mean([1 / sets.n_candidates for sets in filled])),
    )


def _interval(
    rounds: Sequence[CandidateSets], size: int, shares: NDArray[np.float64]
) -> tuple[float, float] | None:
    """Student's interval, no narrower than Wilson's: rounds may agree by chance."""
    pooled = wilson(
        sum(sets.n_within(size) for sets in rounds), sum(sets.n_records for sets in rounds)
    )
    if pooled is None:
        return None
    low, high = mean_interval(shares)
    return max(0.0, min(low, pooled[0])), min(1.0, max(high, pooled[1]))
