"""
Unicity in a larger population than the one at hand, after Farzanehfar, Houssiau and de Montjoye.

For given known points, let q be the probability that a person drawn at random matches them. In a
population of N people, no other person matches with probability (1 - q)^(N - 1). Unicity is the
mean of this over people: it decreases with N and is convex. There are two results:

- **At least** (their linear bound). A convex curve lies above its tangent. Its slope at the n
  observed people is minus the share of people with exactly one other candidate, over n - 1. The
  upper end of that share's 95 % interval is used.
- **Estimate**. q is assumed to follow a beta distribution, fitted to the counted candidates by
  maximum likelihood (a beta-binomial), as in estimates of population uniqueness from samples:
  unicity at N is then B(a, b + N - 1) / B(a, b), scaled to the value measured at n. The model is
  checked on the data: fitted to a tenth of the people, it must predict the unicity of all.

Both assume that people in the larger population behave as these do, in the same places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln, gammaln

from trailprint.arrays import Floats, Ints
from trailprint.evaluation.intervals import wilson

#: The model is checked with one in this many people, against all.
_CHECKED = 10
#: Minimum size of the tenth of the people used for the check.
_LEAST_CHECKED = 100
#: With more distinct counts, thinning takes too long; there are then few and common points.
_MOST_CHECKED = 20_000
#: Numbers of others below this are fitted individually, larger ones in bins.
_FINE = 1000
#: Logarithm of the largest parameter of a fitted distribution; larger values change nothing.
_WIDEST = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LargerPopulation:
    """
    Unicity expected in a larger population.

    Attributes
    ----------
    points, population : int
        Number of known points, and size of the population.
    share : float or None
        Estimate of the model; None if no one's points match two or more others, because the spread
        of q is then unknown.
    at_least : float
        The linear lower bound.
    """

    points: int
    population: int
    share: float | None
    at_least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """Unicity predicted for all people by the model fitted to a tenth of them, and measured."""

    points: int
    fitted_to: int
    predicted: float
    measured: float


def extrapolate(
    points: int, tally: Ints, n_users: int, populations: Sequence[int]
) -> tuple[LargerPopulation, ...]:
    """
    Estimate unicity in larger populations.

    ``tally[c]`` is how often c people matched, the person included, among ``n_users``.
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
    """Raise estimates to those of fewer points: another point never adds candidates."""
    most: dict[int, float] = {}
    lifted = []
    for row in sorted(rows, key=lambda row: row.points):
        if row.share is not None:
            most[row.population] = max(row.share, most.get(row.population, 0.0))
            row = replace(row, share=most[row.population])
        lifted.append(row)
    return tuple(lifted)


def check_model(points: int, tally: Ints, n_users: int) -> ModelCheck | None:
    """Fit the model to what a tenth of the people would show, and predict the unicity of all."""
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
    """Lower bound of unicity at ``population``: the tangent at ``n_users``, at least zero."""
    total = int(tally.sum())
    share = float(tally[1] / total)
    if n_users < 2:
        return 0.0
    interval = wilson(float(tally[2]) * n_users / total, n_users)
    slope = (0.0 if interval is None else interval[1]) / (n_users - 1)
    return max(0.0, share - slope * (population - n_users))


def fit_beta(tally: Ints | Floats, n_users: int) -> tuple[float, float] | None:
    """Fit the beta distribution of q to the counted candidates by maximum likelihood."""
    matched, weight = _gather(tally)
    from scipy import optimize

    # With at most one other match each, every spread of q fits equally well.
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
    # If everyone matches or no one does, the best parameters are infinite.
    a, b = np.exp(np.clip(found.x, -_WIDEST, _WIDEST))
    return float(a), float(b)


def _gather(tally: Floats | Ints) -> tuple[Floats, Floats]:
    """Numbers of matching others and their frequencies; large numbers as means of 1 % bins."""
    others = np.flatnonzero(tally[1:]).astype(np.float64)
    weight = np.asarray(tally[1:][others.astype(np.int64)], dtype=np.float64)
    bins = np.where(others < _FINE, others, _FINE + np.floor(100 * np.log(others + 1)))
    _, group = np.unique(bins, return_inverse=True)
    total: Floats = np.bincount(group, weight).astype(np.float64)
    return np.bincount(group, weight * others) / total, total


def predict(fitted: tuple[float, float], population: int) -> float:
    """Predict unicity in a population of this size."""
    a, b = fitted
    return float(np.exp(betaln(a, b + population - 1) - betaln(a, b)))


def thin(tally: Ints, n_users: int, n_fewer: int) -> Floats:
    """
    Expected tally of a random sample of the people.

    Of c - 1 matching others among n - 1, a sample of m - 1 keeps j with the hypergeometric
    probability; values more than ten standard deviations away are left out.
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
