"""Repeated random samples of people: who was drawn, and who was linked correctly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Flags, Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.evaluation.intervals import wilson

#: Largest number of draws of one size, and smallest number for samples of fewer than all people.
_MOST_RUNS, _LEAST_RUNS = 20, 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draw(Discreet):
    """The indices of the people drawn, and which of them the attack linked correctly."""

    people: Ints
    found: Flags
    n_links: int

    @property
    def accuracy(self) -> float:
        """Share of the people drawn who were linked correctly."""
        return float(self.found.mean())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws(Discreet):
    """All draws of one size."""

    size: int
    draws: tuple[Draw, ...]

    @property
    def accuracies(self) -> Floats:
        """Accuracy of each draw."""
        return np.array([draw.accuracy for draw in self.draws])

    @property
    def n_drawn(self) -> int:
        """Number of people drawn, counted once for each draw."""
        return sum(len(draw.people) for draw in self.draws)

    @property
    def n_found(self) -> int:
        """Number of those linked correctly."""
        return sum(int(draw.found.sum()) for draw in self.draws)

    @property
    def n_different(self) -> int:
        """Number of different people drawn: the effective sample size of all draws together."""
        return len(np.unique(np.concatenate([draw.people for draw in self.draws])))

    @property
    def spread(self) -> tuple[float, int]:
        """
        Overdispersion: variance between draws relative to a binomial, and degrees of freedom.

        Both are zero if they cannot be estimated.
        """
        mean, n_free = float(self.accuracies.mean()), len(self.draws) - 1
        if n_free < 1 or not 0 < mean < 1:
            return 0.0, 0
        return float(self.accuracies.var(ddof=1)) * self.size / (mean * (1 - mean)), n_free


def count_runs(size: int, n_people: int) -> int:
    """Number of draws: enough to draw each person about twice, 3 to 20."""
    if size >= n_people:
        return 1
    return int(np.clip(2 * n_people // size, _LEAST_RUNS, _MOST_RUNS))


def draw_people(n_people: int, size: int, seed: tuple[int, int, int]) -> Ints:
    """Draw ``size`` different people, in ascending order."""
    return np.sort(np.random.default_rng(seed).permutation(n_people)[:size])


def pooled_spread(groups: tuple[Draws, ...]) -> float:
    """Pooled overdispersion of all sizes, at least one (binomial)."""
    spreads = np.array([group.spread for group in groups])
    n_free = spreads[:, 1].sum()
    return max(1.0, float((spreads[:, 0] * spreads[:, 1]).sum() / n_free)) if n_free else 1.0


def interval_of(group: Draws, spread: float) -> tuple[float, float]:
    """
    Wilson's 95 % interval for the mean accuracy.

    It counts each person once, however often they were drawn, and divides that by the
    overdispersion: mistakes come in pairs, because a record linked wrongly also blocks the
    correct link of another.
    """
    n_trials = max(1, round(group.n_different / spread))
    return wilson(float(group.accuracies.mean()) * n_trials, n_trials) or (0.0, 1.0)
