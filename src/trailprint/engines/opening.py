"""Open the requested engine, and close it afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from trailprint.engines.options import EngineOptions

_session: ContextVar[Any] = ContextVar("session", default=None)
_open: ContextVar[EngineOptions | None] = ContextVar("open", default=None)


def is_open(options: EngineOptions) -> bool:
    """Whether an engine with the same options is open already."""
    return _open.get() == options


def session_to_read_in() -> Any:
    """The Spark session that reads data; None if this process reads it."""
    return _session.get()


@contextlib.contextmanager
def open_engine(options: EngineOptions, *, reads: bool = True) -> Iterator[Any]:
    """Yield the runner of passes; None for local threads. ``reads``: also read data on it."""
    if options.engine == "local":
        yield None
        return
    from trailprint.engines.spark.runner import SparkRunner
    from trailprint.engines.spark.sessions import open_session

    with (
        open_session(options) as session,
        _known(session if reads else None, options),
        SparkRunner(session.sparkContext, options.worker_bytes) as runner,
    ):
        yield runner


@contextlib.contextmanager
def _known(session: Any, options: EngineOptions) -> Iterator[None]:
    before = _session.set(session), _open.set(options)
    try:
        yield
    finally:
        _session.reset(before[0])
        _open.reset(before[1])
