"""Start time of the running command, from which its time limit counts."""

from __future__ import annotations

import time

#: Largest share of the limit that is reserved for the steps after the work.
_MOST_RESERVED = 0.2

_started: float | None = None


def start() -> None:
    """Record the start of a command, before anything is loaded; forked processes inherit it."""
    global _started
    _started = time.perf_counter()


def started() -> float:
    """Start of the command, by `time.perf_counter`; now if none was recorded."""
    return time.perf_counter() if _started is None else _started


def reserve(limit_s: float | None) -> float:
    """
    Seconds to reserve for assembling and drawing the result; call it once all is loaded.

    This is the time since the start, within a share of the limit. Loading takes about twice as long
    as drawing a report (2.4 s and 1.3 s of computing were measured), and other load on the machine
    slows both alike, so that about half of the reserve is a margin.
    """
    if limit_s is None:
        return 0.0
    return min(time.perf_counter() - started(), _MOST_RESERVED * limit_s)
