"""The naive twin of intervals of paired rates."""

from __future__ import annotations

import math
from typing import Protocol


class Paired(Protocol):
    """People tried twice."""

    @property
    def people(self) -> int: ...

    @property
    def only_first(self) -> int: ...

    @property
    def only_second(self) -> int: ...


def tango_score_by_definition(counts: Paired, difference: float) -> float:
    """How far a difference of paired rates is off, in standard errors at its most likely table."""
    n, gained, lost = counts.people, counts.only_second, counts.only_first
    rest = n - gained - lost

    def unlikely(share: float) -> float:
        chances = (share, share + difference, 1 - 2 * share - difference)
        pairs = zip((lost, gained, rest), chances, strict=True)
        return -sum(k * math.log(max(chance, 1e-300)) for k, chance in pairs if k)

    low, high = max(0.0, -difference), (1 - difference) / 2
    for _ in range(60):  # The likelihood has one top: narrow it down by thirds.
        third = (high - low) / 3
        if unlikely(low + third) < unlikely(high - third):
            high -= third
        else:
            low += third
    share = (low + high) / 2
    variance = n * (2 * share + difference * (1 - difference))
    return (gained - lost - n * difference) / math.sqrt(max(variance, 1e-12))
