"""Comparison of two rates: of the same people (paired) or of different people (unpaired)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from scipy import optimize
from scipy.special import bdtr

from trailprint.evaluation.intervals import wilson

Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCounts:
    """How many of the same people are found by both of two attacks, by only one, or by neither."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def people(self) -> int:
        """Number of people on whom both attacks were tried."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def difference(self) -> float:
        """The second rate minus the first."""
        return (self.only_second - self.only_first) / self.people


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """
    McNemar's exact test: the two-sided p-value of equal rates among the same people.

    If the rates are equal, each person found by only one attack is equally likely to be found by
    either: a binomial test with probability one half.
    """
    n_changed = only_first + only_second
    if n_changed == 0:
        return 1.0
    tail = bdtr(min(only_first, only_second), n_changed, 0.5)
    return float(min(1.0, 2.0 * tail))


def highest_p_value(first: int, second: int, people: int) -> float:
    """
    The largest p-value of `mcnemar_exact` that two totals of the same people allow.

    Given the totals, the p-value is largest if as few people as possible are found by both.
    """
    both = max(0, first + second - people)
    return mcnemar_exact(first - both, second - both)


def tango_interval(counts: PairedCounts, level: float = 0.95) -> Span:
    """
    Tango's score interval (1998) for the second rate minus the first, of the same people.

    It contains the differences that the score test does not reject, and remains usable if no one
    or everyone changed.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = counts.difference

    def reach(difference: float, sign: float) -> float:
        return sign * _score(counts, difference) - z

    low, high = -1.0, 1.0
    if reach(low, 1.0) > 0 and middle > low:
        low = float(optimize.brentq(reach, low, middle, args=(1.0,), xtol=1e-12))
    if reach(high, -1.0) > 0 and middle < high:
        high = float(optimize.brentq(reach, middle, high, args=(-1.0,), xtol=1e-12))
    return low, high


def _score(counts: PairedCounts, difference: float) -> float:
    """Tango's score statistic of a difference; positive if the observed difference is larger."""
    n, gained, lost = counts.people, counts.only_second, counts.only_first
    observed = gained - lost - n * difference
    a = 2.0 * n
    b = -gained - lost + (2.0 * n - gained + lost) * difference
    c = -lost * difference * (1.0 - difference)
    # Maximum-likelihood share of people lost, given this difference.
    share = (math.sqrt(max(b * b - 4.0 * a * c, 0.0)) - b) / (2.0 * a)
    variance = n * (2.0 * share + difference * (1.0 - difference))
    if variance <= 0.0:
        return 0.0 if observed == 0 else math.copysign(math.inf, observed)
    return observed / math.sqrt(variance)


def newcombe_interval(
    first: int, n_first: int, second: int, n_second: int, level: float = 0.95
) -> Span:
    """Newcombe's interval (1998, method 10) for the second rate minus the first, unpaired."""
    low_1, high_1 = wilson(first, n_first, level) or (0.0, 1.0)
    low_2, high_2 = wilson(second, n_second, level) or (0.0, 1.0)
    rate_1, rate_2 = first / n_first, second / n_second
    below = math.hypot(rate_2 - low_2, high_1 - rate_1)
    above = math.hypot(high_2 - rate_2, rate_1 - low_1)
    middle = rate_2 - rate_1
    return middle - below, middle + above
