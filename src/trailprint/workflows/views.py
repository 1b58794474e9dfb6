"""Views for `trailprint.match`: build them, weight them without truth, measure each one's part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from trailprint.arrays import Floats
from trailprint.attacks.combined import match_views, weights_without
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.view_weights import (
    ViewWeights,
    equal_weights,
    given_weights,
    learn_weights,
)
from trailprint.display.plots import Plot, draw_bars
from trailprint.errors import InputError
from trailprint.evaluation.risk import measure_risk
from trailprint.evaluation.truth import Truth
from trailprint.events.events import Events
from trailprint.events.summary import count_users
from trailprint.features.views import Views, build_view_pair, find_views
from trailprint.linkage import Linkage
from trailprint.workflows.learning_cuts import CutEvents, choose_cut, draw_people_of
from trailprint.workflows.options import ViewOptions

#: With more people, the contribution of each view is measured on a sample of this size.
MOST_PEOPLE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewShare:
    """
    Contribution of one view to an attack.

    ``accuracy_alone`` and ``accuracy_without`` are None if they were not measured.
    """

    name: str
    title: str
    weight: float
    keys: int
    accuracy_alone: float | None = None
    accuracy_without: float | None = None


def build_views(
    released: Events,
    auxiliary: Events,
    options: ViewOptions,
    *,
    cut: CutEvents | None = None,
    seed: int = 0,
    n_threads: int | None = None,
) -> tuple[Views, Views, ViewWeights]:
    """
    Build the views of both sides and their weights, which do not depend on the released side.

    Views without weight are built only if contributions are requested. ``cut`` replaces the cut
    of the auxiliary side named in the options.
    """
    sides = released, auxiliary
    found, left_out = find_views(sides, options.names, same_period=options.same_period)
    names = [view.name for view in found]
    cutting = cut or choose_cut(options)
    weights = _weigh(auxiliary, names, options, cutting, seed, n_threads)
    counted = names if options.contributions else list(weights.shares)
    first, second = build_view_pair(*sides, counted, same_period=options.same_period)
    return replace(first, left_out=left_out), replace(second, left_out=left_out), weights


def _weigh(
    auxiliary: Events,
    names: Sequence[str],
    options: ViewOptions,
    cut: CutEvents,
    seed: int,
    n_threads: int | None,
) -> ViewWeights:
    """Return the weights of the available views, as the options require."""
    if not isinstance(options.weights, str):
        return given_weights(options.weights, names)
    if options.weights == "equal" or len(names) == 1:
        return equal_weights(names)
    try:
        halves = draw_people_of(cut(auxiliary, seed), seed)
        pair = build_view_pair(*halves, names, same_period=options.same_period)
    except InputError:
        has_times = "start" in auxiliary.columns
        why = "cannot be cut in two" if has_times else "has no times to cut it by"
        return equal_weights(names, f"Weights are equal: the auxiliary data {why}.")
    n_matched = count_users(auxiliary)
    return learn_weights(*pair, seed=seed, n_threads=n_threads, n_matched=n_matched)


def describe_views(
    sides: tuple[Views, Views],
    weights: ViewWeights,
    truth: Truth | None,
    options: MatchOptions,
    n_threads: int | None = None,
) -> tuple[ViewShare, ...]:
    """Describe each view by its weight; with truth, also its accuracy alone and without it."""
    shares = [
        ViewShare(
            name=view.name,
            title=view.title,
            weight=weights.shares.get(view.name, 0.0),
            keys=sides[0].n_keys[view.name],
        )
        for view in sides[0].views
    ]
    if truth is None or truth.source == "none" or not truth.n_common:
        return tuple(shares)
    drawn, own = draw_people(sides, truth, options.seed)
    plain = replace(options, margins=False, size=None, gap=0.0)

    def match(chosen: ViewWeights | None, start: Floats | None = None) -> Linkage | None:
        if chosen is None or not all(_has_data(side, chosen) for side in drawn):
            return None
        return match_views(*drawn, chosen, plain, n_threads=n_threads, start=start)

    together = match(weights)
    # Warm start: with one view less, prices are nearly the same.
    prices = None if together is None else together.prices

    def without(share: ViewShare) -> Linkage | None:
        if not share.weight:
            return together
        return match(weights_without(weights, share.name), prices)

    return tuple(
        replace(
            share,
            accuracy_alone=_accuracy(match(ViewWeights(shares={share.name: 1.0})), own),
            accuracy_without=_accuracy(without(share), own),
        )
        for share in shares
    )


def _accuracy(linkage: Linkage | None, truth: Truth) -> float | None:
    risk = None if linkage is None else measure_risk(linkage, truth)
    return None if risk is None else risk.accuracy


def plot_views(views: Sequence[ViewShare]) -> Plot:
    """Draw two bars for each view: its accuracy alone, and that of all others without it."""
    rows = [
        {"view": f"{view.title}, {how}", "share": share}
        for view in views
        for how, share in (("alone", view.accuracy_alone), ("without it", view.accuracy_without))
        if share is not None
    ]
    return draw_bars(rows, "view", "share")


def _has_data(side: Views, weights: ViewWeights) -> bool:
    """Whether any view with weight has data; a few points may contain no moves."""
    counted = (weights.shares.get(name, 0.0) > 0 for name in side.names)
    return any(counts and matrix.nnz for counts, matrix in zip(counted, side.matrices, strict=True))


def draw_people(
    sides: tuple[Views, Views], truth: Truth, seed: int
) -> tuple[tuple[Views, Views], Truth]:
    """Draw at most `MOST_PEOPLE` of the people on both sides, with their true pairs."""
    n = len(truth.released)
    if max(side.n_users for side in sides) <= MOST_PEOPLE:
        return sides, truth
    chosen = np.sort(np.random.default_rng(seed).permutation(n)[:MOST_PEOPLE])
    drawn = (
        sides[0].select(truth.released[chosen]),
        sides[1].select(truth.auxiliary[chosen]),
    )
    everybody = np.arange(len(chosen))
    return drawn, replace(truth, released=everybody, auxiliary=everybody)
