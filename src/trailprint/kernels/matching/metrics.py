"""The metrics, each defined by a term per shared location and a constant.

``weight = constant - gain`` and ``gain = base(totals) + sum of term(p, q)`` over the locations
that both histograms contain. A new metric is one line of `METRICS`, plus a branch of `term_value`
if its term is new.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats
from trailprint.kernels.compiling import njit

LOG_SUM = 0
"""``(p+q) ln(p+q) - p ln p - q ln q``"""
TWICE_MINIMUM = 1
"""``2 min(p, q)``"""
PRODUCT = 2
"""``p q``"""

TINY = 1e-300
"""Least term of a shared location, so that an overlapping pair never has gain zero."""


class Metric(NamedTuple):
    """Definition of a metric for the kernels.

    ``scaling`` says how a caller must scale each row (per slot): ``"sum"`` to total one,
    ``"norm"`` to Euclidean length one, ``"none"`` for raw counts. ``constant`` is the weight of
    two histograms that share nothing, per slot; if ``uses_totals``, it depends on the pair's
    totals, and gains are measured from `largest_constant`.
    """

    name: str
    term: int
    scaling: str
    constant: float
    uses_totals: bool


METRICS: dict[str, Metric] = {
    "jensen-shannon": Metric("jensen-shannon", LOG_SUM, "sum", 2.0 * math.log(2.0), False),
    "l1": Metric("l1", TWICE_MINIMUM, "sum", 2.0, False),
    "cosine": Metric("cosine", PRODUCT, "norm", 1.0, False),
    "dot": Metric("dot", PRODUCT, "sum", 1.0, False),
    "likelihood": Metric("likelihood", LOG_SUM, "none", 0.0, True),
}


def x_log_x(x: Floats) -> Floats:
    """Return ``x ln x`` with ``0 ln 0 = 0``."""
    positive = x > 0
    logs: Floats = np.log(np.where(positive, x, 1.0))
    return np.where(positive, x * logs, 0.0)


def pair_constant(row_total: Floats, col_total: Floats) -> Floats:
    """Return the likelihood weight of pairs that share nothing, by their totals."""
    return x_log_x(row_total + col_total) - x_log_x(row_total) - x_log_x(col_total)


def largest_constant(row_total: Floats, col_total: Floats) -> float:
    """Return the greatest pair constant, that of the largest totals: it grows with either one."""
    if row_total.size == 0 or col_total.size == 0:
        return 0.0
    return float(pair_constant(row_total.max(keepdims=True), col_total.max(keepdims=True))[0])


@njit(cache=True, nogil=True)
def pair_base(constant: float, m: float, n: float) -> float:
    """Return ``constant - c(m, n)``, the gain of a pair with totals m, n that shares nothing.

    Meaning: zero or more, zero for the largest totals. Shapes: scalars. Cost: three logarithms.
    """
    c = (m + n) * math.log(m + n) - m * math.log(m) - n * math.log(n)
    return max(0.0, constant - c)


@njit(cache=True, nogil=True)
def term_value(term: int, p: float, q: float, p_log_p: float, q_log_q: float) -> float:
    """Return the term of one shared location, never less than `TINY`.

    Meaning: ``term`` is one of the codes above. Shapes: scalars. Cost: at most one logarithm.
    """
    if term == LOG_SUM:
        t = (p + q) * math.log(p + q) - p_log_p - q_log_q
    elif term == TWICE_MINIMUM:
        t = 2.0 * min(p, q)
    else:
        t = p * q
    return max(t, TINY)
