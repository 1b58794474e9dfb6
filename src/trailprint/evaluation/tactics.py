"""How tracks were really released, given the truth: the assumptions behind REIDIT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.evaluation.truth import Truth
from trailprint.features.trails import Trails


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedTactics:
    """
    Relations between the trails of true pairs.

    Attributes
    ----------
    pairs, equal : int
        True pairs with a trail on both sides, and those with equal trails.
    auxiliary_within, released_within : int
        Pairs whose auxiliary trail is a subset of the released one, and vice versa;
        equal trails count in both.
    neither : int
        Pairs in which each side has a location that the other lacks.
    auxiliary_alone, released_alone : int
        Records with a trail that have no counterpart with one.
    """

    pairs: int
    equal: int
    auxiliary_within: int
    released_within: int
    neither: int
    auxiliary_alone: int
    released_alone: int

    @property
    def holds(self) -> dict[str, bool]:
        """Which release tactics the data satisfies."""
        return {
            "none": self.equal == self.pairs
            and self.auxiliary_alone == 0
            and self.released_alone == 0,
            "auxiliary": self.auxiliary_within == self.pairs and self.auxiliary_alone == 0,
            "released": self.released_within == self.pairs and self.released_alone == 0,
        }


def observe_tactics(released: Trails, auxiliary: Trails, truth: Truth) -> ObservedTactics:
    """Compare the trails of every true pair."""
    has_both = (released.lengths[truth.released] > 0) & (auxiliary.lengths[truth.auxiliary] > 0)
    rows, columns = truth.released[has_both], truth.auxiliary[has_both]
    shared = _shared_locations(released, auxiliary, rows, columns)
    within = shared == auxiliary.lengths[columns]
    holding = shared == released.lengths[rows]
    return ObservedTactics(
        pairs=len(rows),
        equal=int(np.count_nonzero(within & holding)),
        auxiliary_within=int(np.count_nonzero(within)),
        released_within=int(np.count_nonzero(holding)),
        neither=int(np.count_nonzero(~within & ~holding)),
        auxiliary_alone=int(np.count_nonzero(auxiliary.lengths)) - len(np.unique(columns)),
        released_alone=int(np.count_nonzero(released.lengths)) - len(np.unique(rows)),
    )


def _shared_locations(
    released: Trails, auxiliary: Trails, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Number of locations that the two trails of each pair have in common."""
    left = released.to_matrix()[rows]
    right = auxiliary.to_matrix()[columns]
    common = left.astype(np.int64).multiply(right.astype(np.int64))
    return np.asarray(common.sum(axis=1)).reshape(-1)
