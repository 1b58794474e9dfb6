"""Where the right counterparts stand: how long a list of candidates must be to hold them."""

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
    How often the right counterpart is among the best ``k`` candidates.

    A rank counts the candidates that fit better and all that fit equally well, the right one
    included: a list that is sure to hold them must be that long (the 2011 paper's MSCIS).

    Attributes
    ----------
    people : int
        People ranked: those with a counterpart.
    median : float, optional
        The rank that half of the people do not exceed; None where there is nobody.
    points : tuple of (int, float)
        ``k``, and the share of people whose rank is at most ``k``.
    """

    people: int
    median: float | None
    points: tuple[tuple[int, float], ...]


def measure_ranks(linkage: Linkage, truth: Truth) -> RankCurve:
    """
    Ask an attack where every true pair stands.

    A pair that the attack knows nothing of comes last. Where an attack looks up auxiliary
    records, the candidates are released ones, and there may be more of them.
    """
    found = linkage.rank(truth.released, truth.auxiliary)
    ranks = found.n_better + found.n_tied
    return rank_curve(ranks, int(max(linkage.n_auxiliary, ranks.max(initial=0))))


def rank_curve(ranks: Ints, n_candidates: int) -> RankCurve:
    """Summarise ranks that are already known; ``n_candidates`` is the longest list there is."""
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
    """1, 2, 3, 5, 10, 20, 50, 100, … and at last all candidates."""
    steps = [1, 2, 3, 5]
    for power in count(1):
        if steps[-1] >= n_candidates:
            break
        steps += [factor * 10**power for factor in (1, 2, 5)]
    return [k for k in steps if k < n_candidates] + [max(n_candidates, 1)]
