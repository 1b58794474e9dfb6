"""
Matching by transport distance: how far apart two people's histograms are on the map.

The weight of a pair is the earth mover's distance of their histograms, with distances capped at
``reach_m``. With a reach shorter than any distance it is half of l1. Every pair is a separate small
transport problem, so this is for small data; for large data use a view of nearby cells
(`NearbyCells`).
"""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse

from trailprint.arrays import Floats, Ints
from trailprint.attacks.matching import Problem, Side, match_problem, to_arrays
from trailprint.attacks.options import MatchOptions
from trailprint.errors import InputError, OptionError
from trailprint.features.histograms import Histograms
from trailprint.kernels.csr import label_equal_rows
from trailprint.kernels.distances.transport import Ground, transport_gains
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.metrics import PRODUCT, TINY, Metric
from trailprint.linkage import Linkage
from trailprint.progress import Progress

MOST_PAIRS = 50_000_000
"""Maximum number of pairs of places, over all pairs of people: a minute or two."""

_GAINS = Metric("transport", PRODUCT, "none", 1.0, False)
"""Metric for precomputed gains: a released row holds a one, an auxiliary row the gains."""


def match_transport(
    released: Histograms,
    auxiliary: Histograms,
    place: Floats,
    options: MatchOptions,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Linkage:
    """
    Link released users to auxiliary ones by how far apart their histograms are on the map.

    ``place`` are the shared locations as points on the unit sphere (`locate`). The matching is
    joint and proven optimal, or one by one, as with every metric.
    """
    if len(released.slots) > 1:
        raise OptionError(
            "--metric transport compares whole histograms: leave out --slots.", option="metric"
        )
    _check_size(released, auxiliary)
    began = time.perf_counter()
    ground = Ground(place, options.reach_m)
    problem = _pose(released, auxiliary, ground, began, n_threads)
    return match_problem(problem, options, n_threads=n_threads, progress=progress)


def _check_size(released: Histograms, auxiliary: Histograms) -> None:
    n_pairs = released.matrix.nnz * auxiliary.matrix.nnz
    if n_pairs > MOST_PAIRS:
        raise InputError(
            "--metric transport compares each place of each person with each of every other and "
            f"takes at most {MOST_PAIRS:,} pairs of places, got {n_pairs:,}. "
            "Try --views nearby-300m,nearby-1km instead, or larger cells.",
            option="metric",
        )


def _pose(
    released: Histograms, auxiliary: Histograms, ground: Ground, began: float, n_threads: int | None
) -> Problem:
    """Express the gains of all pairs as a problem for the exact solver."""
    rows, columns = (np.flatnonzero(np.diff(x.matrix.indptr) > 0) for x in (released, auxiliary))
    first, second = released.probabilities()[rows], auxiliary.probabilities()[columns]
    # People with equal histograms share a column, so that ties between them are broken fairly.
    group = label_equal_rows(*to_arrays(first))
    shown = np.unique(group, return_index=True)[1]
    gains = transport_gains(to_arrays(first[shown]), to_arrays(second), ground, n_threads)
    sides = _indicate(rows, group, len(shown)), _fill(columns, gains)
    return Problem(
        sides=sides,
        n_columns=len(shown) + 1,
        metric=_GAINS,
        join=build_join(sides[0].bare, sides[1].bare, len(shown) + 1, _GAINS),
        constant=1.0,
        n_users=(released.n_users, auxiliary.n_users),
        began=began,
    )


def _indicate(rows: Ints, group: Ints, n_groups: int) -> Side:
    """Return rows with a one in the column of a person's group and one in the common column."""
    n = len(rows)
    own = sparse.csr_array((np.ones(n), group, np.arange(n + 1)), shape=(n, n_groups))
    return _side(rows, sparse.hstack([own, np.ones((n, 1))], format="csr"))


def _fill(columns: Ints, gains: Floats) -> Side:
    """Return the gains, and a tiny value in the common column so that everyone can be linked."""
    # Rounding may leave a gain slightly off zero or one.
    own = np.where(gains.T > TINY, np.minimum(gains.T, 1.0), 0.0)
    everybody = np.full((len(columns), 1), TINY)
    return _side(columns, sparse.csr_array(np.hstack([own, everybody])))


def _side(people: Ints, matrix: sparse.csr_array) -> Side:
    arrays = to_arrays(matrix)
    return Side(people.astype(np.int64), arrays, arrays, np.zeros(len(people)))
