"""Open the engine that was asked for, and close what was opened."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from trailprint.engines.options import EngineOptions


@contextlib.contextmanager
def open_engine(options: EngineOptions) -> Iterator[Any]:
    """What runs passes; None: threads of this process."""
    if options.engine == "local":
        yield None
        return
    from trailprint.engines.spark.runner import SparkRunner
    from trailprint.engines.spark.sessions import open_session

    with open_session(options) as session, SparkRunner(session.sparkContext) as runner:
        yield runner
