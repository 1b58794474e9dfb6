"""Calibration of an attack's confidence: how likely each person's link is to be correct."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage
from trailprint.values import Count, Share

#: Minimum number of links in a group, to estimate how often its links are correct.
LEAST_LINKS = 20
#: Maximum number of groups; more would not be visible to a reader.
MOST_GROUPS = 200

MEANING = (
    "The estimated probability that the strongest attack links this person's record correctly: "
    "how often links as confident as theirs are right. People an attack does not link count as 0."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskBin:
    """Number of people with a risk between ``low`` and ``high``."""

    low: Share
    high: Share
    people: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskSpread:
    """Distribution of the risk over people."""

    bins: tuple[RiskBin, ...]
    meaning: str


def estimate_user_risk(linkage: Linkage, truth: Truth) -> Floats:
    """
    Estimate for each person with a counterpart the probability that their link is correct.

    Links of these people are sorted by confidence and divided into groups of at least
    `LEAST_LINKS`, with equal confidences in the same group. The risk of a group's members is its
    share of correct links, made non-decreasing in confidence (isotonic regression, weighted by
    size). People without a link have risk zero. If no record is linked twice, the mean over all
    people is the attack's accuracy.

    Returns
    -------
    ndarray of float64
        One risk for each pair of ``truth``, in its order.
    """
    risk = np.zeros(truth.n_common)
    last = max(truth.released.max(initial=-1), linkage.released.max(initial=-1))
    place = np.full(int(last) + 1, -1)
    place[truth.released] = np.arange(truth.n_common)
    people = place[linkage.released]
    own = people >= 0
    # If auxiliary records are looked up, a released one may have several links: each counts.
    shares = _calibrate(linkage.confidence[own], correct_links(linkage, truth)[own])
    np.add.at(risk, people[own], shares)
    return np.minimum(risk, 1.0)


def _calibrate(confidence: Floats, right: NDArray[np.bool_]) -> Floats:
    """Share of correct links in the group of each link; non-decreasing in confidence."""
    if not len(confidence):
        return np.zeros(0)
    from scipy.optimize import isotonic_regression

    order = np.argsort(confidence, kind="stable")
    group = np.empty(len(order), dtype=np.int64)
    group[order] = _group_alike(confidence[order])
    sizes = np.bincount(group)
    shares = np.bincount(group, weights=right) / sizes
    fitted = isotonic_regression(shares, weights=sizes.astype(np.float64)).x
    return np.asarray(np.clip(fitted, 0.0, 1.0)[group], dtype=np.float64)


def _group_alike(confidence: Floats) -> Ints:
    """Group numbers of sorted confidences; ties stay together, and no group is too small."""
    n_links = len(confidence)
    size = max(LEAST_LINKS, -(-n_links // MOST_GROUPS))
    starts = np.append(np.flatnonzero(np.diff(confidence, prepend=-np.inf) > 0), n_links)
    cuts = [0]
    while n_links - cuts[-1] >= 2 * size:
        cut = int(starts[np.searchsorted(starts, cuts[-1] + size)])
        if n_links - cut < size:
            break
        cuts.append(cut)
    return np.searchsorted(np.array(cuts), np.arange(n_links), side="right") - 1


def confidence_for(
    confidence: Floats, right: NDArray[np.bool_], probability: float
) -> float | None:
    """The least confidence with an estimated share of correct links >= ``probability``, or None."""
    sure = _calibrate(confidence, right) >= probability
    return float(confidence[sure].min()) if sure.any() else None


def distribute_risk(risk: Floats, n_bins: int = 10) -> RiskSpread:
    """Count people by risk in equal bins from 0 to 1; the last bin includes 1."""
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    people = np.histogram(risk, bins=edges)[0]
    bins = (
        RiskBin(low=round(float(low), 12), high=round(float(high), 12), people=int(n))
        for low, high, n in zip(edges[:-1], edges[1:], people, strict=True)
    )
    return RiskSpread(bins=tuple(bins), meaning=MEANING)
