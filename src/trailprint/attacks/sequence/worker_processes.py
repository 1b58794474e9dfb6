"""
Worker processes that take calls over pipes, for work that holds the GIL.

Unlike those of ``multiprocessing`` they never import the calling program, so any script or notebook
can use them unchanged. They end when the caller ends, for whatever reason.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import queue
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import IO, Any, cast

from trailprint.errors import TrailprintError
from trailprint.kernels.passes import RunCalls, calls_run_elsewhere
from trailprint.kernels.stopping import check_stop
from trailprint.system.child_process import ChildProcess

#: Seconds between checks for a reason to stop while all workers are busy.
_LOOK_AGAIN_S = 0.2


class Worker:
    """One worker process, which answers one call at a time."""

    def __init__(self) -> None:
        self._child = ChildProcess(
            __name__, serve.__name__, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._calls = cast(IO[bytes], self._child.process.stdin)
        self._answers = cast(IO[bytes], self._child.process.stdout)

    def call(self, function: Callable[..., Any], *task: Any) -> Any:
        """Return ``function(*task)``, computed in the worker; both must be picklable."""
        try:
            pickle.dump((function, task), self._calls, protocol=pickle.HIGHEST_PROTOCOL)
            self._calls.flush()
            is_result, answer = pickle.load(self._answers)
        except (OSError, EOFError, pickle.UnpicklingError):
            raise TrailprintError(
                "All worker processes must live to the end, but one was stopped, perhaps for lack "
                "of memory. Start again, or use one thread."
            ) from None
        if not is_result:
            raise answer if isinstance(answer, TrailprintError) else RuntimeError(answer)
        return answer

    def close(self) -> None:
        """Let the process finish its call and end, and wait for it."""
        for pipe in (self._calls, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()
        self._child.wait()

    def stop(self) -> None:
        """End the process at once; a call that is waiting for it fails."""
        self._child.stop()


def serve() -> None:
    """Answer calls until the caller closes the pipe."""
    answers = os.fdopen(os.dup(1), "wb")
    # Output printed by libraries must not mix with the answers.
    os.dup2(2, 1)
    while True:
        try:
            function, task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = True, function(*task)
        except TrailprintError as error:
            answer = False, error
        except Exception:
            answer = False, traceback.format_exc()
        pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()


#: Idle processes, kept for reuse: starting one often takes longer than the work itself.
_idle: list[Worker] = []


@contextmanager
def workers_for(
    n_workers: int, prepare: Callable[..., None], *shared: Any, is_worth: bool
) -> Iterator[RunCalls]:
    """
    Yield a function that runs tasks: where passes are run, or in processes on this machine.

    If ``is_worth`` is false, tasks run in this process. ``prepare(*shared)`` is called first
    wherever tasks are run.
    """
    if not is_worth:
        with processes(1, prepare, *shared) as run:
            yield run
        return
    with calls_run_elsewhere(prepare, shared) as elsewhere:
        if elsewhere is not None:
            yield elsewhere
            return
    with processes(n_workers, prepare, *shared) as run:
        yield run


@contextmanager
def processes(n_workers: int, prepare: Callable[..., None], *shared: Any) -> Iterator[RunCalls]:
    """
    Yield a function that runs tasks: in this process if ``n_workers`` is 1, else in others.

    Each process calls ``prepare(*shared)`` first, and ``prepare()`` when the work is over.
    """
    if n_workers <= 1 or not sys.executable:
        try:
            prepare(*shared)
            yield _run_here
        finally:
            prepare()
        return
    workers = [_idle.pop() if _idle else Worker() for _ in range(n_workers)]
    with ThreadPoolExecutor(n_workers) as pool:
        try:
            run = _Distribution(pool, workers)
            run.everywhere(prepare, *shared)
            yield run
            run.everywhere(prepare)
        except BaseException:
            # Workers may be in the middle of long calls: stop them, so that the threads waiting
            # for an answer, and anything waiting for those threads, are released at once.
            for worker in workers:
                worker.stop()
            pool.shutdown(cancel_futures=True)
            for worker in workers:
                worker.close()
            raise
    _idle.extend(workers)


@atexit.register
def close_idle() -> None:
    """End the idle processes."""
    while _idle:
        _idle.pop().close()


def _run_here(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
) -> Iterator[tuple[int, Any]]:
    for number, task in enumerate(tasks):
        check_stop()
        yield number, function(*task)


class _Distribution:
    """Distributes tasks to workers, with one waiting thread for each."""

    def __init__(self, pool: ThreadPoolExecutor, workers: list[Worker]) -> None:
        self._pool, self._workers = pool, workers
        self._free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in workers:
            self._free.put(worker)

    def everywhere(self, function: Callable[..., None], *task: Any) -> None:
        """Call a function once in each process."""
        calls = [self._pool.submit(worker.call, function, *task) for worker in self._workers]
        for call in calls:
            call.result()

    def __call__(
        self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Any]]:
        """Hand out a few tasks at a time, so that neither tasks nor results pile up."""
        running: dict[Future[Any], int] = {}
        try:
            for number, task in enumerate(tasks):
                running[self._pool.submit(self._call, function, task)] = number
                while len(running) >= 2 * len(self._workers):
                    yield from _finished(running)
            while running:
                yield from _finished(running)
        finally:
            for future in running:
                future.cancel()

    def _call(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
        worker = self._free.get()
        try:
            return worker.call(function, *task)
        finally:
            self._free.put(worker)


def _finished(running: dict[Future[Any], int]) -> Iterator[tuple[int, Any]]:
    done: set[Future[Any]] = set()
    while not done:
        check_stop()
        done, _ = wait(running, timeout=_LOOK_AGAIN_S, return_when=FIRST_COMPLETED)
    for future in done:
        yield running.pop(future), future.result()
