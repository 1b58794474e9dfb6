"""Confidence intervals of rates and means."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


def wilson(successes: float, trials: int, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's interval for a rate; None without trials."""
    if trials == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate = successes / trials
    middle = rate + z * z / (2 * trials)
    spread = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # At both extremes the formula gives exactly 0 and 1, except for rounding.
    low = 0.0 if successes == 0 else (middle - spread) / scale
    high = 1.0 if successes == trials else (middle + spread) / scale
    return low, high


def mean_interval(values: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """Student's interval for a mean; a single value is returned as both ends."""
    mean = float(values.mean())
    if len(values) < 2:
        return mean, mean
    from scipy.special import stdtrit

    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    reach = float(stdtrit(len(values) - 1, (1 + level) / 2)) * error
    return mean - reach, mean + reach
