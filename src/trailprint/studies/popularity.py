"""Popularity of locations: rank, frequency and a generalised Zipf law (section 4.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from trailprint.features.trails import Trails


@dataclass(frozen=True, slots=True, kw_only=True)
class ZipfFit:
    """
    Zipf law: the r-th most visited location has about ``scale * r ** -exponent`` visitors.

    ``correlation`` is between observed and expected logarithms, over the ``n_locations`` most
    visited locations. With fewer than three locations or a single frequency, the other three are
    None.
    """

    exponent: float | None
    scale: float | None
    correlation: float | None
    n_locations: int


def rank_frequency(trails: Trails) -> pa.Table:
    """Return a table of the number of visitors of each location, most visited first."""
    visitors = np.sort(trails.visitors)[::-1]
    return pa.table({"rank": np.arange(1, len(visitors) + 1), "visitors": visitors})


def fit_zipf(trails: Trails, n_top: int = 100) -> ZipfFit:
    """Fit the law to the ``n_top`` most visited locations by least squares on logarithms."""
    visitors = np.sort(trails.visitors)[::-1][:n_top]
    visitors = visitors[visitors > 0]
    if len(visitors) < 3 or visitors[0] == visitors[-1]:
        return ZipfFit(exponent=None, scale=None, correlation=None, n_locations=len(visitors))
    log_rank = np.log(np.arange(1, len(visitors) + 1))
    log_visitors = np.log(visitors)
    slope, intercept = np.polyfit(log_rank, log_visitors, 1)
    expected = intercept + slope * log_rank
    return ZipfFit(
        exponent=float(-slope),
        scale=math.exp(float(intercept)),
        correlation=float(np.corrcoef(log_visitors, expected)[0, 1]),
        n_locations=len(visitors),
    )
