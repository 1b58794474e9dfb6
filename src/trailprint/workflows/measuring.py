"""Measure time and memory of a run."""

from __future__ import annotations

import logging
import sys
import time

_LOG = logging.getLogger("trailprint")
_COMPILING = "Compiling the kernels for this machine: up to half a minute, once."


class Stopwatch:
    """Measures the seconds of each part of the work."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Record the time since the last lap under a name."""
        now = time.perf_counter()
        self._laps[name] = now - self._last
        self._last = now

    def seconds(self) -> dict[str, float]:
        """Return the seconds of each lap, and in total."""
        return {**self._laps, "total": time.perf_counter() - self._start}


def announce_compilation() -> None:
    """Log it once if kernels are compiled from now on, as on the first run on a machine."""
    from trailprint.kernels.compiling import call_before_compiling

    call_before_compiling(lambda: _LOG.info(_COMPILING))


def peak_memory_mb() -> float:
    """Return the peak memory of this process in megabytes, or 0 if it is not reported."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
