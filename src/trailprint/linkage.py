"""What every attack returns: who it takes for whom, and how sure it is."""

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
    Where given pairs stand among all candidates of one of their two records.

    Which of the two is for the linkage to say: see `Linkage.ranked_among`.

    ``n_better`` candidates fit strictly better; ``n_tied`` fit equally well, the pair included.
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
        How far apart the two are; less is better.
    confidence : ndarray of float64
        More is surer; comparable within one linkage.
    confidence_is_least : ndarray of bool
        Where the search for the confidence stopped early: it is at least this much.
    n_released, n_auxiliary : int
        How many records with data each side has.
    rank : callable
        ``rank(released, auxiliary)`` says where given pairs stand, computed when asked.
    facts : mapping
        What the attack can say of its answer: gaps, rounds, totals.
    seconds : mapping
        How long the parts of the attack took.
    prices : ndarray of float64, optional
        What each auxiliary record is contended for: a similar problem may start from there.
    ranked_among : {"auxiliary", "released"}
        Whose records a pair competes with in ``rank``: by default all auxiliary candidates of its
        released record; the other way round where auxiliary records are looked up.
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
        """How many links there are."""
        return len(self.released)
