"""Micro-aggregation against MDAV in plain NumPy, as ratios in one run.

Run ``python benchmarks/bench_protections.py`` (``--quick`` for small sizes). Where
``TRAILPRINT_DATA`` names a folder of research data, loss is compared there as well.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import trailprint
from trailprint.features.histograms import build_histograms
from trailprint.features.options import HistogramOptions
from trailprint.kernels.distances.sparse_rows import L1, Rows, build_rows
from trailprint.protections.microaggregate import find_groups, grouping_loss
from trailprint.simulate.calls import simulate_calls

KS = (2, 3, 5, 10, 20)
REAL = {
    "foursquare_nyc_checkins": "visits",
    "wikipedia_edits": "visits",
    "nccu_campus_visits": "duration",
}


def calls(n_users: int) -> Rows:
    """One week of simulated calls as shares."""
    population = simulate_calls(n_users)
    week = population.weeks[0]
    total = np.bincount(week.user, week.count, n_users)
    indptr = np.searchsorted(week.user, np.arange(n_users + 1))
    shares = week.count / total[week.user]
    return build_rows(indptr, week.antenna.astype(np.int32), shares, population.n_antennas, L1)


def real(name: str) -> Rows:
    """Histograms of a research dataset, by its median event."""
    events = trailprint.read(Path(os.environ["TRAILPRINT_DATA"]) / f"{name}.parquet")
    sides = trailprint.split(events, trailprint.SplitOptions(at="median"))
    weight: Any = REAL[name]
    own = build_histograms(sides.released, HistogramOptions(weight=weight)).probabilities()
    return build_rows(own.indptr, own.indices, own.data, own.shape[1], L1)


def numpy_mdav(rows: Rows, k: int) -> np.ndarray:
    """MDAV as one would write it in plain NumPy, on the dense matrix."""
    matrix = np.zeros((rows.n_rows, rows.n_columns))
    matrix[np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr)), rows.indices] = rows.data
    left, group, label = np.arange(rows.n_rows), np.zeros(rows.n_rows, dtype=np.int64), 0

    def distances(point: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(matrix[left] - point).sum(axis=1))

    def take(row: int) -> np.ndarray:
        order = np.argsort(distances(matrix[row]), kind="stable")
        group[left[order[:k]]] = label
        return np.sort(left[order[k:]])

    while len(left) >= 2 * k:
        n_turns = 2 if len(left) >= 3 * k else 1
        row = left[np.argmax(distances(matrix[left].mean(axis=0)))]
        for _ in range(n_turns):
            left = take(row)
            label += 1
            row = left[np.argmax(distances(matrix[row]))]
    group[left] = label
    return group


def clock(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def compare_loss(name: str, rows: Rows) -> None:
    """Group selection's loss and MDAV's, for every k."""
    for k in KS:
        seconds, own = clock(partial(find_groups, rows, k, "group-selection"))
        ours, theirs = (grouping_loss(rows, group) for group in (own, find_groups(rows, k, "mdav")))
        verdict = "meets" if ours <= theirs else "MISSES"
        print(
            f"{name}, {rows.n_rows:,} users, k = {k}: loss {ours:.4f} to MDAV's {theirs:.4f}, "
            f"{verdict}; {seconds:.2f} s",
            flush=True,
        )


def compare_speed(n_users: int, k: int = 10) -> None:
    """Our grouping and NumPy's MDAV on the same input."""
    rows = calls(n_users)
    ours, own = clock(lambda: find_groups(rows, k, "group-selection"))
    theirs, other = clock(lambda: numpy_mdav(rows, k))
    verdict = "meets" if ours <= theirs else "MISSES"
    print(
        f"calls, {n_users:,} users, k = {k}: {ours:.2f} s = {ours / theirs:.3f}x NumPy's MDAV "
        f"({theirs:.1f} s), {verdict} 1x; loss {grouping_loss(rows, own):.4f} to "
        f"{grouping_loss(rows, other):.4f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    find_groups(calls(200), 3, "group-selection")  # compiles
    many = calls(2_000 if quick else 46_986)
    seconds, _ = clock(lambda: find_groups(many, 10, "group-selection"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    verdict = "meets" if peak < 4096 else "MISSES"
    print(f"calls, {many.n_rows:,} users, k = 10: {seconds:.1f} s; peak {peak:,.0f} MB, {verdict}")
    compare_speed(1_000 if quick else 10_000)
    compare_loss("calls", calls(1_000 if quick else 10_000))
    for name in REAL if os.environ.get("TRAILPRINT_DATA") else ():
        compare_loss(name, real(name))


if __name__ == "__main__":
    main()
