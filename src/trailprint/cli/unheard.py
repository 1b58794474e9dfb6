"""Whoever read our output has gone, as `head` does: there is nobody left to tell."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


def is_unheard(error: BaseException) -> bool:
    """Whether somebody stopped reading; the terminal's library may have noticed first."""
    return any(isinstance(one, BrokenPipeError) for one in (error, error.__context__))


def drop_output() -> None:
    """What is still to be printed goes nowhere, so that Python does not try again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def going_on_unheard() -> Iterator[None]:
    """What comes after the block is done whether or not anybody reads what the block prints."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as error:
        if not is_unheard(error):
            raise
        drop_output()
