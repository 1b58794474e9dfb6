"""
How much each view counts, learnt without the released side and without the truth.

An adversary has identified data of their own: cut in two, it shows which views find the same
person again. The weights maximise the conditional log-likelihood of the true pairs,

    sum over people of log softmax over the row + log softmax over the column of
    sum over views of weight x gain,

which is concave, less a penalty on their deviation from a simple answer: all views alike, or the
first one alone. Which of the two, and how strong the penalty, is decided by cross-validation on the
same data. Several views must be better than the first one alone by two standard errors, so that
views that only add noise are left out and views that help are kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

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

WeightsFrom = Literal["learnt", "equal", "given"]

#: Fewer people than this in both halves teach no weights: they only choose between all views
#: alike and the first one alone.
LEAST_PEOPLE = 20
#: People drawn for learning: gains of all their pairs are held, one matrix per view.
MOST_PEOPLE = 600
#: Penalties per squared deviation that are tried, for each simple answer.
PENALTIES = (1.0, 5.0)
#: Folds of people for cross-validation, and people of the other folds that it learns from.
N_FOLDS = 3
MOST_VALIDATING = 120
#: Standard errors by which several views must be better than the first one alone.
CLEARLY = 2.0
#: Views that would count less than this share are dropped: they cost time and decide nothing.
LEAST_SHARE = 0.05
#: From as many people on time counts more, and less than this part of the heaviest view is dropped.
MANY_PEOPLE = 4_000
LEAST_BESIDE_HEAVIEST = 0.2
#: Where the search begins; any other place leads to the same weights.
_BEGIN = 5.0
#: Relative change of the likelihood at which the search ends: weights are known to two digits.
_ENOUGH = 1e-6
#: A gain per person below this is rounding: where all people look alike, nothing is clear.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewWeights:
    """
    How much each view counts; the shares add up to one.

    Attributes
    ----------
    shares : mapping
        By name of the view; views that are not named count nothing.
    source : {"learnt", "equal", "given"}
        Where they come from.
    note : str
        Why they are equal, or were only chosen, although they should have been learnt; else empty.
    n_people : int
        People they were learnt from.
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
    """Every view counts the same."""
    return ViewWeights(shares={name: 1.0 / len(names) for name in names}, note=note)


def given_weights(weights: Mapping[str, float], names: Sequence[str]) -> ViewWeights:
    """Weights somebody chose, brought to a sum of one; ``names`` are the views there are."""
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
    Learn weights from two halves of one identified dataset, of whom ``n_matched`` are matched.

    The same ids on both sides are the same people. With fewer than `LEAST_PEOPLE` of them, only
    one thing is learnt, whether all views alike find them again clearly better than the first one
    alone, and the note says so.
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
    All views alike where that finds these few people again clearly better than the first alone.

    Of many weights a few people tell nothing. Of two answers, each with a single scale to be
    fitted, they may tell which is better; what is asked of several views is what is asked of them
    with many people.
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
    """Negative log-likelihoods of the true pairs under the best multiple of these gains."""
    scale = _maximise(gains[None], _Shrinkage(0.0, np.ones(1)))
    return np.asarray(_losses(scale[None], gains[None], np.arange(len(gains)))[0])


def _is_clear(better_by: Floats) -> bool:
    """
    Whether a gain in likelihood, person by person, is more than luck.

    With few people their spread is little known, so that Student's t stands for the normal law.
    """
    n = len(better_by)
    if better_by.sum() <= n * _ROUNDING:
        return False
    standard_error = float(better_by.std(ddof=1)) * n**0.5
    return bool(better_by.sum() > float(stdtrit(n - 1, ndtr(CLEARLY))) * standard_error)


def _drop_light(weights: Floats, *, is_large: bool) -> Floats:
    """Shares of the weights without light views; of many people, light beside the heaviest."""
    shares = weights / weights.sum()
    beside = LEAST_BESIDE_HEAVIEST if is_large else 0.0
    least = max(LEAST_SHARE, beside * float(shares.max()))
    kept = np.where(shares >= least, shares, 0.0)
    return np.asarray(kept / kept.sum())


def _same_people(first: Views, second: Views) -> tuple[Ints, Ints]:
    """Rows of the people who are in both halves."""
    place = pc.index_in(first.users, value_set=second.users)
    own = np.flatnonzero(pc.is_valid(place).to_numpy(zero_copy_only=False)).astype(np.int64)
    return own, place.take(own).to_numpy().astype(np.int64)


def _gains(first: Views, second: Views, n_threads: int | None) -> Floats:
    """Gains of all pairs in each view: views x people x people."""
    metric = METRICS["jensen-shannon"]
    return np.stack(
        [
            dense_gains(build_join(to_arrays(a), to_arrays(b), a.shape[1], metric), n_threads)
            for a, b in zip(first.matrices, second.matrices, strict=True)
        ]
    )


class _Shrinkage(NamedTuple):
    """A penalty on what deviates from a multiple of ``towards``, a vector of length one."""

    penalty: float
    towards: Floats


def _choose_shrinkage(gains: Floats, seed: int) -> _Shrinkage | None:
    """
    The shrinkage under which people left out are found again best; None: the first view alone.

    The first view alone is kept unless the best finds people again better by `CLEARLY` standard
    errors: a smaller difference is as likely to be luck.
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
    Each person's negative log-likelihood under weights learnt from other folds: tried x people.

    ``people`` is everybody in the order in which they are dealt into folds. They are looked for
    among everybody, as in the attack, and not among their fold alone.
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
    """Negative log-likelihood of the true pairs of some people, a row for each set of weights."""
    n_views, n, _ = gains.shape
    scores = (weights @ gains.reshape(n_views, -1)).reshape(-1, n, n)
    true = scores[:, people, people]
    as_rows = _log_sum(scores[:, people, :], axis=2)
    return np.asarray(as_rows + _log_sum(scores[:, :, people], axis=1) - 2.0 * true)


def _log_sum(scores: Floats, axis: int) -> Floats:
    """The logarithm of the sum of exponentials, which may be too large for a number."""
    top = scores.max(axis=axis, keepdims=True)
    total = np.exp(scores - top).sum(axis=axis)
    return np.asarray(np.log(total) + np.squeeze(top, axis))


def _fit(gains: Floats, shrinkage: _Shrinkage | None, begin: Floats | None = None) -> Floats:
    """Weights under a shrinkage; without one, of the first view alone."""
    if shrinkage is not None:
        return _maximise(gains, shrinkage, begin)
    alone = _maximise(gains[:1], _Shrinkage(0.0, np.ones(1)))
    return np.append(alone, np.zeros(len(gains) - 1))


def _fit_everybody(gains: Floats, shrinkage: _Shrinkage | None) -> Floats:
    """The same for many people; the search begins where some of them lead, which is quicker."""
    some = _among(gains, np.arange(min(MOST_VALIDATING, gains.shape[1])))
    return _fit(gains, shrinkage, _fit(some, shrinkage))


def _among(gains: Floats, people: Ints) -> Floats:
    """Gains of the pairs among some of the people."""
    return np.ascontiguousarray(gains[:, people[:, None], people])


def _maximise(gains: Floats, shrinkage: _Shrinkage, begin: Floats | None = None) -> Floats:
    """Weights of the greatest penalised likelihood, none below zero."""
    # Loaded here: nothing else of matching needs it, and it takes a third of a second.
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
    """Penalised negative log-likelihood of the diagonal, and its gradient."""
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
