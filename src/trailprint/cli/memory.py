"""Too little memory, in whatever words it arrives."""

from __future__ import annotations

import math
import resource
import time

MEMORY = "The work needs more memory than there is. Try less data at once."

#: Seconds of computing; loading everything takes one or two.
_LOADING_S = 10

#: What libraries and the system say when memory is short.
_SHORT = (
    "failed to map segment",
    "cannot allocate memory",
    "can't start new thread",
    "bad_alloc",
    "out of memory",
)


def is_memory_limited() -> bool:
    """Whether somebody set a limit to the memory of processes."""
    limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(limit)[0] != resource.RLIM_INFINITY for limit in limits)


def limit_loading() -> tuple[int, int] | None:
    """
    Let the system end this process if loading libraries takes far too long; the limits before.

    Some try again for ever to get memory that a limit does not let them have.
    """
    if not is_memory_limited():
        return None
    before = resource.getrlimit(resource.RLIMIT_CPU)
    finite = [limit for limit in before if limit != resource.RLIM_INFINITY]
    # The system counts from the start of the process, which may have worked long for somebody else.
    allowed = math.ceil(time.process_time()) + _LOADING_S
    resource.setrlimit(resource.RLIMIT_CPU, (min([allowed, *finite]), before[1]))
    return before


def end_loading(before: tuple[int, int] | None) -> None:
    """Allow as much work as before."""
    if before is not None:
        resource.setrlimit(resource.RLIMIT_CPU, before)


def is_short_of_memory(error: BaseException) -> bool:
    """Whether an exception, or one behind it, comes from too little memory."""
    text = str(error).lower()
    if isinstance(error, MemoryError) or any(words in text for words in _SHORT):
        return True
    behind = error.__cause__ or error.__context__
    return behind is not None and is_short_of_memory(behind)
