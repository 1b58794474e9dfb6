"""Jobs of one engine's, by a name that Spark knows them by."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

_JOB_GROUP = "spark.jobGroup.id"


@contextlib.contextmanager
def in_job_group(context: Any, group: str, stop: Callable[[], None]) -> Iterator[None]:
    """Jobs of this thread are the group's; what was interrupted does not run on."""
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
