"""The clock that times parts: wall-clock time, like the time limit."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Tests and benchmarks use CPU time instead, which other work on the machine does not affect.
_read: Callable[[], float] = time.perf_counter


def now() -> float:
    """Return seconds since an arbitrary moment; only differences are meaningful."""
    return _read()
