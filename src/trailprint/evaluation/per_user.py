"""How likely each person's link is to be right: an attack's confidence, calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage

#: Fewer links than this say too little of how often their like are right.
LEAST_LINKS = 20
#: More groups than this show nothing that a reader could see.
MOST_GROUPS = 200

MEANING = (
    "The estimated probability that the strongest attack links this person's record correctly: "
    "how often links as confident as theirs are right. People an attack does not link count as 0."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskBin:
    """How many people run a risk between two ends."""

    low: float
    high: float
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskSpread:
    """How the risk is spread over people."""

    bins: tuple[RiskBin, ...]
    meaning: str


def estimate_user_risk(linkage: Linkage, truth: Truth) -> Floats:
    """
    Estimate for each person with a counterpart the probability that their link is right.

    Links of such people are put in order of confidence and cut into groups of at least
    `LEAST_LINKS`, equal confidences together. The share of right links of a group, made never to
    fall as confidence grows (isotonic regression, weighted by size), is the risk of its members.
    People without a link have risk zero. Where no record is linked twice, the mean over all
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
    # A record looked up from the other side may be linked more than once: each link counts.
    shares = _calibrate(linkage.confidence[own], correct_links(linkage, truth)[own])
    np.add.at(risk, people[own], shares)
    return np.minimum(risk, 1.0)


def _calibrate(confidence: Floats, right: NDArray[np.bool_]) -> Floats:
    """For each link the share of right ones among its like; grows with confidence."""
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
    """Numbers of groups along sorted confidences; ties stay together, no group is too small."""
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
    """The least confidence at which links are estimated to be right so often; None if none is."""
    sure = _calibrate(confidence, right) >= probability
    return float(confidence[sure].min()) if sure.any() else None


def highest_risk(risks: Sequence[Floats]) -> Floats:
    """Each person's highest risk over several attacks, given for the same people."""
    highest: Floats = np.max(np.stack(risks), axis=0)
    return highest


def distribute_risk(risk: Floats, n_bins: int = 10) -> RiskSpread:
    """Count people by risk, in equal bins from 0 to 1; the last includes 1."""
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    people = np.histogram(risk, bins=edges)[0]
    bins = (
        RiskBin(low=round(float(low), 12), high=round(float(high), 12), people=int(n))
        for low, high, n in zip(edges[:-1], edges[1:], people, strict=True)
    )
    return RiskSpread(bins=tuple(bins), meaning=MEANING)
