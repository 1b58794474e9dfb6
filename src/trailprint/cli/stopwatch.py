"""When the command that runs now was started: limits on its time count from there."""

from __future__ import annotations

import time

#: Of a limit, at most this share is kept for what comes after the work.
_MOST_RESERVED = 0.2

_started: float | None = None


def start() -> None:
    """A command starts now, before anything is loaded; its child processes inherit the moment."""
    global _started
    _started = time.perf_counter()


def started() -> float:
    """When the command was started, by `time.perf_counter`; now, where nobody said."""
    return time.perf_counter() if _started is None else _started


def reserve(limit_s: float | None) -> float:
    """
    Seconds to keep for putting a result together and drawing it; call it once all is loaded.

    Loading takes about twice the computing of drawing a report (2.4 and 1.3 s were measured), and
    both are slowed alike by whatever else the machine does: half as long again stays in hand.
    """
    if limit_s is None:
        return 0.0
    return min(time.perf_counter() - started(), _MOST_RESERVED * limit_s)
