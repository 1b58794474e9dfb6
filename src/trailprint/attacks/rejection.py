"""
Match or no match: the test with rejection of the 2013 paper, Theorem 3.3, for any lengths.

A string of n letters over |Z| locations has one of C(n + |Z| - 1, |Z| - 1) types, at most
(n + 1)^|Z|. Under a matching H and any sources, a collection of types has a probability of at most
2^-W(H), where W is the sum over its links of the likelihood's weight in bits. A wrong match is
reported only if the true matching is no better than the second best. So the probability of
reporting one is at most the number of collections times 2^-(the least W of a second best that is
accepted).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import gammaln

from trailprint.arrays import Floats
from trailprint.attacks.options import RejectionOptions
from trailprint.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """
    Decision whether to accept the best matching.

    ``no-match`` when the second-best matching fits too well: its weight, in bits per observation,
    is below ``threshold_bits`` = λ − penalty, or λ + penalty with ``reject_certainly``. A threshold
    of zero or less never rejects (``vacuous``). The penalty is 2K|Z| log₂(n+1)/n if all strings
    have the same length n; otherwise it is the binary logarithm of the number of collections of
    types, divided by the mean length.
    """

    decision: Literal["match", "no-match"]
    second_best_bits: float
    threshold_bits: float
    penalty_bits: float
    vacuous: bool


def decide(
    second_best_weight: float, n_users: int, n_locations: int, options: RejectionOptions
) -> Rejection:
    """Apply the test; ``second_best_weight`` is in nats, like all Jensen–Shannon weights here."""
    if options.string_length is None:
        raise InputError("A test of one length needs to know it: name string_length.")
    n = options.string_length
    penalty = 2 * n_users * n_locations * math.log2(n + 1) / n
    return _compare(second_best_weight / math.log(2), penalty, options)


def decide_by_lengths(
    second_best_weight: float,
    lengths: Sequence[Floats],
    n_locations: int,
    options: RejectionOptions,
) -> Rejection:
    """
    Apply the test to strings of different lengths.

    ``second_best_weight`` is in nats, under the metric ``likelihood``; ``lengths`` are the numbers
    of observations of the users of both sides.
    """
    everybody = np.concatenate([np.asarray(side, dtype=np.float64) for side in lengths])
    observations = everybody[everybody > 0]
    mean = float(observations.mean())
    penalty = float(count_types_bits(observations, n_locations).sum()) / mean
    return _compare(second_best_weight / math.log(2) / mean, penalty, options)


def count_types_bits(lengths: Floats, n_locations: int) -> Floats:
    """Return the binary logarithm of C(n + |Z| - 1, |Z| - 1) for each length n."""
    rest = n_locations - 1
    bits: Floats = gammaln(lengths + rest + 1) - gammaln(lengths + 1) - math.lgamma(rest + 1)
    return bits / math.log(2)


def _compare(bits: float, penalty: float, options: RejectionOptions) -> Rejection:
    threshold = options.reject_lambda + (penalty if options.reject_certainly else -penalty)
    return Rejection(
        decision="no-match" if bits < threshold else "match",
        second_best_bits=bits,
        threshold_bits=threshold,
        penalty_bits=penalty,
        vacuous=threshold <= 0,
    )
