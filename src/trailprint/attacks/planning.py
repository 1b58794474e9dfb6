"""What a matching will cost, from a look at a few people, before it is begun."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from trailprint.attacks.histogram import pose_problem
from trailprint.attacks.options import MatchOptions
from trailprint.errors import OptionError
from trailprint.features.histograms import Histograms
from trailprint.kernels.matching.candidates import best_pairs
from trailprint.kernels.matching.join import Join, row_work
from trailprint.kernels.matching.margins import KEPT_PAIRS
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.parts import cut_join, measure_join
from trailprint.kernels.matching.pricing import FIRST_CANDIDATES
from trailprint.kernels.passes import passes_run_by

#: Terms of the people who are looked at: some tenths of a second.
SAMPLE_TERMS = 10_000_000
#: A joint matching takes about as long as this many passes over all pairs, and its margins as
#: this many more: 8 and 43 for 10,000 simulated callers, 6 and 54 for 46,986.
JOINT_PASSES, MARGIN_PASSES = 7.0, 50.0
#: Copies of the join that exist at once: as given, reduced, and split into its parts.
JOINS = 3
#: Bytes of a candidate pair: in the rows' order, in the columns', and while they are sorted.
CANDIDATE_BYTES = 20
#: Bytes of a pair that is kept for margins.
KEPT_BYTES = 12


class Survey(NamedTuple):
    """
    The size of a matching.

    ``n_pairs`` overlap, about: counted for a few people and scaled up. ``n_terms`` is the work of
    one pass over all pairs, which is made in ``n_parts``. ``core_seconds`` is what the whole
    matching takes one core.
    """

    n_pairs: float
    n_terms: int
    n_passes: float
    n_parts: int
    join_bytes: int
    driver_bytes: int
    worker_bytes: int
    core_seconds: float


def count_terms(released: Histograms, auxiliary: Histograms) -> int:
    """The work of one pass over all pairs: how often two people share a location."""
    n_columns = released.matrix.shape[1]
    both = [np.bincount(one.matrix.indices, minlength=n_columns) for one in (released, auxiliary)]
    return int(both[0] @ both[1])


def survey_histograms(
    released: Histograms,
    auxiliary: Histograms,
    options: MatchOptions,
    *,
    worker_bytes: int | None = None,
    seed: int = 0,
) -> Survey:
    """
    Look at a few people: how many pairs, how much memory, how long.

    ``worker_bytes`` is what a worker may hold; more is compared in parts.
    """
    if options.metric == "transport":
        raise OptionError("--dry-run plans sums over shared places: leave --metric transport.")
    problem = pose_problem(released, auxiliary, METRICS[options.metric])
    join = problem.join
    work = row_work(join)
    pairs_per_term, seconds_per_term = _try_rows(join, work, seed)
    n_terms = int(work.sum())
    n_passes = _count_passes(options)
    join_bytes = sum(array.nbytes for array in join if isinstance(array, np.ndarray))
    parts = cut_join(join, worker_bytes).n_parts
    held = sum(measure_join(join)) // parts
    kept = KEPT_PAIRS * KEPT_BYTES * (join.n_rows + join.n_cols)
    if options.margins and (worker_bytes is None or held + kept <= worker_bytes):
        held += kept
    candidates = FIRST_CANDIDATES * CANDIDATE_BYTES * (join.n_rows + join.n_cols)
    return Survey(
        n_pairs=pairs_per_term * n_terms,
        n_terms=n_terms,
        n_passes=n_passes,
        n_parts=parts,
        join_bytes=join_bytes,
        driver_bytes=JOINS * join_bytes + (candidates if options.method == "joint" else 0),
        worker_bytes=held,
        core_seconds=n_passes * seconds_per_term * n_terms,
    )


def _count_passes(options: MatchOptions) -> float:
    if options.method == "one-by-one":
        return 1.0
    return JOINT_PASSES + (MARGIN_PASSES if options.margins else 0.0)


def _try_rows(join: Join, work: np.ndarray, seed: int) -> tuple[float, float]:
    """Pairs and seconds for each term, of some rows on one core."""
    order = np.random.default_rng(seed).permutation(join.n_rows)
    n_rows = int(np.searchsorted(np.cumsum(work[order]), SAMPLE_TERMS)) + 1
    rows = order[:n_rows]
    n_terms = max(int(work[rows].sum()), 1)
    with passes_run_by(None):  # What is timed is one core of this machine, whoever runs the rest.
        best_pairs(join, rows[:1], 1, n_threads=1)
        began = time.perf_counter()
        found = best_pairs(join, rows, 1, n_threads=1)
    return float(found.overlap.sum()) / n_terms, (time.perf_counter() - began) / n_terms
