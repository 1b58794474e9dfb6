"""Time and memory of a run."""

from __future__ import annotations

import logging
import os
import sys
import time
from pathlib import Path

_LOG = logging.getLogger("trailprint")


class Stopwatch:
    """Seconds of each part of the work."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Give the time since the last lap a name."""
        now = time.perf_counter()
        self._laps[name] = now - self._last
        self._last = now

    def seconds(self) -> dict[str, float]:
        """The laps, and the total."""
        return {**self._laps, "total": time.perf_counter() - self._start}


def announce_compilation() -> None:
    """Say once, in the log, why the first run on a machine takes long; nothing later."""
    from trailprint import kernels

    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or kernels.__path__[0])
    if not any(folder.rglob("*.nbi")):
        _LOG.info("Compiling the kernels for this machine: half a minute, once.")


def peak_memory_mb() -> float:
    """The most memory this process has held, in megabytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
