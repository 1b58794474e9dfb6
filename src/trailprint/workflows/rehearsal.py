"""A rehearsal: passes run on a few people only, timed, and scaled up to everybody."""

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

#: How long a pass is tried at most, in seconds; one that was tried is not tried again.
TRIED_S = 0.2
#: Pieces that a pass is tried in: small ones, so that few of them take no longer than that.
_PIECES = 2_000


@dataclass(slots=True)
class Rehearsal:
    """
    Runs passes on one core, and remembers what they take.

    With ``of_few`` a pass is run for some of the people only and its time scaled up. What it gives
    is zero for everybody else: whoever rehearses so must not use it.
    """

    of_few: bool
    n_passes: int = 0
    pass_seconds: float = 0.0
    tried_seconds: float = 0.0
    most_bytes: int = 0
    _known: dict[tuple[Any, float, int], float] = field(default_factory=dict)

    def __call__(self, one: Pass) -> bool:
        """Run a pass, or try it."""
        began = time.perf_counter()
        self.n_passes += 1
        self.most_bytes = max(self.most_bytes, count_bytes(one.fixed))
        self.pass_seconds += self._try(one) if self.of_few else _run_whole(one)
        self.tried_seconds += time.perf_counter() - began
        return True

    def _try(self, one: Pass) -> float:
        """What a pass takes; one like another that was tried takes as long."""
        kind = one.kernel, float(one.work.sum()), len(one.work)
        _clear(one.out)
        if kind not in self._known:
            self._known[kind] = _try_pass(one)
        return self._known[kind]

    @contextlib.contextmanager
    def calls(self, prepare: Callable[..., None], shared: tuple[Any, ...]) -> Iterator[RunCalls]:
        """Calls are run here, one after another."""
        with processes(1, prepare, *shared) as run:
            yield run

    def stop(self) -> None:
        """Nothing runs elsewhere."""


class Rehearsed(NamedTuple):
    """
    What work takes: its passes, seconds of one core in and beside them, bytes that passes hold.

    A number of times it is that often done; scaled, its seconds and bytes grow.
    """

    passes: float
    shared_s: float
    alone_s: float
    worker_bytes: float

    def times(self, number: float) -> Rehearsed:
        """The same done several times."""
        seconds = number * self.shared_s, number * self.alone_s
        return Rehearsed(number * self.passes, *seconds, self.worker_bytes)

    def scaled(self, seconds: float, n_bytes: float) -> Rehearsed:
        """The same for more people: by how much its seconds and its bytes grow."""
        grown = seconds * self.shared_s, seconds * self.alone_s
        return Rehearsed(self.passes, *grown, n_bytes * self.worker_bytes)

    @property
    def seconds(self) -> float:
        """All of it on one core."""
        return self.shared_s + self.alone_s

    def steps(self, name: str) -> list[PlannedStep]:
        """What all cores share, and what one core does."""
        shared = PlannedStep(
            name=name, passes=round(self.passes), core_seconds=self.shared_s, is_shared=True
        )
        alone = PlannedStep(
            name=f"{name}, on one core", passes=0, core_seconds=self.alone_s, is_shared=False
        )
        return [shared, alone] if self.passes else [alone]


def rehearse(work: Callable[[], object], *, of_few: bool) -> Rehearsed:
    """Do some work on one core; ``of_few``: its passes for a few people, scaled up."""
    rehearsal = Rehearsal(of_few)
    began = time.perf_counter()
    with passes_run_by(rehearsal):
        work()
    beside = time.perf_counter() - began - rehearsal.tried_seconds
    return Rehearsed(
        rehearsal.n_passes, rehearsal.pass_seconds, max(beside, 0.0), rehearsal.most_bytes
    )


def _run_whole(one: Pass) -> float:
    """Run a pass for everybody; how long it took."""
    began = time.perf_counter()
    for low, high in one.blocks():
        check_stop()
        one.kernel(*one.fixed, *one.fresh, low, high, one.out)
    return time.perf_counter() - began


def _try_pass(one: Pass) -> float:
    """Seconds that a pass over everybody takes one core."""
    pieces = one.blocks(_PIECES)
    if not pieces:
        return 0.0
    order = np.random.default_rng(0).permutation(len(pieces))
    work = one.work + max(float(one.work.mean()), 1.0) / 16  # Nobody takes no time at all.
    inputs = *one.fixed, *one.fresh
    one.kernel(*inputs, *pieces[order[0]], one.out)  # The first time it is loaded or compiled.
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
    """Bytes of arrays, however deep in tuples they are."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    return sum(map(count_bytes, value)) if isinstance(value, tuple) else 0
