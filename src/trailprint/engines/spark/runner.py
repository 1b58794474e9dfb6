"""Run passes as Spark jobs."""

from __future__ import annotations

import contextlib
import itertools
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Self

import numpy as np
from pyspark import SparkContext
from pyspark.core.broadcast import Broadcast

from trailprint.engines.spark.counting import counting_blocks
from trailprint.engines.spark.failures import explaining_failures
from trailprint.engines.spark.job_groups import in_job_group
from trailprint.engines.spark.parcels import Parcel, drop_parcel
from trailprint.engines.spark.tasks import (
    Call,
    Shape,
    Task,
    arrays_of,
    forget_prepared,
    get_stamp,
    name_of,
)
from trailprint.engines.waves import cut_into_waves, pickle_in_waves

#: Passes with less work than this (about a second on one core) run in this process, because
#: starting a job and returning its results takes some tenths of a second.
LEAST_WORK = 100_000_000
#: Blocks per core; several, so that all cores finish at about the same time.
BLOCKS_PER_CORE = 4
#: Most bytes returned by one job; Spark's limit, ``spark.driver.maxResultSize``, is 1 GB.
WAVE_BYTES = 256_000_000
#: Parcels kept for later passes; this many per part if inputs are split into parts.
KEPT_PARCELS = 4
#: Calls per core in the first wave, and most bytes of a wave's arguments.
CALLS_PER_CORE, CALL_BYTES = 8, 64_000_000

RunCalls = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], Iterator[tuple[int, Any]]]


class SparkRunner:
    """
    Runs passes on a cluster; see `trailprint.kernels.passes.Runner`.

    A pass whose inputs exceed ``most_bytes``, the memory limit of a worker, runs in this process.
    Inputs are shipped once: those that earlier passes have shipped are found by their hash. Blocks
    come back in order, and a retried block returns the same result, so results do not depend on
    the number of workers, on failures, or on the order in which workers finish.
    """

    def __init__(self, context: SparkContext, most_bytes: int | None = None) -> None:
        self._context = context
        self._most_bytes = most_bytes
        self._n_kept = KEPT_PARCELS
        self._kept: OrderedDict[str, Broadcast[Any]] = OrderedDict()
        self._in_use: list[str] = []
        self._lock = threading.Lock()
        self._group = f"trailprint-{uuid.uuid4().hex}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # The cluster may be gone.
            self._drop(list(self._kept))

    def __call__(self, one: Any) -> bool:
        """Run a pass; return False, and do nothing, if it is too small or too large for a job."""
        if len(one.work) == 0 or float(np.sum(one.work)) < LEAST_WORK:
            return False
        parcel = Parcel(one.fixed)
        if self._most_bytes is not None and parcel.n_bytes > self._most_bytes:
            return False
        self._n_kept = max(self._n_kept, KEPT_PARCELS * one.n_parts)
        shape = Shape.of(one.out)
        with (
            explaining_failures(),
            self._in_group(),
            self._shipped(parcel) as fixed,
            self._sent(one) as fresh,
        ):
            task = Task(name_of(one.kernel), fixed, fresh, shape, get_stamp())
            blocks = one.blocks(BLOCKS_PER_CORE * self._context.defaultParallelism)
            with counting_blocks(self._context, self._group, len(blocks), one.report):
                for wave in cut_into_waves(blocks, shape.item_bytes, WAVE_BYTES):
                    found = self._context.parallelize(wave, len(wave)).map(task).collect()
                    _put(one.out, wave, found)
        return True

    @contextlib.contextmanager
    def calls(self, prepare: Callable[..., None], shared: tuple[Any, ...]) -> Iterator[RunCalls]:
        """Yield a function that runs calls as tasks; workers call ``prepare(*shared)`` first."""
        parcel, name = Parcel(shared), name_of(prepare)
        with self._shipped(parcel) as sent:
            try:
                yield partial(
                    self._call, partial(Call, prepare=name, name=parcel.name, shared=sent)
                )
            finally:
                with contextlib.suppress(Exception):  # The cluster may be gone.
                    self._everywhere(partial(_forget, name, parcel.name))

    def _call(
        self,
        make: Callable[..., Call],
        function: Callable[..., Any],
        tasks: Iterable[tuple[Any, ...]],
    ) -> Iterator[tuple[int, Any]]:
        """Run the tasks in waves, and yield their results in order."""
        call = make(function=name_of(function), stamp=get_stamp())
        n_cores = self._context.defaultParallelism
        numbers = itertools.count()
        for wave in pickle_in_waves(tasks, CALLS_PER_CORE * n_cores, CALL_BYTES):
            with explaining_failures(), self._in_group():
                n_slices = min(len(wave), BLOCKS_PER_CORE * n_cores)
                found = self._context.parallelize(wave, n_slices).map(call).collect()
            for one in found:
                yield next(numbers), one

    def stop(self) -> None:
        """Cancel the jobs of all passes."""
        self._context.cancelJobGroup(self._group)

    def _in_group(self) -> AbstractContextManager[None]:
        """Put this thread's jobs into the runner's group; cancel them if it is interrupted."""
        return in_job_group(self._context, self._group, self.stop)

    @contextlib.contextmanager
    def _sent(self, one: Any) -> Iterator[Broadcast[Any]]:
        """Broadcast the inputs that only this pass uses."""
        sent = self._context.broadcast(one.fresh)
        try:
            yield sent
        finally:
            sent.destroy()

    @contextlib.contextmanager
    def _shipped(self, parcel: Parcel) -> Iterator[Broadcast[Any]]:
        """Broadcast inputs that other passes use too, unless they were shipped before."""
        with self._lock:
            if parcel.name not in self._kept:
                self._kept[parcel.name] = self._context.broadcast(parcel)
            self._kept.move_to_end(parcel.name)
            self._in_use.append(parcel.name)
            shipped = self._kept[parcel.name]
        try:
            yield shipped
        finally:
            with self._lock:
                self._in_use.remove(parcel.name)
                idle = [name for name in self._kept if name not in self._in_use]
                self._drop(idle[: max(0, len(self._kept) - self._n_kept)])

    def _drop(self, names: list[str]) -> None:
        """Remove parcels: broadcasts here, and files on the executors."""
        if not names:
            return
        for name in names:
            self._kept.pop(name).destroy()
        self._everywhere(partial(_drop_all, names))

    def _everywhere(self, function: Callable[[int], None]) -> None:
        """Call a function on about all cores of the cluster."""
        n = self._context.defaultParallelism
        self._context.parallelize(range(n), n).foreach(function)


def _put(out: Any, wave: Sequence[tuple[int, int]], found: Sequence[list[Any]]) -> None:
    """Copy the entries of blocks into the result."""
    for (low, high), arrays in zip(wave, found, strict=True):
        for whole, part in zip(arrays_of(out), arrays, strict=True):
            whole[low:high] = part


def _drop_all(names: list[str], _: int) -> None:
    for name in names:
        drop_parcel(name)


def _forget(prepare: str, name: str, _: int) -> None:
    forget_prepared(prepare, name)
