"""Mark Spark jobs as belonging to one group, so that they can be cancelled together."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

_JOB_GROUP = "spark.jobGroup.id"


@contextlib.contextmanager
def in_job_group(context: Any, group: str, stop: Callable[[], None]) -> Iterator[None]:
    """Put this thread's jobs into a group; call ``stop`` if the work is interrupted or fails."""
    before = context.getLocalProperty(_JOB_GROUP)
    context.setLocalProperty(_JOB_GROUP, group)
    try:
        yield
    except BaseException:
        with contextlib.suppress(Exception):
            stop()
        raise
    finally:
        context.setLocalProperty(_JOB_GROUP, before)
