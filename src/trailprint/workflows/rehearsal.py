"""Rehearsal: run passes on a few people only, time them, and scale up to all people."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from trailprint.attacks.sequence.worker_processes import processes
from trailprint.kernels.passes import Pass, RunCalls, passes_run_by
from trailprint.kernels.stopping import check_stop
from trailprint.workflows.plans import PlannedStep

#: Time limit of trying a pass, in seconds; equal passes are tried once.
TRIED_S = 0.2
#: Number of pieces that a pass is split into: small enough that a few stay within that limit.
_PIECES = 2_000


@dataclass(slots=True)
class Rehearsal:
    """
    Runs passes on one core, and records their cost.

    With ``of_few`` a pass is run for some of the people only and its time is scaled up. Its output
    is then all zeros and must not be used.
    """

    of_few: bool
    n_passes: int = 0
    pass_seconds: float = 0.0
    tried_seconds: float = 0.0
    most_bytes: int = 0
    _known: dict[tuple[Any, float, int], float] = field(default_factory=dict)

    def __call__(self, one: Pass) -> bool:
        """Run a pass, or try it on a few people."""
        began = time.perf_counter()
        self.n_passes += 1
        self.most_bytes = max(self.most_bytes, count_bytes(one.fixed))
        self.pass_seconds += self._try(one) if self.of_few else _run_whole(one)
        self.tried_seconds += time.perf_counter() - began
        return True

    def _try(self, one: Pass) -> float:
        """Return the seconds of a pass, reusing the time of an equal pass tried before."""
        kind = one.kernel, float(one.work.sum()), len(one.work)
        _clear(one.out)
        if kind not in self._known:
            self._known[kind] = _try_pass(one)
        return self._known[kind]

    @contextlib.contextmanager
    def calls(self, prepare: Callable[..., None], shared: tuple[Any, ...]) -> Iterator[RunCalls]:
        """Run calls one after another in a single local process."""
        with processes(1, prepare, *shared) as run:
            yield run

    def stop(self) -> None:
        """Do nothing: no other process is running."""


class Rehearsed(NamedTuple):
    """
    Cost of work: number of passes, seconds on one core in and outside passes, bytes held by passes.

    `times` repeats the work; `scaled` grows its seconds and bytes.
    """

    passes: float
    shared_s: float
    alone_s: float
    worker_bytes: float

    def times(self, number: float) -> Rehearsed:
        """Return the cost of doing the work several times."""
        seconds = number * self.shared_s, number * self.alone_s
        return Rehearsed(number * self.passes, *seconds, self.worker_bytes)

    def scaled(self, seconds: float, n_bytes: float) -> Rehearsed:
        """Return the cost for more people, with growth factors for seconds and bytes."""
        grown = seconds * self.shared_s, seconds * self.alone_s
        return Rehearsed(self.passes, *grown, n_bytes * self.worker_bytes)

    @property
    def seconds(self) -> float:
        """Total seconds on one core."""
        return self.shared_s + self.alone_s

    def steps(self, name: str) -> list[PlannedStep]:
        """Return the step that all cores share, and the step that one core does."""
        shared = PlannedStep(
            name=name, passes=round(self.passes), core_seconds=self.shared_s, is_shared=True
        )
        alone = PlannedStep(
            name=f"{name}, on one core", passes=0, core_seconds=self.alone_s, is_shared=False
        )
        return [shared, alone] if self.passes else [alone]


def rehearse(work: Callable[[], object], *, of_few: bool) -> Rehearsed:
    """Time work on one core; with ``of_few``, run passes for a few people and scale up."""
    rehearsal = Rehearsal(of_few)
    began = time.perf_counter()
    with passes_run_by(rehearsal):
        work()
    beside = time.perf_counter() - began - rehearsal.tried_seconds
    return Rehearsed(
        rehearsal.n_passes, rehearsal.pass_seconds, max(beside, 0.0), rehearsal.most_bytes
    )


def _run_whole(one: Pass) -> float:
    """Run a pass for all people and return the seconds it took."""
    began = time.perf_counter()
    for low, high in one.blocks():
        check_stop()
        one.kernel(*one.fixed, *one.fresh, low, high, one.out)
    return time.perf_counter() - began


def _try_pass(one: Pass) -> float:
    """Estimate the seconds of a pass over all people on one core."""
    pieces = one.blocks(_PIECES)
    if not pieces:
        return 0.0
    order = np.random.default_rng(0).permutation(len(pieces))
    work = one.work + max(float(one.work.mean()), 1.0) / 16  # Each person takes some time.
    inputs = *one.fixed, *one.fresh
    one.kernel(*inputs, *pieces[order[0]], one.out)  # Warm-up: the first call loads or compiles it.
    done, began = 0.0, time.perf_counter()
    for place in order:
        low, high = pieces[place]
        one.kernel(*inputs, low, high, one.out)
        done += float(work[low:high].sum())
        if time.perf_counter() - began > TRIED_S:
            break
    seconds = time.perf_counter() - began
    _clear(one.out)
    return seconds * float(work.sum()) / done


def _clear(out: Any) -> None:
    for array in out if isinstance(out, tuple) else (out,):
        array[...] = 0


def count_bytes(value: Any) -> int:
    """Return the total bytes of arrays, including those in nested tuples."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    return sum(map(count_bytes, value)) if isinstance(value, tuple) else 0
