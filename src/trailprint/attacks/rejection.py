"""Match or no match: the test with rejection of the 2013 paper, Theorem 3.3."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from trailprint.attacks.options import RejectionOptions


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
