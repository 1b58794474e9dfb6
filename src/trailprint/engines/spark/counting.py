"""Count the finished tasks of running jobs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator

from pyspark import SparkContext

from trailprint.progress import watching

#: Polling interval.
_AGAIN_S = 0.5


@contextlib.contextmanager
def counting_blocks(
    context: SparkContext, group: str, n_blocks: int, report: Callable[[float], None] | None
) -> Iterator[None]:
    """Report regularly the share of a pass's blocks that has finished; None: do not report."""
    if report is None:
        yield
        return
    before = set(context.statusTracker().getJobIdsForGroup(group))

    def look() -> None:
        with contextlib.suppress(Exception):  # Failing to count must not stop the work.
            report(min(count_finished(context, group, before) / n_blocks, 1.0))

    with watching(look, _AGAIN_S):
        yield


def count_finished(context: SparkContext, group: str, before: Collection[int]) -> int:
    """Number of finished tasks in a group's jobs, except for the jobs in ``before``."""
    tracker = context.statusTracker()
    numbers = [number for number in tracker.getJobIdsForGroup(group) if number not in before]
    jobs = [tracker.getJobInfo(number) for number in numbers]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    return sum(stage.numCompletedTasks for stage in stages if stage)
