"""
A pass: one compiled loop over many independent items, run by threads or by another runner.

By default threads of this process run it. Inside `passes_run_by` another runner may, such as the
tasks of a cluster; kernels need not know. The result is identical to the bit, because each item's
part of it depends only on the inputs. Work that is not a compiled loop runs as independent calls
of a function (`calls_run_elsewhere`).
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy.typing as npt

from trailprint.kernels.stopping import check_stop, interrupting
from trailprint.kernels.threads import N_CHUNKS, count_chunks, run_parallel, split_evenly


class Pass(NamedTuple):
    """
    A kernel call ``kernel(*fixed, *fresh, low, high, out)`` that fills only ``out[low:high]``.

    ``fixed`` are inputs that later passes may use again, such as a join; ``fresh`` are those
    of this pass alone, such as prices. ``out`` is an array, or a named tuple of arrays, with one
    entry per item, all zero before unless the kernel sets every entry. ``work`` is the relative
    running time of each item. ``n_parts`` is the number of parts of an input too large for memory,
    which passes take in turn. ``report`` is called with the share of the pass that is done.
    ``least`` is the least work worth a block.
    """

    kernel: Callable[..., None]
    fixed: tuple[Any, ...]
    fresh: tuple[Any, ...]
    work: npt.NDArray[Any]
    out: Any
    n_parts: int = 1
    report: Callable[[float], None] | None = None
    least: float | None = None

    def blocks(self, n_blocks: int = N_CHUNKS) -> list[tuple[int, int]]:
        """Cut the items into at most ``n_blocks`` ranges of about equal work."""
        return split_evenly(self.work, n_blocks)


#: ``run(function, tasks)`` yields pairs of a task's number and its result, as tasks finish.
RunCalls = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], Iterator[tuple[int, Any]]]


class Runner(Protocol):
    """Runs passes instead of this process's threads."""

    def __call__(self, one: Pass) -> bool:
        """Run a pass; return False, with nothing done, if this process should run it."""

    def calls(
        self, prepare: Callable[..., None], shared: tuple[Any, ...]
    ) -> contextlib.AbstractContextManager[RunCalls]:
        """Return a context whose value runs calls where ``prepare(*shared)`` was called first."""

    def stop(self) -> None:
        """Make all running passes, of any thread, fail soon."""


_runner: ContextVar[Runner | None] = ContextVar("runner", default=None)
_most_bytes: ContextVar[int | None] = ContextVar("most_bytes", default=None)


@contextlib.contextmanager
def passes_run_by(runner: Runner | None, most_bytes: int | None = None) -> Iterator[None]:
    """
    Let ``runner`` run the passes inside the ``with`` block; None: threads of this process.

    ``most_bytes`` is how much of a pass's inputs a worker may hold: inputs above it are cut into
    parts where possible.
    """
    before, most_before = _runner.set(runner), _most_bytes.set(most_bytes)
    try:
        yield
    finally:
        _runner.reset(before)
        _most_bytes.reset(most_before)


def get_most_bytes() -> int | None:
    """Return how many bytes of its inputs a pass may hold; None: no limit."""
    return _most_bytes.get()


class _Shares:
    """
    Reports the share of the work that is done; several passes may run at once.

    It is the share of all expected work or, if none was announced, of the passes now running.
    """

    def __init__(self, report: Callable[[float], None]) -> None:
        self._report = report
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._shares: dict[int, tuple[float, float]] = {}
        self._expected: tuple[float, float, float] | None = None
        self._over = 0.0
        self._finished: set[int] = set()

    def of_pass(self, one: Pass) -> Callable[[float], None]:
        """Return the callback to which a pass reports its share."""
        work = float(one.work.sum()) + one.work.size
        return partial(self._add, next(self._numbers), work)

    def expect(self, expected: tuple[float, float, float] | None) -> None:
        """Set the expected work and the range of reported shares (work, low, high) from now on."""
        with self._lock:
            self._expected, self._over = expected, 0.0
            self._shares.clear()

    def _add(self, number: int, work: float, share: float) -> None:
        with self._lock:
            if number in self._finished:  # Its last block has reported that already.
                return
            if share >= 1.0:
                self._finished.add(number)
            self._shares[number] = work * share, work
            done, total = (sum(part) for part in zip(*self._shares.values(), strict=True))
            share_over = self._rate(done, total)
            if done >= total:
                self._over += total
                self._shares.clear()
        self._report(share_over)

    def _rate(self, done: float, total: float) -> float:
        if self._expected is None:
            return min(done / total, 1.0) if total > 0 else 1.0
        expected, low, high = self._expected
        return low + (high - low) * min((self._over + done) / max(expected, 1.0), _ALMOST)


#: Greatest share reported of the expected work, in case there is more than expected.
_ALMOST = 0.99
_shares: ContextVar[_Shares | None] = ContextVar("shares", default=None)


@contextlib.contextmanager
def passes_reported_to(report: Callable[[float], None]) -> Iterator[None]:
    """Let ``report`` be called, in any thread, with the share of the work inside that is done."""
    before = _shares.set(_Shares(report))
    try:
        yield
    finally:
        _shares.reset(before)


@contextlib.contextmanager
def expecting_work(work: float, low: float = 0.0, high: float = 1.0) -> Iterator[None]:
    """
    Announce roughly how much work the passes inside have in total, for progress reports.

    Inside, the reported share goes from ``low`` to ``high``, as part of a larger task.
    """
    shares = _shares.get()
    if shares is None:
        yield
        return
    shares.expect((work, low, high))
    try:
        yield
    finally:
        shares.expect(None)


def _run_elsewhere(runner: Runner, one: Pass) -> bool:
    try:
        with interrupting(runner.stop):
            return runner(one)
    except Exception:
        # A stopped pass fails with some error; the reason to stop is more informative.
        check_stop()
        raise


def run_pass(one: Pass, n_threads: int | None) -> None:
    """Run a pass to fill ``one.out``, with ``n_threads`` threads if this process runs it."""
    runner, shares = _runner.get(), _shares.get()
    if shares is not None and one.work.size:
        one = one._replace(report=shares.of_pass(one))
    if runner is None or not _run_elsewhere(runner, one):
        _run_here(one, n_threads)
    if one.report is not None:
        one.report(1.0)


def _run_here(one: Pass, n_threads: int | None) -> None:
    inputs = *one.fixed, *one.fresh
    n_blocks = N_CHUNKS if one.least is None else count_chunks(float(one.work.sum()), one.least)
    blocks = one.blocks(n_blocks)
    n_done = itertools.count(1)

    def fill(low: int, high: int) -> None:
        one.kernel(*inputs, low, high, one.out)
        if one.report is not None:
            one.report(next(n_done) / len(blocks))

    run_parallel(fill, blocks, n_threads)


@contextlib.contextmanager
def calls_run_elsewhere(
    prepare: Callable[..., None], shared: tuple[Any, ...]
) -> Iterator[RunCalls | None]:
    """Yield a function that runs independent calls elsewhere; None if there is no such runner."""
    runner = _runner.get()
    if runner is None:
        yield None
        return
    with runner.calls(prepare, shared) as run:
        yield partial(_call_elsewhere, runner, run)


def _call_elsewhere(
    runner: Runner,
    run: RunCalls,
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
) -> Iterator[tuple[int, Any]]:
    finished = run(function, tasks)
    while True:
        try:
            with interrupting(runner.stop):
                one = next(finished)
        except StopIteration:
            return
        except Exception:
            check_stop()
            raise
        yield one
