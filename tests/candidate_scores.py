"""Scores of a few candidates as a matrix."""

from __future__ import annotations

from dataclasses import dataclass

from trailprint.arrays import Floats, Ints


@dataclass(frozen=True)
class DenseScores:
    """Scores of all pairs, auxiliary × released."""

    matrix: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Number of auxiliary and of released records."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def rows(self, auxiliary: Ints) -> Floats:
        """Return the scores for these auxiliary rows."""
        return self.matrix[auxiliary]
