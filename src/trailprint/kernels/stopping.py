"""
Stopping long work from outside, at a time limit or at the user's request.

Long work calls `check_stop` between its pieces, in any thread; work that cannot be cut into
pieces registers a way to interrupt it with `interrupting`.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

#: Seconds between repeated interrupts until work stops: one between two queries has no effect.
_AGAIN_S = 0.1


class OutOfTimeError(Exception):
    """The time limit of some work has passed."""


_checks: list[Callable[[], None]] = []
_interrupts: list[Callable[[], None]] = []


def check_stop() -> None:
    """Raise the exception of a reason to stop, if there is one."""
    for check in tuple(_checks):
        check()


def interrupt_all() -> None:
    """Interrupt all work that is now inside `interrupting`."""
    for interrupt in tuple(_interrupts):
        interrupt()


@contextlib.contextmanager
def stopping_when(check: Callable[[], None]) -> Iterator[None]:
    """Make `check_stop` also call ``check``, in every thread: it raises when work must stop."""
    _checks.append(check)
    try:
        yield
    finally:
        _checks.remove(check)


@contextlib.contextmanager
def interrupting(interrupt: Callable[[], None]) -> Iterator[None]:
    """Have ``interrupt`` called, from another thread, when the work inside must stop."""
    check_stop()
    _interrupts.append(interrupt)
    try:
        yield
    finally:
        _interrupts.remove(interrupt)


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTimeError` in the work inside once it has taken this long; None: no limit."""
    if seconds is None:
        yield
        return
    end = time.monotonic() + seconds
    over = threading.Event()

    def check() -> None:
        if time.monotonic() >= end:
            raise OutOfTimeError

    def watch() -> None:
        wait = max(0.0, end - time.monotonic())
        while not over.wait(wait):
            interrupt_all()
            wait = _AGAIN_S

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        with stopping_when(check):
            yield
    finally:
        over.set()
        watcher.join()
