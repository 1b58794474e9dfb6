"""Handle a closed standard output, as when it is piped to ``head``."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


def is_unheard(error: BaseException) -> bool:
    """Whether the reader closed the output; the terminal library may have caught it first."""
    return any(isinstance(one, BrokenPipeError) for one in (error, error.__context__))


def drop_output() -> None:
    """Discard remaining output, so that Python does not try to flush it again on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def going_on_unheard() -> Iterator[None]:
    """Continue after the block even if its output is not read."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as error:
        if not is_unheard(error):
            raise
        drop_output()
