"""Counts of candidates to shares: unicity, worst case, and how many people share what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.attacks.points.drawn import CandidateCounts
from trailprint.evaluation.intervals import wilson

#: Below how many people, the person included, candidates are counted.
FEW = (2, 5, 10, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unicity:
    """
    What some randomly drawn points reveal.

    Attributes
    ----------
    points : int
        How many points are known.
    share : float
        Mean over people and draws: nobody else agrees with the points.
    interval : tuple of float
        Wilson's 95 % interval of the share over people.
    candidates_mean, candidates_median : float
        People who agree with the points, the person included.
    fewer_than : mapping
        Share of people with fewer than 2, 5, 10, 20 candidates.
    people, shorter : int
        People whose points were drawn; those of them with fewer points, who are known entirely.
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
    What the most telling points reveal.

    Attributes
    ----------
    k : int
        How many points are known.
    mean_risk : float
        Mean over people of 1 / candidates.
    share_at_one : float
        People whom some choice of ``k`` points singles out: risk one.
    interval : tuple of float
        Wilson's 95 % interval of ``share_at_one`` over people.
    candidates_median : float
        Over people, of the fewest candidates any choice leaves.
    fewer_than : mapping
        Share of people with fewer than 2, 5, 10, 20 candidates.
    seconds : float
        Time it took.
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
    """How many of ``people`` share each one's trace, set of places or top places in a release."""

    what: str
    people: int
    unique_share: float
    interval: tuple[float, float]
    sharing_median: float
    fewer_than: Mapping[int, float]


def measure_unicity(counts: CandidateCounts) -> tuple[Unicity, ...]:
    """What each number of points reveals."""
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
    """What the most telling ``k`` points reveal."""
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
    """How many share something, over people."""
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
    """The median of values that occur so often."""
    half, total = np.cumsum(tally), int(tally.sum())
    low = np.searchsorted(half, (total + 1) // 2)
    high = np.searchsorted(half, total // 2 + 1)
    return float(low + high) / 2
