"""
How much each view counts, learnt without the released side and without ground truth.

An adversary has identified data of their own: split in two, it shows which views re-identify the
same person. The weights maximise the conditional log-likelihood of the true pairs,

    sum over people of log softmax over the row + log softmax over the column of
    sum over views of weight x gain,

which is concave, minus a penalty on their deviation from a simple solution: equal weights, or the
first view alone. Which of the two, and the strength of the penalty, is chosen by cross-validation
on the same data. Several views must be better than the first one alone by two standard errors, so
that views that only add noise are left out and views that help are kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc
from scipy.special import ndtr, stdtrit

from trailprint.arrays import Floats, Ints
from trailprint.attacks.matching import to_arrays
from trailprint.errors import OptionError
from trailprint.features.views import Views
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.lookup import dense_gains
from trailprint.kernels.matching.metrics import METRICS
from trailprint.values import WeightsFrom

#: With fewer people than this in both halves no weights are learnt, only the choice between equal
#: weights and the first view alone.
LEAST_PEOPLE = 20
#: People drawn for learning: gains of all their pairs are held, one matrix per view.
MOST_PEOPLE = 600
#: Penalties per squared deviation that are tried, for each simple solution.
PENALTIES = (1.0, 5.0)
#: Number of cross-validation folds, and maximum number of people of the other folds to fit on.
N_FOLDS = 3
MOST_VALIDATING = 120
#: Standard errors by which several views must be better than the first one alone.
CLEARLY = 2.0
#: Views with less than this share are dropped: they cost time and decide nothing.
LEAST_SHARE = 0.05
#: With this many people or more, time matters more: views with less than this part of the heaviest
#: view's share are dropped as well.
MANY_PEOPLE = 4_000
LEAST_BESIDE_HEAVIEST = 0.2
#: Start of the optimisation; any other start leads to the same weights.
_BEGIN = 5.0
#: Relative change of the likelihood at which to stop: weights are then accurate to two digits.
_ENOUGH = 1e-6
#: An improvement per person below this is rounding: if all people look alike, none is significant.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewWeights:
    """
    How much each view counts; the shares add up to one.

    Attributes
    ----------
    shares : mapping
        Share by name of the view; views that are not named have none.
    source : {"learnt", "equal", "given"}
        Where the weights come from.
    note : str
        Why they are equal, or only chosen, although they should have been learnt; else empty.
    n_people : int
        Number of people they were learnt from.
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    source: WeightsFrom = "equal"
    note: str = ""
    n_people: int = 0

    def __post_init__(self) -> None:
        for name, share in self.shares.items():
            if not (share >= 0 and math.isfinite(share)):
                raise OptionError(
                    f"A view's weight must be finite and zero or more, got {share!r} ({name})."
                )
        if not any(self.shares.values()):
            raise OptionError("At least one view must have a weight above zero, but none has.")


def equal_weights(names: Sequence[str], note: str = "") -> ViewWeights:
    """Return equal weights for all views."""
    return ViewWeights(shares={name: 1.0 / len(names) for name in names}, note=note)


def given_weights(weights: Mapping[str, float], names: Sequence[str]) -> ViewWeights:
    """Return weights given by the user, scaled to sum to one; ``names`` are the available views."""
    unknown = sorted(set(weights) - set(names))
    if unknown:
        raise OptionError(
            f"Weights must be of views that are asked for and that the data gives, which are "
            f"{', '.join(names)}, got {unknown[0]!r} instead."
        )
    checked = ViewWeights(shares=dict(weights), source="given")
    largest = max(checked.shares.values())
    relative = {name: share / largest for name, share in checked.shares.items() if share > 0}
    total = sum(relative.values())
    shares = {name: share / total for name, share in relative.items()}
    return ViewWeights(shares=shares, source="given")


def learn_weights(
    first: Views,
    second: Views,
    *,
    seed: int = 0,
    n_threads: int | None = None,
    n_matched: int = 0,
) -> ViewWeights:
    """
    Learn weights from two halves of one identified dataset, to match ``n_matched`` people.

    The same ids on both sides are the same people. With fewer than `LEAST_PEOPLE` of them, the only
    thing learnt is whether equal weights re-identify them clearly better than the first view alone,
    and the note says so.
    """
    own, other = _same_people(first, second)
    if len(own) < LEAST_PEOPLE:
        return _weigh_few(first.select(own), second.select(other), n_threads)
    drawn = np.sort(np.random.default_rng(seed).permutation(len(own))[:MOST_PEOPLE])
    gains = _gains(first.select(own[drawn]), second.select(other[drawn]), n_threads)
    weights = _fit_everybody(gains, _choose_shrinkage(gains, seed))
    shares = _drop_light(weights, is_large=n_matched >= MANY_PEOPLE)
    kept = {name: float(s) for name, s in zip(first.names, shares, strict=True) if s > 0}
    return ViewWeights(shares=kept, source="learnt", n_people=len(drawn))


def _weigh_few(first: Views, second: Views, n_threads: int | None) -> ViewWeights:
    """
    Return equal weights if they re-identify these people clearly better than the first view.

    A few people are not enough to learn many weights, but may show which of two solutions, each
    with a single fitted scale, is better. Several views must pass the same test as with many
    people.
    """
    n = first.n_users
    few = (
        f"There are too few people to learn weights from: at least {LEAST_PEOPLE} people must be "
        f"in both halves of the auxiliary data, and there are {n}."
    )
    if n > 1:
        gains = _gains(first, second, n_threads)
        alike, alone = (_losses_of_one(one) for one in (gains.mean(axis=0), gains[0]))
        if not _is_clear(alone - alike):
            note = f"{few} The first view counts alone: all alike do not find them clearly better."
            shares = {first.names[0]: 1.0}
            return ViewWeights(shares=shares, source="learnt", note=note, n_people=n)
    return equal_weights(first.names, f"{few} All views count the same.")


def _losses_of_one(gains: Floats) -> Floats:
    """Return negative log-likelihoods of the true pairs under the best multiple of these gains."""
    scale = _maximise(gains[None], _Shrinkage(0.0, np.ones(1)))
    return np.asarray(_losses(scale[None], gains[None], np.arange(len(gains)))[0])


def _is_clear(better_by: Floats) -> bool:
    """
    Whether an improvement in likelihood, given per person, is statistically significant.

    With few people the spread is uncertain, so Student's t replaces the normal distribution.
    """
    n = len(better_by)
    if better_by.sum() <= n * _ROUNDING:
        return False
    standard_error = float(better_by.std(ddof=1)) * n**0.5
    return bool(better_by.sum() > float(stdtrit(n - 1, ndtr(CLEARLY))) * standard_error)


def _drop_light(weights: Floats, *, is_large: bool) -> Floats:
    """Return shares without light views; with many people, light relative to the heaviest."""
    shares = weights / weights.sum()
    beside = LEAST_BESIDE_HEAVIEST if is_large else 0.0
    least = max(LEAST_SHARE, beside * float(shares.max()))
    kept = np.where(shares >= least, shares, 0.0)
    return np.asarray(kept / kept.sum())


def _same_people(first: Views, second: Views) -> tuple[Ints, Ints]:
    """Return the rows of the people who are in both halves."""
    place = pc.index_in(first.users, value_set=second.users)
    own = np.flatnonzero(pc.is_valid(place).to_numpy(zero_copy_only=False)).astype(np.int64)
    return own, place.take(own).to_numpy().astype(np.int64)


def _gains(first: Views, second: Views, n_threads: int | None) -> Floats:
    """Return the gains of all pairs in each view: views x people x people."""
    metric = METRICS["jensen-shannon"]
    return np.stack(
        [
            dense_gains(build_join(to_arrays(a), to_arrays(b), a.shape[1], metric), n_threads)
            for a, b in zip(first.matrices, second.matrices, strict=True)
        ]
    )


class _Shrinkage(NamedTuple):
    """A penalty on the deviation from a multiple of ``towards``, a unit vector."""

    penalty: float
    towards: Floats


def _choose_shrinkage(gains: Floats, seed: int) -> _Shrinkage | None:
    """
    Return the shrinkage that re-identifies held-out people best; None: the first view alone.

    The first view alone is kept unless the best shrinkage is better by `CLEARLY` standard errors: a
    smaller difference may be chance.
    """
    n_views, n_people, _ = gains.shape
    people = np.random.default_rng([seed, 1]).permutation(n_people)
    alike, first = np.full(n_views, n_views**-0.5), np.eye(n_views)[0]
    tried = [_Shrinkage(p, towards) for towards in (alike, first) for p in PENALTIES]
    *losses, alone = _held_out_losses(gains, people, [*tried, None])
    best = int(np.argmin([loss.sum() for loss in losses]))
    return tried[best] if _is_clear(alone - losses[best]) else None


def _held_out_losses(gains: Floats, people: Ints, tried: Sequence[_Shrinkage | None]) -> Floats:
    """
    Return each person's negative log-likelihood under weights of other folds: tried x people.

    ``people`` are all people in the order in which they are dealt into folds. They are searched for
    among all people, as in the attack, not only within their fold.
    """
    fold = np.arange(len(people)) % N_FOLDS
    losses = np.empty((len(tried), len(people)))
    for left_out in range(N_FOLDS):
        held = people[fold == left_out]
        known = _among(gains, people[fold != left_out][:MOST_VALIDATING])
        weights: list[Floats] = []
        for shrinkage in tried:
            weights.append(_fit(known, shrinkage, weights[-1] if weights else None))
        losses[:, held] = _losses(np.stack(weights), gains, held)
    return losses


def _losses(weights: Floats, gains: Floats, people: Ints) -> Floats:
    """Return negative log-likelihoods of some people's true pairs, one row per set of weights."""
    n_views, n, _ = gains.shape
    scores = (weights @ gains.reshape(n_views, -1)).reshape(-1, n, n)
    true = scores[:, people, people]
    as_rows = _log_sum(scores[:, people, :], axis=2)
    return np.asarray(as_rows + _log_sum(scores[:, :, people], axis=1) - 2.0 * true)


def _log_sum(scores: Floats, axis: int) -> Floats:
    """Return the log-sum-exp along an axis, without overflow."""
    top = scores.max(axis=axis, keepdims=True)
    total = np.exp(scores - top).sum(axis=axis)
    return np.asarray(np.log(total) + np.squeeze(top, axis))


def _fit(gains: Floats, shrinkage: _Shrinkage | None, begin: Floats | None = None) -> Floats:
    """Fit weights under a shrinkage; without one, fit the first view alone."""
    if shrinkage is not None:
        return _maximise(gains, shrinkage, begin)
    alone = _maximise(gains[:1], _Shrinkage(0.0, np.ones(1)))
    return np.append(alone, np.zeros(len(gains) - 1))


def _fit_everybody(gains: Floats, shrinkage: _Shrinkage | None) -> Floats:
    """Fit weights on all people, warm-started from a fit on some of them, which is quicker."""
    some = _among(gains, np.arange(min(MOST_VALIDATING, gains.shape[1])))
    return _fit(gains, shrinkage, _fit(some, shrinkage))


def _among(gains: Floats, people: Ints) -> Floats:
    """Return the gains of the pairs among some of the people."""
    return np.ascontiguousarray(gains[:, people[:, None], people])


def _maximise(gains: Floats, shrinkage: _Shrinkage, begin: Floats | None = None) -> Floats:
    """Return the non-negative weights with the greatest penalised likelihood."""
    # Imported here: nothing else in matching needs it, and it takes a third of a second.
    from scipy.optimize import minimize

    n_views = len(gains)
    result = minimize(
        _loss,
        np.full(n_views, _BEGIN) if begin is None else begin,
        args=(gains, shrinkage),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * n_views,
        options={"ftol": _ENOUGH},
    )
    weights = np.asarray(result.x, dtype=np.float64)
    return weights if weights.sum() > 0 else np.ones(n_views)


def _loss(weights: Floats, gains: Floats, shrinkage: _Shrinkage) -> tuple[float, Floats]:
    """Return the penalised negative log-likelihood of the diagonal, and its gradient."""
    n_views, n, _ = gains.shape
    flat = gains.reshape(n_views, -1)
    scores = (weights @ flat).reshape(n, n)
    likelihood, expected = 0.0, np.zeros_like(scores)
    for axis in (0, 1):
        top = scores.max(axis=axis, keepdims=True)
        chance = np.exp(scores - top)
        total = chance.sum(axis=axis, keepdims=True)
        expected += chance / total
        likelihood += float(np.trace(scores) - (top + np.log(total)).sum())
    gradient = 2.0 * np.trace(gains, axis1=1, axis2=2) - flat @ expected.ravel()
    penalty, towards = shrinkage
    deviation = weights - (weights @ towards) * towards
    loss = penalty * float(deviation @ deviation) - likelihood
    return loss, 2.0 * penalty * deviation - gradient
