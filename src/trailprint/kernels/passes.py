"""
A pass: one compiled loop over many independent items, run by whoever is asked to.

By default threads of this process run it. Inside `passes_run_by` something else may, such as the
tasks of a cluster; kernels do not know. The answer is the same to the bit, because every item's
part of it depends on nothing but the inputs. Work that is no compiled loop is run as independent
calls of a function (`calls_run_elsewhere`).
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
    ``kernel(*fixed, *fresh, low, high, out)`` fills ``out[low:high]`` and nothing else.

    ``fixed`` are inputs that pass after pass may use again, such as a join; ``fresh`` are those
    of this pass alone, such as prices. ``out`` is an array, or a named tuple of arrays, with one
    entry per item, all zero before. ``work`` says how long each item takes, beside the others.
    ``n_parts`` passes take turns with the parts of what would be too large at once. ``report`` is
    called with the share of the pass that is over. ``least`` is the least work worth a block.
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


#: ``run(function, tasks)`` gives pairs of a task's number and its result, as they are finished.
RunCalls = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], Iterator[tuple[int, Any]]]


class Runner(Protocol):
    """Runs passes in place of this process's threads."""

    def __call__(self, one: Pass) -> bool:
        """Run a pass; False, and nothing done, for one that is better run here."""

    def calls(
        self, prepare: Callable[..., None], shared: tuple[Any, ...]
    ) -> contextlib.AbstractContextManager[RunCalls]:
        """Something that runs calls where ``prepare(*shared)`` was called before."""

    def stop(self) -> None:
        """Let passes that are being run, by whatever thread, fail soon."""


_runner: ContextVar[Runner | None] = ContextVar("runner", default=None)
_most_bytes: ContextVar[int | None] = ContextVar("most_bytes", default=None)


@contextlib.contextmanager
def passes_run_by(runner: Runner | None, most_bytes: int | None = None) -> Iterator[None]:
    """
    Let this run the passes of the work inside; None: threads of this process.

    ``most_bytes`` is what whoever runs a pass may hold of its inputs: those that can be cut into
    parts are.
    """
    before, most_before = _runner.set(runner), _most_bytes.set(most_bytes)
    try:
        yield
    finally:
        _runner.reset(before)
        _most_bytes.reset(most_before)


def get_most_bytes() -> int | None:
    """What a pass may hold of its inputs; None: no limit."""
    return _most_bytes.get()


class _Shares:
    """
    Reports which share of the work is over; several passes may be under way at once.

    Without anything expected, that of the passes under way; else that of all that is expected.
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
        """What a pass reports its share to."""
        work = float(one.work.sum()) + one.work.size
        return partial(self._add, next(self._numbers), work)

    def expect(self, expected: tuple[float, float, float] | None) -> None:
        """Count passes against this much work from now on; shares lie between the two others."""
        with self._lock:
            self._expected, self._over = expected, 0.0
            self._shares.clear()

    def _add(self, number: int, work: float, share: float) -> None:
        with self._lock:
            if number in self._finished:  # Its last block has said so.
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


#: More work than was expected leaves the rest open.
_ALMOST = 0.99
_shares: ContextVar[_Shares | None] = ContextVar("shares", default=None)


@contextlib.contextmanager
def passes_reported_to(report: Callable[[float], None]) -> Iterator[None]:
    """Let this be called, in any thread, with the share of the passes under way that is over."""
    before = _shares.set(_Shares(report))
    try:
        yield
    finally:
        _shares.reset(before)


@contextlib.contextmanager
def expecting_work(work: float, low: float = 0.0, high: float = 1.0) -> Iterator[None]:
    """
    Say about how much work the passes inside have in all, for progress.

    Inside, the reported share goes from ``low`` to ``high``, shares of something larger.
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
        # What was stopped fails; the reason to stop it says more.
        check_stop()
        raise


def run_pass(one: Pass, n_threads: int | None) -> None:
    """Fill ``one.out``; ``n_threads`` are those of this process, if it runs the pass."""
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
    """Something that runs independent calls elsewhere; None if nothing but this process does."""
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
