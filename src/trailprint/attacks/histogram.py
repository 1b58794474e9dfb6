"""
Histogram matching: link people with similar habits (2016 and 2013 papers).

``joint`` finds the minimum-weight matching of all users at once (the papers' A1, or A2 with a
fixed size) and proves it optimal; ``one-by-one`` gives each record its nearest counterpart
independently.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse

from trailprint.arrays import Floats, Ints
from trailprint.attacks.matching import Problem, Side, match_problem, to_arrays
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.slots import add_allowances, count_empty_slots
from trailprint.errors import OptionError
from trailprint.features.histograms import Histograms
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.metrics import METRICS, Metric
from trailprint.linkage import Linkage
from trailprint.progress import Progress


def match_histograms(
    released: Histograms,
    auxiliary: Histograms,
    options: MatchOptions | None = None,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
    start: Floats | None = None,
) -> Linkage:
    """
    Link released users to auxiliary ones by their histograms.

    Users without data are never linked. Both sides must have the same locations and slots.
    ``start`` are the ``prices`` of an earlier linkage with the same auxiliary users: a warm start
    for joint matching.
    """
    options = options or MatchOptions()
    if options.metric == "transport":
        raise OptionError(
            "--metric transport needs to know where locations are: use match.", option="metric"
        )
    metric = METRICS[options.metric]
    if metric.uses_totals and len(released.slots) > 1:
        raise OptionError(
            f"--metric {metric.name} compares whole histograms and cannot be used with --slots.",
            option="metric",
        )
    problem = pose_problem(released, auxiliary, metric)
    return match_problem(problem, options, n_threads=n_threads, progress=progress, start=start)


def pose_problem(released: Histograms, auxiliary: Histograms, metric: Metric) -> Problem:
    """Build the matching problem: drop users without data, scale the rest, count empty slots."""
    began = time.perf_counter()
    (rows, first), (columns, second) = (_with_data(x, metric) for x in (released, auxiliary))
    n_slots = len(released.slots)
    empty = count_empty_slots(first, n_slots), count_empty_slots(second, n_slots)
    bare = to_arrays(first), to_arrays(second)
    allowed, n_columns = bare, first.shape[1]
    if empty[0].any() or empty[1].any():
        filled = add_allowances((first, second), empty, metric)
        allowed, n_columns = (to_arrays(filled[0]), to_arrays(filled[1])), filled[0].shape[1]
    allowance = [metric.constant / 2 * n_empty.astype(np.float64) for n_empty in empty]
    sides = (
        Side(rows, bare[0], allowed[0], allowance[0]),
        Side(columns, bare[1], allowed[1], allowance[1]),
    )
    join = build_join(sides[0].allowed, sides[1].allowed, n_columns, metric)
    constant = join.constant if metric.uses_totals else metric.constant * n_slots
    n_users = released.n_users, auxiliary.n_users
    return Problem(sides, n_columns, metric, join, constant, n_users, began)


def _with_data(histograms: Histograms, metric: Metric) -> tuple[Ints, sparse.csr_array]:
    """Return the users who have data and their histograms, scaled for the metric."""
    scaled = histograms.scaled(metric.scaling)
    rows = np.flatnonzero(np.diff(scaled.indptr) > 0).astype(np.int64)
    return rows, scaled if len(rows) == scaled.shape[0] else scaled[rows]
