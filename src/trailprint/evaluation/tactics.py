"""How tracks were really released, told from the truth: the assumptions REIDIT rests on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.evaluation.truth import Truth
from trailprint.features.trails import Trails


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedTactics:
    """
    What the trails of true pairs look like.

    Attributes
    ----------
    pairs, equal : int
        True pairs with a trail on both sides, and those whose trails are equal.
    identified_within, deidentified_within : int
        Pairs whose identified trail lies within the de-identified one, and the other way round;
        equal trails count in both.
    neither : int
        Pairs in which each side has a location the other lacks.
    identified_alone, deidentified_alone : int
        Records with a trail that have no counterpart with one.
    """

    pairs: int
    equal: int
    identified_within: int
    deidentified_within: int
    neither: int
    identified_alone: int
    deidentified_alone: int

    @property
    def holds(self) -> dict[str, bool]:
        """Which release tactics the data satisfies."""
        return {
            "none": self.equal == self.pairs
            and self.identified_alone == 0
            and self.deidentified_alone == 0,
            "identified": self.identified_within == self.pairs and self.identified_alone == 0,
            "deidentified": self.deidentified_within == self.pairs and self.deidentified_alone == 0,
        }


def observe_tactics(deidentified: Trails, identified: Trails, truth: Truth) -> ObservedTactics:
    """Compare the trails of every true pair."""
    has_both = (deidentified.lengths[truth.released] > 0) & (
        identified.lengths[truth.auxiliary] > 0
    )
    rows, columns = truth.released[has_both], truth.auxiliary[has_both]
    shared = _shared_locations(deidentified, identified, rows, columns)
    within = shared == identified.lengths[columns]
    holding = shared == deidentified.lengths[rows]
    return ObservedTactics(
        pairs=len(rows),
        equal=int(np.count_nonzero(within & holding)),
        identified_within=int(np.count_nonzero(within)),
        deidentified_within=int(np.count_nonzero(holding)),
        neither=int(np.count_nonzero(~within & ~holding)),
        identified_alone=int(np.count_nonzero(identified.lengths)) - len(np.unique(columns)),
        deidentified_alone=int(np.count_nonzero(deidentified.lengths)) - len(np.unique(rows)),
    )


def _shared_locations(
    deidentified: Trails, identified: Trails, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """How many locations the two trails of each pair have in common."""
    left = deidentified.to_matrix()[rows]
    right = identified.to_matrix()[columns]
    common = left.astype(np.int64).multiply(right.astype(np.int64))
    return np.asarray(common.sum(axis=1)).reshape(-1)
