"""The clock by which parts are timed: that on the wall, for a time limit is by that one."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Tests and benchmarks read the processor's instead: other work on the machine does not touch it.
_read: Callable[[], float] = time.perf_counter


def now() -> float:
    """Seconds since some moment; only differences mean something."""
    return _read()
