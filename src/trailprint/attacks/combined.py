"""
The combined attack: one adversary, several views of the same people.

The Jensen-Shannon term is homogeneous, ``f(c p, c q) = c f(p, q)``, and so is that of l1. Each
view's normalised histogram is scaled by its weight and the views are concatenated as columns of one
matrix; the exact matching, its proof and its margins then apply unchanged.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from trailprint.arrays import Floats
from trailprint.attacks.matching import Problem, Side, match_problem, to_arrays
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.view_weights import ViewWeights
from trailprint.display.discreet import Discreet
from trailprint.errors import InputError, OptionError
from trailprint.features.views import Views
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.metrics import METRICS, Metric
from trailprint.linkage import Linkage
from trailprint.progress import Progress

#: Metrics whose term is homogeneous: it scales with both histograms.
METRICS_OF_VIEWS = ("jensen-shannon", "l1")
#: With this many people or more, hours of the day or week count only for pairs that share a place.
GATE_FROM = 4_000


@dataclass(frozen=True, slots=True, eq=False)
class JoinedViews(Discreet):
    """
    Views of both sides, scaled and concatenated.

    Columns from ``gate`` on are not places and count only for pairs that share a place. With
    ``gate`` None (few people), every column counts.
    """

    released: sparse.csr_array
    auxiliary: sparse.csr_array
    gate: int | None


def match_views(
    released: Views,
    auxiliary: Views,
    weights: ViewWeights,
    options: MatchOptions | None = None,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
    start: Floats | None = None,
) -> Linkage:
    """
    Link released people to auxiliary ones by several views at once.

    Both sides must have the same views over the same keys (`build_view_pair`). A view that either
    person of a pair lacks adds nothing to their gain. People without data are never linked. See
    `match_histograms` for ``start``.
    """
    options = options or MatchOptions()
    if options.metric not in METRICS_OF_VIEWS:
        raise OptionError(
            f"--metric must be one of {', '.join(METRICS_OF_VIEWS)} with several views, "
            f"got {options.metric!r} instead.",
            option="metric",
        )
    problem = pose_views(released, auxiliary, weights, METRICS[options.metric])
    return match_problem(problem, options, n_threads=n_threads, progress=progress, start=start)


def pose_views(released: Views, auxiliary: Views, weights: ViewWeights, metric: Metric) -> Problem:
    """Build the matching problem from the views with a positive weight and the people with data."""
    began = time.perf_counter()
    columns = join_views(released, auxiliary, weights)
    gate = columns.gate
    first, second = (_with_data(side, gate) for side in (columns.released, columns.auxiliary))
    if not (len(first.rows) and len(second.rows)):
        raise InputError(
            "The views that count must show somebody on both sides, but one shows nobody: "
            "moves, for example, need two places on one day. Try --views all.",
            option="views",
        )
    n_columns = columns.released.shape[1]
    total = sum(weights.shares.values())
    return Problem(
        sides=(first, second),
        n_columns=n_columns,
        metric=metric,
        join=build_join(first.bare, second.bare, n_columns, metric, gate),
        constant=metric.constant * total,
        n_users=(released.n_users, auxiliary.n_users),
        began=began,
        gate=gate,
    )


def join_views(released: Views, auxiliary: Views, weights: ViewWeights) -> JoinedViews:
    """Scale every view by its weight and concatenate them, views without places last."""
    counted = [i for i, view in enumerate(released.views) if weights.shares.get(view.name, 0) > 0]
    if not counted:
        raise OptionError("At least one view of the data must have a weight above zero.")
    ordered = sorted(counted, key=lambda i: released.views[i].is_rhythm)
    n_placed = sum(
        released.matrices[i].shape[1] for i in ordered if not released.views[i].is_rhythm
    )
    sides = [
        sparse.hstack(
            [views.matrices[i] * weights.shares[views.views[i].name] for i in ordered], format="csr"
        )
        for views in (released, auxiliary)
    ]
    is_gated = max(released.n_users, auxiliary.n_users) >= GATE_FROM
    return JoinedViews(sides[0], sides[1], n_placed if is_gated else None)


def _with_data(matrix: sparse.csr_array, gate: int | None) -> Side:
    """Return the people with data; with a gate, those with at least one place."""
    first = matrix.shape[1] if gate is None else gate
    has_place = matrix[:, :first].tocsr() if first < matrix.shape[1] else matrix
    rows = np.flatnonzero(np.diff(has_place.indptr) > 0).astype(np.int64)
    kept = to_arrays(matrix if len(rows) == matrix.shape[0] else matrix[rows])
    return Side(rows, kept, kept, np.zeros(len(rows)))


def weights_without(weights: ViewWeights, name: str) -> ViewWeights | None:
    """Return the other views' weights, rescaled to sum to one; None if no view is left."""
    left = {view: share for view, share in weights.shares.items() if view != name}
    total = sum(left.values())
    if not total:
        return None
    return replace(weights, shares={view: share / total for view, share in left.items()})
