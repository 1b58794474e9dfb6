"""The same attack on people drawn again and again: who was drawn, who was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Flags, Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.evaluation.intervals import wilson

#: Most draws of one size, and fewest draws of less than everybody.
_MOST_RUNS, _LEAST_RUNS = 20, 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draw(Discreet):
    """People drawn, as numbers, and which of them the attack linked correctly."""

    people: Ints
    found: Flags
    n_links: int

    @property
    def accuracy(self) -> float:
        """Share of the people drawn who were found."""
        return float(self.found.mean())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws(Discreet):
    """All draws of one size."""

    size: int
    draws: tuple[Draw, ...]

    @property
    def accuracies(self) -> Floats:
        """One for each draw."""
        return np.array([draw.accuracy for draw in self.draws])

    @property
    def n_drawn(self) -> int:
        """How many people were drawn, each as often as they were."""
        return sum(len(draw.people) for draw in self.draws)

    @property
    def n_found(self) -> int:
        """How many of those were found."""
        return sum(int(draw.found.sum()) for draw in self.draws)

    @property
    def n_different(self) -> int:
        """How many different people were drawn: as much as all draws together can know of."""
        return len(np.unique(np.concatenate([draw.people for draw in self.draws])))

    @property
    def spread(self) -> tuple[float, int]:
        """
        How much more draws differ than a coin with their mean would make them, and the evidence.

        A ratio of variances and its degrees of freedom; zero of either where nothing is known.
        """
        mean, n_free = float(self.accuracies.mean()), len(self.draws) - 1
        if n_free < 1 or not 0 < mean < 1:
            return 0.0, 0
        return float(self.accuracies.var(ddof=1)) * self.size / (mean * (1 - mean)), n_free


def count_runs(size: int, n_people: int) -> int:
    """How often to draw: until everybody was drawn about twice, within reason."""
    if size >= n_people:
        return 1
    return int(np.clip(2 * n_people // size, _LEAST_RUNS, _MOST_RUNS))


def draw_people(n_people: int, size: int, seed: tuple[int, int, int]) -> Ints:
    """``size`` different people, in order."""
    return np.sort(np.random.default_rng(seed).permutation(n_people)[:size])


def pooled_spread(groups: tuple[Draws, ...]) -> float:
    """The spread of all sizes together, never below one: what a coin would show."""
    spreads = np.array([group.spread for group in groups])
    n_free = spreads[:, 1].sum()
    return max(1.0, float((spreads[:, 0] * spreads[:, 1]).sum() / n_free)) if n_free else 1.0


def interval_of(group: Draws, spread: float) -> tuple[float, float]:
    """
    Wilson's 95 % interval for the mean accuracy.

    It counts each person once, however often they were drawn, and fewer where draws differ more
    than coins do: mistakes come in pairs, for a record taken for another takes its place.
    """
    n_trials = max(1, round(group.n_different / spread))
    return wilson(float(group.accuracies.mean()) * n_trials, n_trials) or (0.0, 1.0)
