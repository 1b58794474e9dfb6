"""Joint matching measured against its own lower bound and against its peers, as ratios.

Run ``python benchmarks/bench_matching.py`` (``--quick`` for small sizes, ``--only`` for one part).
Every part runs in a process of its own, so that peak memory is that part's. Peers that are not
installed (lapx, OR-Tools) are left out and said so.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.join import Join, build_join, fill_row, row_chunks
from trailprint.kernels.matching.lookup import dense_gains
from trailprint.kernels.matching.margins import link_margins
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.kernels.matching.solve import Solution, solve_reduced
from trailprint.kernels.threads import run_parallel
from trailprint.simulate.calls import WeekCalls, simulate_calls

METRIC = METRICS["jensen-shannon"]
PAPER_USERS, PAPER_CITIES, PAPER_ANTENNAS = 46_986, 60, 1_211


def prepare(n_users: int, *, in_proportion: bool = False) -> tuple[Any, Any, int]:
    """Simulate two weeks: released CSR, auxiliary CSR, number of locations."""
    scale = n_users / PAPER_USERS if in_proportion else 1.0
    n_cities = max(1, round(PAPER_CITIES * scale))
    n_antennas = max(n_cities, round(PAPER_ANTENNAS * scale))
    population = simulate_calls(n_users, n_cities=n_cities, n_antennas=n_antennas)
    released, auxiliary = (week_csr(week, n_users) for week in population.weeks)
    return released, auxiliary, n_antennas


def week_csr(week: WeekCalls, n_users: int) -> Any:
    """One week's histograms as CSR arrays."""
    ptr = np.searchsorted(week.user, np.arange(n_users + 1))
    total = np.bincount(week.user, week.count, n_users)
    return ptr, week.antenna.astype(np.int32), week.count / total[week.user]


def clock(function: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    """Return the best time of a few runs, and the last result."""
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


@njit(nogil=True)
def _bare_rows(join: Join, low: int, high: int) -> tuple[int, float]:
    """Compute every gain of rows low:high once; return (number of pairs, sum of gains)."""
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    pairs = 0
    total = 0.0
    for i in range(low, high):
        n = fill_row(join, i, scratch, touched)
        pairs += n
        for t in range(n):
            j = touched[t]
            total += scratch[j]
            scratch[j] = 0.0
    return pairs, total


def bare_pass(join: Join) -> tuple[int, float]:
    """Return the number of overlapping pairs and the sum of their gains."""
    chunks = row_chunks(join, np.arange(join.n_rows))
    parts = run_parallel(_bare_rows, [(join, low, high) for low, high in chunks], None)
    return sum(pairs for pairs, _ in parts), float(sum(total for _, total in parts))


def solve_sides(
    released: Any, auxiliary: Any, n_locations: int, size: int | None = None
) -> Solution:
    """The whole exact matching of two sides."""
    return solve_reduced(reduce_problem(released, auxiliary, n_locations, METRIC, 0), size=size)


def warm_up() -> None:
    """Compile, or load what was compiled, before anything is timed."""
    released, auxiliary, n = prepare(60)
    reduced = reduce_problem(released, auxiliary, n, METRIC, 0)
    solution = solve_reduced(reduced)
    solve_reduced(reduced, size=30)
    link_margins(reduced, solution.column, solution.u, solution.v)
    join = build_join(released, auxiliary, n, METRIC)
    bare_pass(join)
    dense_gains(join)


def peak_memory_gb() -> float:
    """Peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def say(what: str, value: float, target: str, met: bool) -> None:
    """Print one figure beside its target."""
    print(f"  {what:<58} {value:>9.2f}   target {target:<20} {'ok' if met else 'MISSED'}")


def gap_of(solution: Solution) -> float:
    """The proven gap relative to the gain."""
    return (solution.upper_bound - solution.total_gain) / solution.total_gain


def bench_large(quick: bool) -> None:
    """Point 1: the whole exact matching in bare passes."""
    n = 10_000 if quick else PAPER_USERS
    print(f"1. exact joint matching, {n:,} users")
    released, auxiliary, n_locations = prepare(n)
    join = build_join(released, auxiliary, n_locations, METRIC)
    bare, (pairs, _) = clock(lambda: bare_pass(join), 3)
    seconds, solution = clock(lambda: solve_sides(released, auxiliary, n_locations), 2)
    accuracy = (solution.column == np.arange(n)).mean()
    print(
        f"  {pairs:,} overlapping pairs, bare pass {bare:.2f} s, matching {seconds:.2f} s, "
        f"{solution.rounds} rounds, accuracy {accuracy:.1%}, relative gap {gap_of(solution):.1e}"
    )
    say("matching / bare pass", seconds / bare, "<= 15, goal 8", seconds / bare <= 15)
    say("peak memory, GB", peak_memory_gb(), "<= 3", peak_memory_gb() <= 3)


def bench_peers(quick: bool) -> None:
    """Point 2: against dense and sparse assignment solvers, weights included."""
    n = 2_000 if quick else 10_000
    print(f"2. against other solvers, {n:,} users")
    released, auxiliary, n_locations = prepare(n)
    seconds, solution = clock(lambda: solve_sides(released, auxiliary, n_locations), 3)
    join = build_join(released, auxiliary, n_locations, METRIC)
    fill, gains = clock(lambda: dense_gains(join))
    print(f"  trailprint {seconds:.2f} s; filling the dense matrix {fill:.2f} s")
    for name, solve in peers().items():
        try:
            alone, total = clock(lambda solve=solve: solve(gains))  # type: ignore[misc]
        except ImportError:
            print(f"  {name}: not installed")
            continue
        ratio = (fill + alone) / seconds
        say(f"{name} ({alone:.2f} s alone) / trailprint", ratio, ">= 5, goal 10", ratio >= 5)
        apart = abs(total - solution.total_gain) / solution.total_gain
        say(f"{name}: relative difference in total gain, 1e-6", apart * 1e6, "<= 1", apart <= 1e-6)


def peers() -> dict[str, Callable[[Any], float]]:
    """The solvers compared with: each returns its total gain."""
    return {
        "SciPy linear_sum_assignment": solve_with_scipy,
        "lapx": solve_with_lapx,
        "OR-Tools": solve_with_ortools,
        "SciPy min_weight_full_bipartite_matching": solve_with_sparse_scipy,
    }


def solve_with_scipy(gains: Any) -> float:
    """SciPy's dense solver."""
    from scipy.optimize import linear_sum_assignment

    return float(gains[linear_sum_assignment(gains, maximize=True)].sum())


def solve_with_lapx(gains: Any) -> float:
    """The Jonker-Volgenant solver of lapx."""
    import lap

    column = np.asarray(lap.lapjv(METRIC.constant - gains)[1])
    return float(gains[np.arange(gains.shape[0]), column].sum())


def solve_with_ortools(gains: Any) -> float:
    """OR-Tools' cost scaling; it wants whole numbers."""
    from ortools.graph.python import linear_sum_assignment

    solver = linear_sum_assignment.SimpleLinearSumAssignment()
    cost = np.round((METRIC.constant - gains) * 1e9).astype(np.int64)
    rows, cols = np.indices(gains.shape, dtype=np.int32)
    solver.add_arcs_with_cost(rows.ravel(), cols.ravel(), cost.ravel())
    solver.solve()
    column = [solver.right_mate(i) for i in range(gains.shape[0])]
    return float(gains[np.arange(gains.shape[0]), column].sum())


def solve_with_sparse_scipy(gains: Any) -> float:
    """SciPy's sparse solver on the overlap graph, with a way out for every row."""
    from scipy.sparse import csr_array, eye_array, hstack
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    overlap = csr_array(gains)
    overlap.data = 1.0 + METRIC.constant - overlap.data
    graph = hstack([overlap, eye_array(gains.shape[0]) * (1.0 + METRIC.constant)], format="csr")
    rows, cols = min_weight_full_bipartite_matching(graph)
    real = cols < gains.shape[1]
    return float(gains[rows[real], cols[real]].sum())


def bench_growth(quick: bool) -> None:
    """Point 3: time against overlapping pairs while everything grows in proportion."""
    sizes = (5_000, 20_000) if quick else (10_000, 50_000, 200_000)
    print("3. growth, cities and locations in proportion to users")
    first: tuple[float, int] | None = None
    for n in sizes:
        released, auxiliary, n_locations = prepare(n, in_proportion=True)
        seconds, solution = clock(
            lambda r=released, a=auxiliary, k=n_locations: solve_sides(r, a, k),  # type: ignore[misc]
            3 if n <= 20_000 else 1,
        )
        pairs = solution.overlapping_pairs
        print(
            f"  {n:,} users: {seconds:.2f} s, {pairs:,} overlapping pairs, "
            f"{solution.rounds} rounds, relative gap {gap_of(solution):.1e}"
        )
        if first is None:
            first = seconds, pairs
        growth = (seconds / first[0]) / (pairs / first[1])
        say("time growth / pair growth", growth, "<= 1.3", growth <= 1.3)
    say("peak memory, GB", peak_memory_gb(), "<= 6", peak_memory_gb() <= 6)


def bench_variants(quick: bool) -> None:
    """Point 4: fixed size and margins against the joint matching."""
    n = 1_000 if quick else 5_000
    print(f"4. fixed size and margins, {n:,} users")
    released, auxiliary, n_locations = prepare(n)
    joint, solution = clock(lambda: solve_sides(released, auxiliary, n_locations), 7)
    fixed, _ = clock(lambda: solve_sides(released, auxiliary, n_locations, 3 * n // 4), 7)
    reduced = reduce_problem(released, auxiliary, n_locations, METRIC, 0)
    margins, found = clock(
        lambda: link_margins(reduced, solution.column, solution.u, solution.v), 7
    )
    print(
        f"  joint {joint:.3f} s, fixed size {fixed:.3f} s, margins {margins:.3f} s, "
        f"{int(found.at_least.sum())} margins capped"
    )
    say("fixed size / joint", fixed / joint, "<= 3", fixed / joint <= 3)
    say("all margins / joint", margins / joint, "<= 5", margins / joint <= 5)


PARTS = {
    "large": bench_large,
    "peers": bench_peers,
    "growth": bench_growth,
    "variants": bench_variants,
}


def main() -> None:
    """Run one part, or each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--only", choices=sorted(PARTS), help="run one part in this process")
    options = parser.parse_args()
    if options.only:
        warm_up()
        PARTS[options.only](options.quick)
        return
    for name in PARTS:
        command = [sys.executable, __file__, "--only", name, *["--quick"] * options.quick]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
