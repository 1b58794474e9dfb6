"""
Compile all kernels before a machine's first audit, in two processes.

Numba compiles on one core. While this process compiles the kernels for matching, another compiles
those for trails, known points, sequences and micro-aggregation; they share the cache on disk.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator

from trailprint.cli.present import open_console, print_line
from trailprint.cli.progress_file import find_progress_file
from trailprint.events.engine import Engine
from trailprint.events.events import Events
from trailprint.system.child_process import ChildProcess

_COMPILING = (
    "Compiling the kernels for this machine: about a minute, once. "
    "A time limit counts only the rest."
)


def are_compiled() -> bool:
    """Whether these kernels are already compiled on this machine."""
    from trailprint.kernels.compiling import is_compiled
    from trailprint.kernels.grouping import refinement

    # Only micro-aggregation uses it: if it is compiled, so are the others.
    return is_compiled(refinement._sweep)


def compile_first() -> float:
    """Compile the kernels for audits, if needed; return the seconds it took."""
    if are_compiled():
        return 0.0
    began = time.perf_counter()
    print_line(open_console(stderr=True), _COMPILING, "dim")
    file = find_progress_file()
    if file is not None:
        file.report("Compiling the kernels for this machine, once", None)
    with _compiling_meanwhile():
        compile_matching()
    return time.perf_counter() - began


@contextlib.contextmanager
def _compiling_meanwhile() -> Iterator[None]:
    """Compile the other kernels in a child process; with a single core, do it afterwards."""
    if (os.cpu_count() or 1) < 2:
        yield
        compile_kernels()
        return
    silent = subprocess.DEVNULL
    child = ChildProcess(
        __name__, compile_kernels.__name__, stdin=silent, stdout=silent, stderr=silent
    )
    try:
        yield
        child.wait()
    finally:
        child.stop()


def compile_matching() -> None:
    """Use every kernel of matching once, in a small audit of simulated people."""
    from trailprint.audit.options import AuditOptions
    from trailprint.audit.run import Asked, run_audit

    options = AuditOptions(
        attacks=("histogram",), protections=("top-locations:n=10",), time_limit_s=None
    )
    campus = _make_campus()
    run_audit(Asked(sides=[campus], truth=None, options=options), n_threads=1)
    _match_in_other_ways(campus)


def _match_in_other_ways(campus: Events) -> None:
    """Use the kernels that only views, and matchings of thousands of people, need."""
    import numpy as np

    from trailprint.features.histograms import build_histograms
    from trailprint.kernels.matching.lookup import dense_gains
    from trailprint.kernels.matching.metrics import METRICS
    from trailprint.kernels.matching.moves import PriceMoves
    from trailprint.kernels.matching.reduction import reduce_problem

    metric = METRICS["jensen-shannon"]
    own = build_histograms(campus).probabilities()
    side = own.indptr, own.indices, own.data
    reduced = reduce_problem(side, side, own.shape[1], metric, 0)
    dense_gains(reduced.join, 1)
    moves = PriceMoves(reduced.join, reduced.col_start, least_work=0)
    price = np.arange(reduced.join.n_cols, dtype=np.float64)
    bound = np.zeros(reduced.join.n_rows)
    # Rows stay in doubt until the columns whose prices rose least are scanned.
    moves.follow(bound, price, price, lambda left: left > -1.0, 1)


def compile_kernels() -> None:
    """Use every kernel of trails, points, sequences and grouping once, on simulated people."""
    from trailprint.attacks.options import TrailOptions
    from trailprint.attacks.sequence.correlation import correlate_sequences
    from trailprint.attacks.trail import match_trails
    from trailprint.features.histograms import build_histograms
    from trailprint.features.sequences import build_sequence_pair
    from trailprint.features.trails import trails_of
    from trailprint.protections.protection import HistogramProtection
    from trailprint.protections.registry import PROTECTIONS
    from trailprint.workflows.points import points

    campus = _make_campus()
    points(campus, n_threads=1)
    histograms = build_histograms(campus)
    for kind in PROTECTIONS.values():
        if issubclass(kind, HistogramProtection) and kind.is_compiled_ahead:
            kind().change(histograms, (0, 0))
    trails = trails_of(histograms)
    for options in (TrailOptions(), TrailOptions(algorithm="incomplete", reserved="auxiliary")):
        linkage = match_trails(trails, trails, options)
        linkage.rank(linkage.released, linkage.auxiliary)
    correlate_sequences(*build_sequence_pair(campus, campus), n_threads=1)


def _make_campus() -> Events:
    from trailprint.events.reading.read import read
    from trailprint.simulate.campus import CampusOptions, simulate_campus

    table = simulate_campus(CampusOptions(n_users=20, n_days=14))
    return read(table, engine=Engine(threads=1))
