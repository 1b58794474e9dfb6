"""Estimate the cost of a matching from a sample of people, before it starts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from trailprint.attacks.matching import JOINT_PASSES, MARGIN_PASSES, Problem, to_arrays
from trailprint.attacks.options import MatchOptions
from trailprint.features.histograms import Histograms
from trailprint.features.views import Views
from trailprint.kernels.distances.transport import Ground, transport_gains
from trailprint.kernels.matching.candidates import best_pairs
from trailprint.kernels.matching.join import Join, row_work
from trailprint.kernels.matching.margins import KEPT_PAIRS
from trailprint.kernels.matching.parts import cut_join, measure_join
from trailprint.kernels.matching.pricing import FIRST_CANDIDATES
from trailprint.kernels.passes import passes_run_by

#: Number of terms of the sampled people: a few tenths of a second.
SAMPLE_TERMS = 10_000_000
#: Copies of the join that exist at once: original, reduced, and split into parts.
JOINS = 3
#: Approximate final number of candidate pairs per row: the initial ones, and as many again.
CANDIDATES = 2 * FIRST_CANDIDATES
#: Bytes per candidate pair: column, gain and key in row order, row and gain in column order,
#: and column and gain while it is new.
CANDIDATE_BYTES = 20 + 12 + 12
#: Bytes per pair of people with --metric transport: its gain, dense and in a sparse row.
GAIN_BYTES = 32
#: Pairs of places sampled with --metric transport: a few tenths of a second.
SAMPLE_PLACES = 200_000
#: Bytes per pair kept for margins.
KEPT_BYTES = 12


class Survey(NamedTuple):
    """
    The estimated size of a matching.

    ``n_pairs`` is the number of overlapping pairs, extrapolated from a sample of people.
    ``n_terms`` is the work of one pass over all pairs, which is done in ``n_parts``.
    ``core_seconds`` is the time of the whole matching on one core.
    """

    n_pairs: float
    n_terms: int
    n_passes: float
    n_parts: int
    driver_bytes: int
    worker_bytes: int
    core_seconds: float


def count_terms(released: Histograms | Views, auxiliary: Histograms | Views) -> int:
    """Return the work of one pass over all pairs: how often two people share a location."""
    pairs = zip(_matrices(released), _matrices(auxiliary), strict=True)
    return sum(_count_shared(*pair) for pair in pairs)


def _matrices(side: Histograms | Views) -> Sequence[sparse.csr_array]:
    return (side.matrix,) if isinstance(side, Histograms) else side.matrices


def _count_shared(first: sparse.csr_array, second: sparse.csr_array) -> int:
    both = [np.bincount(one.indices, minlength=first.shape[1]) for one in (first, second)]
    return int(both[0] @ both[1])


def survey_problem(
    problem: Problem,
    options: MatchOptions,
    *,
    worker_bytes: int | None = None,
    seed: int = 0,
) -> Survey:
    """
    Estimate the number of pairs, the memory and the time from a sample of people.

    ``worker_bytes`` is the memory limit of a worker; a larger problem is compared in parts.
    """
    join = problem.join
    work = row_work(join)
    pairs_per_term, seconds_per_term = _try_rows(join, work, seed)
    n_terms = int(work.sum())
    n_passes = _count_passes(options)
    parts = cut_join(join, worker_bytes).n_parts
    held = sum(measure_join(join)) // parts
    kept = KEPT_PAIRS * KEPT_BYTES * (join.n_rows + join.n_cols)
    if options.margins and (worker_bytes is None or held + kept <= worker_bytes):
        held += kept
    return Survey(
        n_pairs=pairs_per_term * n_terms,
        n_terms=n_terms,
        n_passes=n_passes,
        n_parts=parts,
        driver_bytes=_measure_driver(join, options),
        worker_bytes=held,
        core_seconds=n_passes * seconds_per_term * n_terms,
    )


def _measure_driver(join: Join, options: MatchOptions) -> int:
    """Return the bytes of the joins and, for a joint matching, of its candidates."""
    join_bytes = sum(array.nbytes for array in join if isinstance(array, np.ndarray))
    if options.method != "joint":
        return JOINS * join_bytes
    # Rows are the smaller side, and no row has more candidates than there are columns.
    n_rows, n_cols = sorted((join.n_rows, join.n_cols))
    return JOINS * join_bytes + CANDIDATE_BYTES * n_rows * min(CANDIDATES, n_cols)


def survey_transport(
    released: Histograms, auxiliary: Histograms, ground: Ground, *, seed: int = 0
) -> Survey:
    """Estimate the cost of --metric transport, which compares all pairs in this process."""
    first, second = released.probabilities(), auxiliary.probabilities()
    n_places = max(first.nnz * second.nnz, 1)
    order = np.random.default_rng(seed).permutation(first.shape[0])
    n_tried = max(1, round(first.shape[0] * min(1.0, SAMPLE_PLACES / n_places)))
    some = first[np.sort(order[:n_tried])]
    transport_gains(to_arrays(some[:1]), to_arrays(second[:1]), ground, 1)
    began = time.perf_counter()
    transport_gains(to_arrays(some), to_arrays(second), ground, 1)
    seconds = time.perf_counter() - began
    n_pairs = first.shape[0] * second.shape[0]
    return Survey(
        n_pairs=n_pairs,
        n_terms=n_places,
        n_passes=1.0,
        n_parts=1,
        driver_bytes=GAIN_BYTES * n_pairs,
        worker_bytes=0,
        core_seconds=seconds * n_places / max(some.nnz * second.nnz, 1),
    )


def _count_passes(options: MatchOptions) -> float:
    if options.method == "one-by-one":
        return 1.0
    return JOINT_PASSES + (MARGIN_PASSES if options.margins else 0.0)


def _try_rows(join: Join, work: np.ndarray, seed: int) -> tuple[float, float]:
    """Return pairs and seconds per term, measured on a sample of rows on one core."""
    order = np.random.default_rng(seed).permutation(join.n_rows)
    n_rows = int(np.searchsorted(np.cumsum(work[order]), SAMPLE_TERMS)) + 1
    rows = order[:n_rows]
    n_terms = max(int(work[rows].sum()), 1)
    with passes_run_by(None):  # Time one core of this machine, wherever passes usually run.
        best_pairs(join, rows[:1], 1, n_threads=1)
        began = time.perf_counter()
        found = best_pairs(join, rows, 1, n_threads=1)
    return float(found.overlap.sum()) / n_terms, (time.perf_counter() - began) / n_terms
