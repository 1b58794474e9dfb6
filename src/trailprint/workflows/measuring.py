"""Time and memory of a run."""

from __future__ import annotations

import contextlib
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
    """Say in the log why the first run of a version takes long; nothing later."""
    from trailprint import kernels
    from trailprint.kernels.compiling import stamp

    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or kernels.__path__[0])
    fresh = stamp().hex().encode()
    if not any(fresh in _read_beginning(path) for path in folder.rglob("*.nbi")):
        _LOG.info("Compiling the kernels for this machine: half a minute, once.")


def _read_beginning(path: Path) -> bytes:
    """Where an index of compiled code says which kernels it belongs to."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(256)
    return b""


def peak_memory_mb() -> float:
    """The most memory this process has held, in megabytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
