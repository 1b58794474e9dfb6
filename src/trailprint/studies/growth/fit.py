"""
Fit a curve to accuracies at several numbers of people, and extrapolate it.

Three forms are fitted. Each has a share ``c`` of people who can be found at all and a crowd size
``m`` above which other people start to cause mistakes:

- ``c (1 + n/m)^-b``: each other person is mistaken for a given person with a small probability,
  and these probabilities are gamma distributed among people;
- ``c / (1 + (n/m)^b)``: the odds of being found fall as a power of the number of people;
- ``c (f + (1 - f) / (1 + n/m))``: a share ``f`` can always be found, however large the crowd.

Within the data they hardly differ. Far beyond it they do, and none is known to be right: the curve
is their mean, and its interval covers the values of all three for bootstrap samples of people.
Measured: fitted to a quarter or a tenth of the people of two research datasets, 55 of 60 intervals
contained the accuracy among all people.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import isotonic_regression
from scipy.special import expit

from trailprint.arrays import Floats
from trailprint.studies.draws import Draws, pooled_spread
from trailprint.studies.growth.findings import ExtrapolatedPoint, Fit

#: With fewer sizes, three parameters fit anything.
_LEAST_SIZES = 4

CAUTION = (
    "Beyond the data this is an extrapolation: it assumes that further people resemble those "
    "seen. Its interval covers chance and the choice between three curves, nothing else."
)


class _Form(NamedTuple):
    """
    A curve with three unbounded parameters: log odds of c, log of m, and a third.

    ``third`` and ``reach`` are the mean and scale of a weak Gaussian prior on the third parameter.
    """

    curve: Callable[[Floats, Floats], Floats]
    third: float
    reach: float
    text: str


def _with_gamma(parameters: Floats, n: Floats) -> Floats:
    ceiling, log_crowd, log_rate = _columns(parameters)
    steps = np.logaddexp(0.0, np.log(n) - log_crowd)
    return np.asarray(expit(ceiling) * np.exp(-np.exp(log_rate) * steps))


def _with_odds(parameters: Floats, n: Floats) -> Floats:
    ceiling, log_crowd, log_rate = _columns(parameters)
    return np.asarray(expit(ceiling) * expit(-np.exp(log_rate) * (np.log(n) - log_crowd)))


def _with_plateau(parameters: Floats, n: Floats) -> Floats:
    ceiling, log_crowd, plateau = _columns(parameters)
    mistaken = expit(np.log(n) - log_crowd)
    return np.asarray(expit(ceiling) * (1.0 - expit(-plateau) * mistaken))


def _columns(parameters: Floats) -> tuple[Floats, Floats, Floats]:
    """Split parameters into columns that broadcast to one curve for each row."""
    return parameters[:, 0:1], parameters[:, 1:2], parameters[:, 2:3]


_FORMS = (
    _Form(_with_gamma, -1.0, 2.0, "{c:.3f}·(1 + n/{m:,.0f})^−{rate:.3f}"),
    _Form(_with_odds, -1.0, 2.0, "{c:.3f}/(1 + (n/{m:,.0f})^{rate:.3f})"),
    _Form(_with_plateau, 0.0, 2.0, "{c:.3f}·({f:.3f} + {g:.3f}/(1 + n/{m:,.0f}))"),
)
#: Prior mean and scale of the first parameter, scale of the second; its mean is all people.
_CEILING, _CEILING_REACH, _CROWD_REACH = 3.0, 2.0, 3.0
#: Iterations of a fit (far more than needed), and the step of finite differences.
_STEPS, _NUDGE = 60, 1e-6


def fit_growth(
    groups: tuple[Draws, ...], beyond: tuple[int, ...], *, n_bootstrap: int, seed: int
) -> Fit | None:
    """
    Fit all forms and extrapolate; return None if there are too few sizes.

    Parameters
    ----------
    groups : tuple of Draws
        Accuracies by number of people, in ascending order.
    beyond : tuple of int
        Numbers of people to extrapolate to.
    n_bootstrap : int
        Number of bootstrap samples of people and draws for the interval.
    seed : int
        Random seed of these samples.
    """
    if len(groups) < _LEAST_SIZES:
        return None
    sizes = np.array([group.size for group in groups], dtype=np.float64)
    observed = np.array([group.accuracies.mean() for group in groups])
    error = _standard_errors(groups, observed)
    samples = np.vstack([observed, _resample(groups, observed, n_bootstrap, seed)])
    # The first row is the observation, the others are bootstrap samples.
    fitted = [_fit(form, sizes, samples, error) for form in _FORMS]
    targets = np.array(beyond, dtype=np.float64)
    curves = np.stack([form.curve(p, targets) for form, p in zip(_FORMS, fitted, strict=True)])
    values, spread = curves[:, 0].mean(axis=0), curves[:, 1:].reshape(-1, len(beyond))
    return Fit(
        formula=_describe([parameters[0] for parameters in fitted]),
        extrapolation=_bounds(beyond, values, spread),
        caution=CAUTION,
    )


def _standard_errors(groups: tuple[Draws, ...], observed: Floats) -> Floats:
    """Standard error of each mean, from smoothed rates: 100 % of ten people is not certain."""
    n_trials = np.array([group.n_different for group in groups], dtype=np.float64)
    smooth = isotonic_regression(observed, weights=n_trials, increasing=False).x
    smooth = (smooth * n_trials + 1.0) / (n_trials + 2.0)
    return np.asarray(np.sqrt(smooth * (1.0 - smooth) / n_trials))


def _fit(form: _Form, sizes: Floats, samples: Floats, error: Floats) -> Floats:
    """
    Fit by weighted least squares, with a weak prior for what the data leaves open.

    Levenberg-Marquardt steps for all samples at once: one row of parameters for each.
    """
    typical = np.array([_CEILING, math.log(sizes[-1]), form.third])
    reach = np.array([_CEILING_REACH, _CROWD_REACH, form.reach])

    def residuals(parameters: Floats) -> Floats:
        off = (form.curve(parameters, sizes) - samples) / error
        return np.hstack([off, (parameters - typical) / reach])

    best = np.tile(typical, (len(samples), 1))
    left = residuals(best)
    damping = np.full(len(samples), 0.01)
    for _ in range(_STEPS):
        trial = np.clip(
            best + _step(residuals, best, left, damping), typical - 6 * reach, typical + 6 * reach
        )
        after = residuals(trial)
        better = (after**2).sum(axis=1) < (left**2).sum(axis=1)
        best[better], left[better] = trial[better], after[better]
        damping = np.clip(np.where(better, damping / 5, damping * 5), 1e-9, 1e9)
    return best


def _step(
    residuals: Callable[[Floats], Floats], at: Floats, left: Floats, damping: Floats
) -> Floats:
    """Return the damped descent step for each row of parameters."""
    slopes = [(residuals(at + _NUDGE * axis) - left) / _NUDGE for axis in np.eye(at.shape[1])]
    jacobian = np.stack(slopes, axis=2)
    normal = np.einsum("brp,brq->bpq", jacobian, jacobian)
    normal *= 1.0 + damping[:, None, None] * np.eye(at.shape[1])
    downhill = -np.einsum("brp,br->bp", jacobian, left)
    return np.asarray(np.linalg.solve(normal, downhill[:, :, None])[:, :, 0])


def _resample(groups: tuple[Draws, ...], observed: Floats, n_samples: int, seed: int) -> Floats:
    """
    Bootstrap mean accuracies by size from people and draws: samples × sizes.

    People are resampled as if they were found independently. In fact mistakes come in pairs,
    because a record linked wrongly also blocks another's correct link, so the spread of samples is
    widened by the overdispersion of the draws.
    """
    random = np.random.default_rng([seed, 4])
    n_people = 1 + max(int(draw.people.max()) for group in groups for draw in group.draws)
    samples = np.empty((n_samples, len(groups)))
    matrices = [_tabulate(group, n_people) for group in groups]
    for sample in range(n_samples):
        copies = random.multinomial(n_people, np.full(n_people, 1.0 / n_people))
        for size, (drawn, found) in enumerate(matrices):
            runs = random.integers(0, drawn.shape[0], drawn.shape[0])
            rates = (found @ copies) / np.maximum(drawn @ copies, 1)
            samples[sample, size] = rates[runs].mean()
    wider = observed + (samples - observed) * math.sqrt(pooled_spread(groups))
    return np.clip(wider, 0.0, 1.0)


def _tabulate(group: Draws, n_people: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Indicator matrices of who was drawn and who was found: draws × people."""
    people = np.concatenate([draw.people for draw in group.draws])
    bounds = np.arange(len(group.draws) + 1) * group.size
    shape = (len(group.draws), n_people)
    found = np.concatenate([draw.found for draw in group.draws]).astype(np.int64)
    return (
        sparse.csr_array((np.ones(len(people), dtype=np.int64), people, bounds), shape=shape),
        sparse.csr_array((found, people, bounds), shape=shape),
    )


def _bounds(
    beyond: tuple[int, ...], values: Floats, spread: Floats
) -> tuple[ExtrapolatedPoint, ...]:
    low, high = np.quantile(spread, [0.025, 0.975], axis=0)
    return tuple(
        ExtrapolatedPoint(
            x=n,
            accuracy=float(value),
            low=float(min(least, value)),
            high=float(max(most, value)),
        )
        for n, value, least, most in zip(beyond, values, low, high, strict=True)
    )


def _describe(fitted: list[Floats]) -> str:
    texts = []
    for form, (ceiling, log_crowd, third) in zip(_FORMS, fitted, strict=True):
        numbers = {"c": expit(ceiling), "m": math.exp(log_crowd), "rate": math.exp(third)}
        texts.append(form.text.format(**numbers, f=expit(third), g=expit(-third)))
    return f"mean of {', '.join(texts[:-1])} and {texts[-1]}; n people"
