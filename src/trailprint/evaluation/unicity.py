"""Shares from candidate counts: unicity, worst case, and how many people share a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.attacks.points.drawn import CandidateCounts
from trailprint.evaluation.intervals import wilson

#: Shares of people with fewer candidates than these, the person included, are reported.
FEW = (2, 5, 10, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unicity:
    """
    What randomly drawn points reveal.

    Attributes
    ----------
    points : int
        Number of known points.
    share : float
        Share, over people and draws, of points that no one else matches.
    interval : tuple of float
        Wilson's 95 % interval of the share over people.
    candidates_mean, candidates_median : float
        Number of people who match the points, the person included.
    fewer_than : mapping
        Share of people with fewer than 2, 5, 10, 20 candidates.
    people, shorter : int
        People whose points were drawn; those of them who have fewer points, all of them known.
    """

    points: int
    share: float
    interval: tuple[float, float]
    candidates_mean: float
    candidates_median: float
    fewer_than: Mapping[int, float]
    people: int
    shorter: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstPoints:
    """
    What the most revealing points reveal.

    Attributes
    ----------
    k : int
        Number of known points.
    mean_risk : float
        Mean over people of 1 / candidates.
    share_at_one : float
        Share of people whom some choice of ``k`` points singles out (risk 1).
    interval : tuple of float
        Wilson's 95 % interval of ``share_at_one`` over people.
    candidates_median : float
        Median over people of the smallest number of candidates that any choice leaves.
    fewer_than : mapping
        Share of people with fewer than 2, 5, 10, 20 candidates.
    seconds : float
        Run time.
    """

    k: int
    mean_risk: float
    share_at_one: float
    interval: tuple[float, float]
    candidates_median: float
    fewer_than: Mapping[int, float]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """How many of ``people`` share a person's trace, set of places or top places in a release."""

    what: str
    people: int
    unique_share: float
    interval: tuple[float, float]
    sharing_median: float
    fewer_than: Mapping[int, float]


def measure_unicity(counts: CandidateCounts) -> tuple[Unicity, ...]:
    """Measure what each number of points reveals."""
    return tuple(_measure_one(counts, place, number) for place, number in enumerate(counts.points))


def _measure_one(counts: CandidateCounts, place: int, number: int) -> Unicity:
    tally = counts.tallies[place]
    share = float(tally[1] / tally.sum())
    return Unicity(
        points=number,
        share=share,
        interval=_interval(share, counts.n_targets),
        candidates_mean=float(tally @ np.arange(len(tally)) / tally.sum()),
        candidates_median=_median(tally),
        fewer_than={few: float(tally[:few].sum() / tally.sum()) for few in FEW},
        people=counts.n_targets,
        shorter=counts.n_shorter[place],
    )


def measure_worst(k: int, fewest: NDArray[np.integer], seconds: float) -> WorstPoints:
    """Measure what the most revealing ``k`` points reveal."""
    share = float(np.mean(fewest == 1))
    return WorstPoints(
        k=k,
        mean_risk=float(np.mean(1.0 / fewest)),
        share_at_one=share,
        interval=_interval(share, len(fewest)),
        candidates_median=float(np.median(fewest)),
        fewer_than={few: float(np.mean(fewest < few)) for few in FEW},
        seconds=seconds,
    )


def measure_sharing(what: str, counts: Ints) -> Sharing:
    """Summarise ``counts``: for each person, how many people share the same."""
    share = float(np.mean(counts == 1))
    return Sharing(
        what=what,
        people=len(counts),
        unique_share=share,
        interval=_interval(share, len(counts)),
        sharing_median=float(np.median(counts)),
        fewer_than={few: float(np.mean(counts < few)) for few in FEW},
    )


def _interval(share: float, n_people: int) -> tuple[float, float]:
    found = wilson(share * n_people, n_people)
    if found is None:
        raise ValueError("there are people")
    return found


def _median(tally: Ints) -> float:
    """Median of values, where ``tally[v]`` is how often v occurs."""
    half, total = np.cumsum(tally), int(tally.sum())
    low = np.searchsorted(half, (total + 1) // 2)
    high = np.searchsorted(half, total // 2 + 1)
    return float(low + high) / 2
