"""Memory limits, and detection of errors caused by too little memory."""

from __future__ import annotations

import math
import resource
import time

from trailprint.errors import OptionError

MEMORY = "The work needs more memory than there is. Try less data at once."

#: CPU seconds allowed for loading libraries, which takes one or two.
_LOADING_S = 10

#: Address space needed to draw charts: the library briefly reserves 64 GiB, plus the rest.
_DRAWING_BYTES = 75e9

#: Parts of error messages of libraries and the system that mean too little memory.
_SHORT = (
    "failed to map segment",
    "cannot allocate memory",
    "can't start new thread",
    "bad_alloc",
    "out of memory",
)


def is_memory_limited() -> bool:
    """Whether a memory limit is set for this process."""
    limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(limit)[0] != resource.RLIM_INFINITY for limit in limits)


def require_address_space() -> None:
    """Raise an error before any work if an address-space limit would prevent drawing charts."""
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if allowed != resource.RLIM_INFINITY and allowed < _DRAWING_BYTES:
        raise OptionError(
            f"Drawing a report takes {_DRAWING_BYTES / 1e9:.0f} GB of address space, hardly any of "
            f"it memory, but the limit is {allowed / 1e9:.1f} GB (ulimit -v). Lift it; a limit on "
            "memory itself, as of a container, is fine."
        )


def limit_loading() -> tuple[int, int] | None:
    """
    Limit the CPU time for loading libraries; return the previous limits.

    Under a memory limit, some libraries retry a failed allocation forever.
    """
    if not is_memory_limited():
        return None
    before = resource.getrlimit(resource.RLIMIT_CPU)
    finite = [limit for limit in before if limit != resource.RLIM_INFINITY]
    # The limit counts from the start of the process, which may have done other work before.
    allowed = math.ceil(time.process_time()) + _LOADING_S
    resource.setrlimit(resource.RLIMIT_CPU, (min([allowed, *finite]), before[1]))
    return before


def end_loading(before: tuple[int, int] | None) -> None:
    """Restore the previous limits on CPU time."""
    if before is not None:
        resource.setrlimit(resource.RLIMIT_CPU, before)


def is_short_of_memory(error: BaseException) -> bool:
    """Whether an exception, or its cause or context, comes from too little memory."""
    text = str(error).lower()
    if isinstance(error, MemoryError) or any(words in text for words in _SHORT):
        return True
    behind = error.__cause__ or error.__context__
    return behind is not None and is_short_of_memory(behind)
