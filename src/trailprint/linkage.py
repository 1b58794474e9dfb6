"""The result of every attack: which records it links, and how confident it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.display.discreet import Discreet


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranks(Discreet):
    """
    Ranks of given pairs among all candidates of one of their two records.

    `Linkage.ranked_among` says which of the two.

    ``n_better`` candidates fit strictly better; ``n_tied`` fit equally well, including the pair.
    """

    n_better: Ints
    n_tied: Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linkage(Discreet):
    """
    Links between released and auxiliary records, as row numbers.

    Attributes
    ----------
    released, auxiliary : ndarray of int64
        The two ends of each link, in the order of the released rows.
    weight : ndarray of float64
        Distance of the two records; lower is better.
    confidence : ndarray of float64
        Higher is more confident; comparable within one linkage only.
    confidence_is_least : ndarray of bool
        Where the search for the confidence stopped early, so that the value is a lower bound.
    n_released, n_auxiliary : int
        Number of records with data on each side.
    rank : callable
        ``rank(released, auxiliary)`` returns the ranks of given pairs, computed on demand.
    facts : mapping
        Facts that the attack reports about its result: gaps, rounds, totals.
    seconds : mapping
        Duration of the parts of the attack.
    prices : ndarray of float64, optional
        Price of each auxiliary record in the matching, for a warm start of a similar problem.
    ranked_among : {"auxiliary", "released"}
        The side of the candidates in ``rank``: by default all auxiliary candidates of the pair's
        released record; ``released`` if the attack looks up auxiliary records.
    """

    released: Ints
    auxiliary: Ints
    weight: Floats
    confidence: Floats
    confidence_is_least: NDArray[np.bool_]
    n_released: int
    n_auxiliary: int
    rank: Callable[[Ints, Ints], Ranks]
    facts: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    prices: Floats | None = None
    ranked_among: Literal["auxiliary", "released"] = "auxiliary"

    def _shown(self) -> dict[str, object]:
        return {
            "links": self.n_links,
            "released": self.n_released,
            "auxiliary": self.n_auxiliary,
        }

    @property
    def n_links(self) -> int:
        """Number of links."""
        return len(self.released)
