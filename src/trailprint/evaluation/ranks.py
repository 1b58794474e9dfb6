"""Ranks of the true counterparts: how long a candidate list must be to contain them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np

from trailprint.arrays import Ints
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCurve:
    """
    How often the true counterpart is among the best ``k`` candidates.

    A rank counts the candidates that fit better and all that fit equally well, the true one
    included: the length of a list that is certain to contain it (the 2011 paper's MSCIS).

    Attributes
    ----------
    people : int
        People ranked: those with a counterpart.
    median : float, optional
        Median rank; None without people.
    points : tuple of (int, float)
        ``k``, and the share of people whose rank is at most ``k``.
    """

    people: int
    median: float | None
    points: tuple[tuple[int, float], ...]


def measure_ranks(linkage: Linkage, truth: Truth) -> RankCurve:
    """
    Measure the rank of every true pair in an attack.

    A pair that is unknown to the attack ranks last. If an attack looks up auxiliary records, the
    candidates are released records, and there may be more of them.
    """
    found = linkage.rank(truth.released, truth.auxiliary)
    ranks = found.n_better + found.n_tied
    return rank_curve(ranks, int(max(linkage.n_auxiliary, ranks.max(initial=0))))


def rank_curve(ranks: Ints, n_candidates: int) -> RankCurve:
    """Summarise known ranks; ``n_candidates`` is the length of the longest list."""
    if not len(ranks):
        return RankCurve(people=0, median=None, points=())
    steps = _list_lengths(n_candidates)
    n_within = np.searchsorted(np.sort(ranks), steps, side="right")
    return RankCurve(
        people=len(ranks),
        median=float(np.median(ranks)),
        points=tuple((k, int(n) / len(ranks)) for k, n in zip(steps, n_within, strict=True)),
    )


def _list_lengths(n_candidates: int) -> list[int]:
    """List lengths 1, 2, 3, 5, 10, 20, 50, 100, …, and finally all candidates."""
    steps = [1, 2, 3, 5]
    for power in count(1):
        if steps[-1] >= n_candidates:
            break
        steps += [factor * 10**power for factor in (1, 2, 5)]
    return [k for k in steps if k < n_candidates] + [max(n_candidates, 1)]
