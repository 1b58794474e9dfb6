"""Run passes as Spark jobs."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterator
from functools import partial
from typing import Any, Self

import numpy as np
from pyspark import SparkContext
from pyspark.core.broadcast import Broadcast

from trailprint.engines.spark.failures import explaining_failures
from trailprint.engines.spark.parcels import Parcel, drop_parcel
from trailprint.engines.spark.tasks import Shape, Task, arrays_of, get_stamp, name_of
from trailprint.engines.waves import cut_into_waves

#: Passes with less work run in this process: a job takes longer to start.
LEAST_WORK = 20_000_000
#: Blocks for each core: so that the last ones to finish finish together.
BLOCKS_PER_CORE = 4
#: What one job may return; Spark refuses more than ``spark.driver.maxResultSize``, 1 GB.
WAVE_BYTES = 256_000_000
#: Parcels that are kept for later passes.
KEPT_PARCELS = 4
_JOB_GROUP = "spark.jobGroup.id"


class SparkRunner:
    """
    Runs passes on a cluster; see `trailprint.kernels.passes.Runner`.

    What a pass needs is shipped once: what earlier passes have shipped is found by its contents.
    Blocks come back in order, and a block that is run again returns the same, so that nothing
    depends on the number of workers, on which of them fails, or on who finishes first.
    """

    def __init__(self, context: SparkContext) -> None:
        self._context = context
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
        """Run a pass; False for one that is too small to be worth a job."""
        if len(one.work) == 0 or float(np.sum(one.work)) < LEAST_WORK:
            return False
        shape = Shape.of(one.out)
        with (
            explaining_failures(),
            self._in_group(),
            self._shipped(one.fixed) as fixed,
            self._sent(one) as fresh,
        ):
            task = Task(name_of(one.kernel), fixed, fresh, shape, get_stamp())
            blocks = one.blocks(BLOCKS_PER_CORE * self._context.defaultParallelism)
            for wave in cut_into_waves(blocks, shape.item_bytes, WAVE_BYTES):
                found = self._context.parallelize(wave, len(wave)).map(task).collect()
                for (low, high), arrays in zip(wave, found, strict=True):
                    for whole, part in zip(arrays_of(one.out), arrays, strict=True):
                        whole[low:high] = part
        return True

    def stop(self) -> None:
        """Cancel the jobs of all passes."""
        self._context.cancelJobGroup(self._group)

    @contextlib.contextmanager
    def _in_group(self) -> Iterator[None]:
        """Jobs of this thread are ours; what was interrupted does not run on."""
        before = self._context.getLocalProperty(_JOB_GROUP)
        self._context.setLocalProperty(_JOB_GROUP, self._group)
        try:
            yield
        except BaseException:
            with contextlib.suppress(Exception):
                self.stop()
            raise
        finally:
            self._context.setLocalProperty(_JOB_GROUP, before)  # type: ignore[arg-type]

    @contextlib.contextmanager
    def _sent(self, one: Any) -> Iterator[Broadcast[Any]]:
        """The inputs of this pass alone."""
        sent = self._context.broadcast(one.fresh)
        try:
            yield sent
        finally:
            sent.destroy()

    @contextlib.contextmanager
    def _shipped(self, contents: Any) -> Iterator[Broadcast[Any]]:
        """The inputs that other passes use as well: shipped now, or found."""
        parcel = Parcel(contents)
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
                self._drop(idle[: max(0, len(self._kept) - KEPT_PARCELS)])

    def _drop(self, names: list[str]) -> None:
        """Take parcels back: broadcasts here, and files where the executors are."""
        if not names:
            return
        for name in names:
            self._kept.pop(name).destroy()
        n = self._context.defaultParallelism
        self._context.parallelize(range(n), n).foreach(partial(_drop_all, names))


def _drop_all(names: list[str], _: int) -> None:
    for name in names:
        drop_parcel(name)
