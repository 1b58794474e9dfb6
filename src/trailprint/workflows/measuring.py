"""Measure time and memory of a run."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from pathlib import Path

_LOG = logging.getLogger("trailprint")


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
    """Log that the first run of a version compiles kernels; silent if they are cached."""
    from trailprint import kernels
    from trailprint.kernels.compiling import stamp

    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or kernels.__path__[0])
    fresh = stamp().hex().encode()
    if not any(fresh in _read_beginning(path) for path in folder.rglob("*.nbi")):
        _LOG.info("Compiling the kernels for this machine: half a minute, once.")


def _read_beginning(path: Path) -> bytes:
    """Read the beginning of a Numba cache index, which identifies its kernels."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(256)
    return b""


def peak_memory_mb() -> float:
    """Return the peak memory of this process in megabytes, or 0 if it is not reported."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
