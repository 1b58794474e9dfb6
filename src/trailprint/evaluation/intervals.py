"""How far a rate can be trusted."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's interval for a rate; None when nothing was tried."""
    if trials == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate = successes / trials
    middle = rate + z * z / (2 * trials)
    spread = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # At the ends the formula gives exactly nought and one, but for rounding.
    low = 0.0 if successes == 0 else (middle - spread) / scale
    high = 1.0 if successes == trials else (middle + spread) / scale
    return low, high
