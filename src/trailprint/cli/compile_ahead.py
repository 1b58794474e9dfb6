"""
On a machine's first audit kernels are compiled; a second process does those needed later.

Numba compiles on one core. While the audit compiles what matching needs, the process compiles what
trails and micro-aggregation need, and both find each other's kernels on disk.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from trailprint.child_process import ChildProcess
from trailprint.events.engine import Engine

#: Kernels only micro-aggregation uses: where they are compiled, so is the rest.
_LAST = "refinement.*.nbi"


def are_compiled() -> bool:
    """Whether an audit was run on this machine before."""
    from trailprint import kernels

    own = Path(kernels.__path__[0])
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or own)
    return any(folder.rglob(_LAST))


@contextlib.contextmanager
def compiling_ahead() -> Iterator[None]:
    """Let a second process compile meanwhile, where there is a second core and a need."""
    if are_compiled() or (os.cpu_count() or 1) < 2:
        yield
        return
    silent = subprocess.DEVNULL
    child = ChildProcess(
        __name__, compile_kernels.__name__, stdin=silent, stdout=silent, stderr=silent
    )
    try:
        yield
    finally:
        child.stop()


def compile_kernels() -> None:
    """Use every kernel of trails and micro-aggregation once, on a few people who do not exist."""
    from trailprint.attacks.trail import TrailOptions, match_trails
    from trailprint.events.read import read
    from trailprint.features.histograms import build_histograms
    from trailprint.features.trails import trails_of
    from trailprint.protections.microaggregate import Microaggregate
    from trailprint.simulate.campus import CampusOptions, simulate_campus

    table = simulate_campus(CampusOptions(n_users=20, n_days=5))
    histograms = build_histograms(read(table, engine=Engine(threads=1)))
    Microaggregate(k=3).change(histograms, (0, 0))
    trails = trails_of(histograms)
    for options in (TrailOptions(), TrailOptions(algorithm="incomplete", reserved="identified")):
        linkage = match_trails(trails, trails, options)
        linkage.rank(linkage.released, linkage.auxiliary)
