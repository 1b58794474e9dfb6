"""Match or no match: the test with rejection of the 2013 paper, Theorem 3.3."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from trailprint.arguments import check_fields
from trailprint.errors import OptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectionOptions:
    """
    The error exponent wanted and the length of the strings behind the histograms.

    Attributes
    ----------
    reject_lambda : float
        λ in bits: the probability of a wrong match shall fall as 2^(−λn).
    string_length : int
        n, how many observations each histogram stands for.
    """

    reject_lambda: float
    string_length: int

    def __post_init__(self) -> None:
        check_fields(self)
        if not (self.reject_lambda > 0 and math.isfinite(self.reject_lambda)):
            raise OptionError(
                f"--reject-lambda must be a positive number of bits, got {self.reject_lambda}."
            )
        if self.string_length < 1:
            raise OptionError(
                f"--string-length must be at least 1 observation, got {self.string_length}."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """
    Whether the best matching is to be believed.

    ``no-match`` when the second-best matching fits too well: its weight, in bits, is below
    ``threshold_bits`` = λ − 2K|Z| log₂(n+1)/n. A threshold of zero or less never rejects:
    ``vacuous``.
    """

    decision: Literal["match", "no-match"]
    second_best_bits: float
    threshold_bits: float
    penalty_bits: float
    vacuous: bool


def decide(
    second_best_weight: float, n_users: int, n_locations: int, options: RejectionOptions
) -> Rejection:
    """Apply the test; ``second_best_weight`` is in nats, as all Jensen–Shannon weights here."""
    n = options.string_length
    penalty = 2 * n_users * n_locations * math.log2(n + 1) / n
    threshold = options.reject_lambda - penalty
    bits = second_best_weight / math.log(2)
    return Rejection(
        decision="no-match" if bits < threshold else "match",
        second_best_bits=bits,
        threshold_bits=threshold,
        penalty_bits=penalty,
        vacuous=threshold <= 0,
    )
