"""
A pass: one compiled loop over many independent items, run by whoever is asked to.

By default threads of this process run it. Inside `passes_run_by` something else may, such as the
tasks of a cluster; kernels do not know. The answer is the same to the bit, because every item's
part of it depends on nothing but the inputs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

import numpy.typing as npt

from trailprint.kernels.stopping import check_stop, interrupting
from trailprint.kernels.threads import N_CHUNKS, run_parallel, split_evenly


class Pass(NamedTuple):
    """
    ``kernel(*fixed, *fresh, low, high, out)`` fills ``out[low:high]`` and nothing else.

    ``fixed`` are inputs that pass after pass may use again, such as a join; ``fresh`` are those
    of this pass alone, such as prices. ``out`` is an array, or a named tuple of arrays, with one
    entry per item, all zero before. ``work`` says how long each item takes, beside the others.
    """

    kernel: Callable[..., None]
    fixed: tuple[Any, ...]
    fresh: tuple[Any, ...]
    work: npt.NDArray[Any]
    out: Any

    def blocks(self, n_blocks: int = N_CHUNKS) -> list[tuple[int, int]]:
        """Cut the items into at most ``n_blocks`` ranges of about equal work."""
        return split_evenly(self.work, n_blocks)


class Runner(Protocol):
    """Runs passes in place of this process's threads."""

    def __call__(self, one: Pass) -> bool:
        """Run a pass; False, and nothing done, for one that is better run here."""

    def stop(self) -> None:
        """Let passes that are being run, by whatever thread, fail soon."""


_runner: ContextVar[Runner | None] = ContextVar("runner", default=None)


@contextlib.contextmanager
def passes_run_by(runner: Runner | None) -> Iterator[None]:
    """Let this run the passes of the work inside; None: threads of this process."""
    before = _runner.set(runner)
    try:
        yield
    finally:
        _runner.reset(before)


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
    runner = _runner.get()
    if runner is not None and _run_elsewhere(runner, one):
        return
    inputs = (*one.fixed, *one.fresh)
    tasks = [(*inputs, low, high, one.out) for low, high in one.blocks()]
    run_parallel(one.kernel, tasks, n_threads)
