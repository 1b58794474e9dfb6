"""
Unicity in a larger population than the one at hand, after Farzanehfar, Houssiau and de Montjoye.

With points known, let q be the chance that somebody drawn at random agrees with them. In a
population of N people nobody else agrees with probability (1 - q)^(N - 1), so unicity is the mean
of that over people: it falls with N, ever more slowly (it is convex). Two answers follow:

- **At least** (their linear bound). A convex curve lies above its tangent. Its slope at the n
  people at hand is minus the share of people with exactly one other candidate, over n - 1. The
  upper end of that share's 95 % interval is used.
- **Estimate**. q is taken to follow a beta distribution, fitted to the candidates counted here by
  maximum likelihood (a beta-binomial), as in estimates of population uniqueness from samples:
  unicity at N is then B(a, b + N - 1) / B(a, b), scaled to what was measured at n. How well that
  does is checked on the data: fitted to a tenth of the people, it must predict the unicity of all.

Both assume that the larger population lives as this one does, in the same places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln, gammaln

from trailprint.arrays import Floats, Ints
from trailprint.evaluation.intervals import wilson

#: Where a fit is checked: with this share of the people, against all.
_CHECKED = 10
#: The least people of whom a tenth says anything.
_LEAST_CHECKED = 100
#: More different counts take too long to thin, and say that points are few and common.
_MOST_CHECKED = 20_000
#: Up to how many others each number is fitted on its own.
_FINE = 1000
#: Logarithm of the largest parameter of a fitted distribution; beyond, nothing changes.
_WIDEST = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LargerPopulation:
    """
    Unicity expected among more people.

    Attributes
    ----------
    points, population : int
        Points known, and people.
    share : float or None
        Estimate of the model; None where nobody's points agreed with two others, so that the spread
        of q cannot be told.
    at_least : float
        The linear lower bound.
    """

    points: int
    population: int
    share: float | None
    at_least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """What the model, fitted to a tenth of the people, predicts for all, and what was measured."""

    points: int
    fitted_to: int
    predicted: float
    measured: float


def extrapolate(
    points: int, tally: Ints, n_users: int, populations: Sequence[int]
) -> tuple[LargerPopulation, ...]:
    """
    Unicity in larger populations.

    ``tally[c]`` says how often c people agreed, the person included, among ``n_users``.
    """
    fitted = fit_beta(tally, n_users)
    share = float(tally[1] / tally.sum())
    here = 1.0 if fitted is None else predict(fitted, n_users)
    return tuple(
        LargerPopulation(
            points=points,
            population=population,
            share=None if fitted is None else share * predict(fitted, population) / here,
            at_least=bound_below(tally, n_users, population),
        )
        for population in populations
    )


def never_less_with_more_points(
    rows: Iterable[LargerPopulation],
) -> tuple[LargerPopulation, ...]:
    """Lift estimates to those of fewer points, since another point leaves nobody more company."""
    most: dict[int, float] = {}
    lifted = []
    for row in sorted(rows, key=lambda row: row.points):
        if row.share is not None:
            most[row.population] = max(row.share, most.get(row.population, 0.0))
            row = replace(row, share=most[row.population])
        lifted.append(row)
    return tuple(lifted)


def check_model(points: int, tally: Ints, n_users: int) -> ModelCheck | None:
    """Fit the model to what a tenth of the people would show, and predict for all."""
    n_fewer = n_users // _CHECKED
    if n_fewer < _LEAST_CHECKED or np.count_nonzero(tally) > _MOST_CHECKED:
        return None
    fitted = fit_beta(thin(tally, n_users, n_fewer), n_fewer)
    if fitted is None:
        return None
    return ModelCheck(
        points=points,
        fitted_to=n_fewer,
        predicted=predict(fitted, n_users),
        measured=float(tally[1] / tally.sum()),
    )


def bound_below(tally: Ints, n_users: int, population: int) -> float:
    """The tangent of unicity at the population at hand, at another one; never below zero."""
    total = int(tally.sum())
    share = float(tally[1] / total)
    if n_users < 2:
        return 0.0
    interval = wilson(float(tally[2]) * n_users / total, n_users)
    slope = (0.0 if interval is None else interval[1]) / (n_users - 1)
    return max(0.0, share - slope * (population - n_users))


def fit_beta(tally: Ints | Floats, n_users: int) -> tuple[float, float] | None:
    """The beta distribution of q under which the candidates counted are most likely."""
    matched, weight = _gather(tally)
    from scipy import optimize

    # With at most one other each, any spread of q fits as well as any other.
    if n_users < 2 or matched.max(initial=0) < 2:
        return None
    trials = n_users - 1

    def cost(logs: Floats) -> float:
        a, b = np.exp(logs)
        likelihood = betaln(matched + a, trials - matched + b) - betaln(a, b)
        return -float(weight @ likelihood) / float(weight.sum())

    mean = float(weight @ matched / weight.sum()) / trials
    begin = np.log([0.1, 0.1 * (1 - mean) / max(mean, 1e-12) + 1e-6])
    found = optimize.minimize(cost, begin, method="Nelder-Mead", options={"maxiter": 2000})
    # Where everybody agrees or nobody does, the best fit runs to infinity.
    a, b = np.exp(np.clip(found.x, -_WIDEST, _WIDEST))
    return float(a), float(b)


def _gather(tally: Floats | Ints) -> tuple[Floats, Floats]:
    """Others who agreed, and how often; many others in bins one per cent wide, by their mean."""
    others = np.flatnonzero(tally[1:]).astype(np.float64)
    weight = np.asarray(tally[1:][others.astype(np.int64)], dtype=np.float64)
    bins = np.where(others < _FINE, others, _FINE + np.floor(100 * np.log(others + 1)))
    _, group = np.unique(bins, return_inverse=True)
    total: Floats = np.bincount(group, weight).astype(np.float64)
    return np.bincount(group, weight * others) / total, total


def predict(fitted: tuple[float, float], population: int) -> float:
    """Unicity among this number of people."""
    a, b = fitted
    return float(np.exp(betaln(a, b + population - 1) - betaln(a, b)))


def thin(tally: Ints, n_users: int, n_fewer: int) -> Floats:
    """
    What a random part of the people would have shown, on average.

    Of c - 1 others who agree among n - 1, a part of m - 1 keeps j with the hypergeometric
    probability; what is ten standard deviations away is left out.
    """
    kept, share = np.zeros(n_fewer + 1), n_fewer / n_users
    for count in np.flatnonzero(tally):
        matched = int(count) - 1
        mean, reach = matched * share, 10 + 10 * np.sqrt(matched * share)
        most = min(matched, n_fewer - 1, int(mean + reach))
        least = max(0, matched - (n_users - n_fewer), int(mean - reach))
        j = np.arange(least, most + 1, dtype=np.float64)
        logs = _log_choose(matched, j) + _log_choose(n_users - 1 - matched, n_fewer - 1 - j)
        logs -= _log_choose(n_users - 1, np.float64(n_fewer - 1) * np.ones(1))
        kept[least + 1 : most + 2] += tally[count] * np.exp(logs)
    return kept


def _log_choose(n: float, k: Floats) -> Floats:
    found: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return found
