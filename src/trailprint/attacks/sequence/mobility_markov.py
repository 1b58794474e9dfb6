"""
Mobility Markov chains (Gambs et al. 2014): people identified by their places and moves.

Each side's chains have their own places, and are compared by the distances between these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.features.places import MobilityChains
from trailprint.kernels.distances.points import WeightedPoints, nearest_distances

ChainDistance = Literal["stationary", "transition", "proximity"]

#: Score for sharing the heaviest place; it halves with each further rank.
_FIRST_RANK = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainOptions:
    """
    How two chains are compared.

    Attributes
    ----------
    distance : {"stationary", "transition", "proximity"}
        ``stationary``: distance in metres from each place to the other chain's nearest, averaged
        with the stationary vector. ``transition``: the same for moves, whose two ends must both be
        near; a chain without moves counts as staying. Both are averaged over the two directions.
        ``proximity``: which places of equal rank by weight are near; earlier ranks count more.
    near_m : float
        Proximity: places within this distance in metres count as the same.
    """

    distance: ChainDistance = "stationary"
    near_m: float = 500.0

    def __post_init__(self) -> None:
        if self.distance not in get_args(ChainDistance):
            raise OptionError(
                f"distance must be one of {', '.join(get_args(ChainDistance))}, "
                f"got {self.distance!r} instead."
            )
        if not (self.near_m > 0 and math.isfinite(self.near_m)):
            raise OptionError(f"near_m must be a positive number, got {self.near_m!r} instead.")


@dataclass(frozen=True, slots=True, eq=False)
class NearestScores:
    """
    Negated mean distance to the other user's nearest point, averaged over both directions.

    A row costs the auxiliary user's points times all released points. Users without points are
    excluded.
    """

    released: WeightedPoints
    auxiliary: WeightedPoints

    @property
    def shape(self) -> tuple[int, int]:
        """Number of auxiliary and of released users."""
        return len(self.auxiliary.first) - 1, len(self.released.first) - 1

    def rows(self, auxiliary: Ints) -> Floats:
        """Return the scores of all released users for these auxiliary ones."""
        return -nearest_distances(self.auxiliary, auxiliary, self.released)


@dataclass(frozen=True, slots=True, eq=False)
class ProximityScores(Discreet):
    """Scores for places that two users share at equal rank; the first rank counts most."""

    released: Floats
    auxiliary: Floats
    near_m: float

    @property
    def shape(self) -> tuple[int, int]:
        """Number of auxiliary and of released users."""
        return len(self.auxiliary), len(self.released)

    def rows(self, auxiliary: Ints) -> Floats:
        """Return the scores of all released users for these auxiliary ones."""
        scores = np.zeros((len(auxiliary), self.shape[1]))
        for rank in range(min(self.released.shape[1], self.auxiliary.shape[1])):
            # A missing place is NaN, and so near no other place.
            apart = _apart(self.auxiliary[auxiliary, rank], self.released[:, rank])
            scores += np.where(apart <= self.near_m, _FIRST_RANK * 0.5**rank, 0.0)
        return scores


def score_mobility_markov(
    released: MobilityChains, auxiliary: MobilityChains, options: ChainOptions | None = None
) -> NearestScores | ProximityScores:
    """Score how similar each auxiliary and released user's chains are; higher is better."""
    options = options or ChainOptions()
    if options.distance == "proximity":
        return ProximityScores(_ranked(released), _ranked(auxiliary), options.near_m)
    points = _places if options.distance == "stationary" else _moves
    return NearestScores(points(released), points(auxiliary))


def _places(chains: MobilityChains) -> WeightedPoints:
    return WeightedPoints(chains.first_place, chains.centre_m, chains.stationary)


def _moves(chains: MobilityChains) -> WeightedPoints:
    """Return moves as 6-d points; a chain without moves gets one from its first place to itself."""
    n_moves, n_places = np.diff(chains.first_move), np.diff(chains.first_place)
    alone = np.flatnonzero((n_moves == 0) & (n_places > 0))
    lone = chains.first_place[alone]
    origin = np.concatenate((chains.origin, lone))
    target = np.concatenate((chains.target, lone))
    weight = np.concatenate(
        (chains.stationary[chains.origin] * chains.transition, np.ones(len(lone)))
    )
    owner = np.searchsorted(chains.first_place, origin, side="right") - 1
    order = np.argsort(owner, kind="stable")
    owner, weight = owner[order], weight[order]
    weight = weight / np.bincount(owner, weight, chains.n_users)[owner]
    # Dividing by √2, two moves whose ends are both d apart are themselves d apart.
    ends = chains.centre_m[origin[order]], chains.centre_m[target[order]]
    first = np.searchsorted(owner, np.arange(chains.n_users + 1)).astype(np.int64)
    return WeightedPoints(first, np.concatenate(ends, axis=1) / math.sqrt(2.0), weight)


def _ranked(chains: MobilityChains, n_ranks: int = 12) -> Floats:
    """Return the heaviest places of each user, users × ranks × 3; NaN for missing ranks."""
    ranked = np.full((chains.n_users, n_ranks, 3), np.nan)
    n_places = np.diff(chains.first_place)
    user = np.repeat(np.arange(chains.n_users), n_places)
    rank = np.arange(len(user)) - chains.first_place[user]
    kept = rank < n_ranks
    ranked[user[kept], rank[kept]] = chains.centre_m[kept]
    return ranked


def _apart(left: Floats, right: Floats) -> Floats:
    """Return the distances between all of ``left`` and all of ``right``."""
    squared = np.zeros((len(left), len(right)))
    for mine, theirs in zip(left.T, right.T, strict=True):
        squared += np.subtract.outer(mine, theirs) ** 2
    apart: Floats = np.sqrt(squared, out=squared)
    return apart
