"""Run a compiled loop on several threads; the result never depends on how many."""

from __future__ import annotations

import itertools
import math
import os
import queue
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextvars import copy_context
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from trailprint.kernels.stopping import check_stop

N_CHUNKS = 64
"""Chunks that a pass is cut into: fixed, so that no result depends on the number of threads."""


def available_threads() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def count_chunks(work: float, least: float) -> int:
    """Return how many chunks to cut a pass into, given the least work worth one chunk."""
    return int(min(max(work // least, 1), N_CHUNKS))


def split_evenly(work: npt.NDArray[Any], n_chunks: int = N_CHUNKS) -> list[tuple[int, int]]:
    """Cut ``range(work.size)`` into at most ``n_chunks`` ranges of about equal work."""
    if work.size == 0:
        return []
    done = np.cumsum(work, dtype=np.float64) + np.arange(1, work.size + 1)
    goals = done[-1] * np.arange(1, n_chunks) / n_chunks
    cuts = np.unique(np.concatenate([[0], np.searchsorted(done, goals), [work.size]]))
    return [(int(low), int(high)) for low, high in pairwise(cuts)]


def run_parallel(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], n_threads: int | None
) -> list[Any]:
    """
    Call ``function(*task)`` for every task; return the results in the order of the tasks.

    No task starts once there is a reason to stop.
    """
    threads = available_threads() if n_threads is None else n_threads
    waiting = list(tasks)
    share = getattr(_current, "share", None)
    if share is not None:
        return share(function, waiting)
    if threads <= 1 or len(waiting) <= 1:
        return [_begin(function, task) for task in waiting]
    pool = ThreadPoolExecutor(threads)
    try:
        return list(pool.map(partial(_begin, function), waiting))
    finally:
        # After a failure or Ctrl-C, tasks that have not started are cancelled.
        pool.shutdown(cancel_futures=True)


def _begin(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    check_stop()
    return function(*task)


def run_together(
    function: Callable[..., Any], jobs: list[tuple[Any, ...]], n_threads: int | None
) -> list[Any]:
    """Call ``function(*job)`` for a few jobs at once; return the results in their order.

    All tasks that the jobs pass to `run_parallel` share the same threads, an earlier job's tasks
    first: while the first job is busy on one thread, the others use the remaining threads.
    """
    threads = available_threads() if n_threads is None else n_threads
    if threads <= 1 or len(jobs) <= 1:
        return [function(*job) for job in jobs]
    with _SharedThreads(threads) as shared, ThreadPoolExecutor(len(jobs)) as pool:
        try:
            parts = [
                # The copied context gives the jobs the same runner of passes.
                pool.submit(copy_context().run, _with_share, partial(shared.run, k), function, job)
                for k, job in enumerate(jobs)
            ]
            for part in as_completed(parts):
                part.result()
        except BaseException:
            shared.stop()
            raise
        return [part.result() for part in parts]


_current = threading.local()


def _with_share(
    share: Callable[..., list[Any]], function: Callable[..., Any], job: tuple[Any, ...]
) -> Any:
    """Call ``function(*job)``, with its calls of `run_parallel` passed on to ``share``."""
    _current.share = share
    return function(*job)


class _SharedThreads:
    """Threads shared by jobs; each takes a waiting task of the first job that has one."""

    def __init__(self, n_threads: int) -> None:
        self._waiting: queue.PriorityQueue[tuple[float, int, Callable[[], None] | None]]
        self._waiting = queue.PriorityQueue()
        self._number = itertools.count()
        self._stopped = False
        self._threads = [threading.Thread(target=self._work) for _ in range(n_threads)]

    def __enter__(self) -> Self:
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for _thread in self._threads:
            self._waiting.put((math.inf, next(self._number), None))
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _work(self) -> None:
        while (task := self._waiting.get()[2]) is not None:
            task()

    def run(
        self, job: int, function: Callable[..., Any], tasks: list[tuple[Any, ...]]
    ) -> list[Any]:
        """Run a job's tasks; return the results in their order."""
        results: list[Future[Any]] = [Future() for _ in tasks]
        for result, task in zip(results, tasks, strict=True):
            self._waiting.put(
                (job, next(self._number), partial(self._fulfil, result, function, task))
            )
        return [result.result() for result in results]

    def stop(self) -> None:
        """Cancel all waiting and later tasks, so that their jobs end at once."""
        self._stopped = True

    def _fulfil(
        self, result: Future[Any], function: Callable[..., Any], task: tuple[Any, ...]
    ) -> None:
        """Store what the task returns or raises in its future."""
        try:
            if self._stopped:
                raise CancelledError
            result.set_result(_begin(function, task))
        except BaseException as error:
            result.set_exception(error)
