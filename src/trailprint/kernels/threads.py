"""Run a compiled loop on several threads; the answer never depends on how many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

N_CHUNKS = 64
"""Chunks a pass is cut into: fixed, so that nothing depends on the number of threads."""


def available_threads() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def split_evenly(work: npt.NDArray[Any]) -> list[tuple[int, int]]:
    """Cut ``range(work.size)`` into at most `N_CHUNKS` ranges of about equal work."""
    if work.size == 0:
        return []
    done = np.cumsum(work, dtype=np.float64) + np.arange(1, work.size + 1)
    goals = done[-1] * np.arange(1, N_CHUNKS) / N_CHUNKS
    cuts = np.unique(np.concatenate([[0], np.searchsorted(done, goals), [work.size]]))
    return [(int(low), int(high)) for low, high in pairwise(cuts)]


def run_parallel(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], n_threads: int | None
) -> list[Any]:
    """Call ``function(*task)`` for every task; results in the order of the tasks."""
    threads = available_threads() if n_threads is None else n_threads
    waiting = list(tasks)
    if threads <= 1 or len(waiting) <= 1:
        return [function(*task) for task in waiting]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda task: function(*task), waiting))
