"""
How far an attack narrows a person down: the sizes of candidate sets (2011, section 6).

The minimum size of the candidate identifier set (MSCIS) of an auxiliary record is the number of
released candidates whose score is no smaller than that of the true one. Ties count in full, so it
says how many candidates must be looked at for sure.
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

#: The sizes of candidate sets that are reported.
TOP = (1, 2, 5, 20)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateSets(Discreet):
    """
    The MSCIS of every auxiliary record that has a counterpart.

    Attributes
    ----------
    mscis : ndarray of int64
        One for each true pair.
    n_candidates : int
        How many released records there are to choose from.
    """

    mscis: NDArray[np.int64]
    n_candidates: int

    @property
    def n_records(self) -> int:
        """How many records were looked up."""
        return len(self.mscis)

    @property
    def median(self) -> float | None:
        """The median size."""
        return float(np.median(self.mscis)) if self.n_records else None

    @property
    def chance(self) -> float | None:
        """How often the only candidate would be right if it were drawn at random."""
        return 1 / self.n_candidates if self.n_candidates else None

    def n_within(self, size: int) -> int:
        """How many records have at most this many candidates."""
        return int(np.count_nonzero(self.mscis <= size))

    def top(self, size: int) -> float | None:
        """The share of records with at most this many candidates."""
        return self.n_within(size) / self.n_records if self.n_records else None

    def top_interval(self, size: int) -> tuple[float, float] | None:
        """Wilson's 95 % interval for that share."""
        return wilson(self.n_within(size), self.n_records)


def measure_candidates(linkage: Linkage, truth: Truth) -> CandidateSets | None:
    """Ask a linkage where the true pairs stand; None where there is no truth."""
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
        By size: the mean share, and its 95 % interval: Student's over the rounds, but not narrower
        than Wilson's for all who were looked up (of one round only that is left).
    mscis_median, chance : float, optional
        The means of the rounds' medians and chances.
    """

    top: dict[int, float | None]
    top_interval: dict[int, tuple[float, float] | None]
    mscis_median: float | None
    chance: float | None


def average_sets(rounds: Sequence[CandidateSets], sizes: Sequence[int] = TOP) -> AverageSets:
    """Average over those rounds in which somebody was looked up."""
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
    """Rounds that happen to agree must not make a rate look certain."""
    pooled = wilson(
        sum(sets.n_within(size) for sets in rounds), sum(sets.n_records for sets in rounds)
    )
    if pooled is None:
        return None
    low, high = mean_interval(shares)
    return max(0.0, min(low, pooled[0])), min(1.0, max(high, pooled[1]))
