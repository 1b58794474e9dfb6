"""
Stopping long work from outside: a time limit that is up, or a user who wants to stop.

Long work calls `check_stop` between its pieces, in whatever thread; work that cannot be cut into
pieces says with `interrupting` how it can be interrupted.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

#: How often work is interrupted again until it stops: an interrupt between two queries is lost.
_AGAIN_S = 0.1


class OutOfTimeError(Exception):
    """The time that was given to some work is up."""


_checks: list[Callable[[], None]] = []
_interrupts: list[Callable[[], None]] = []


def check_stop() -> None:
    """Raise what a reason to stop raises, if there is one."""
    for check in tuple(_checks):
        check()


def interrupt_all() -> None:
    """Interrupt whatever runs inside `interrupting` now."""
    for interrupt in tuple(_interrupts):
        interrupt()


@contextlib.contextmanager
def stopping_when(check: Callable[[], None]) -> Iterator[None]:
    """Let `check_stop` call this as well, in every thread: it raises when work has to stop."""
    _checks.append(check)
    try:
        yield
    finally:
        _checks.remove(check)


@contextlib.contextmanager
def interrupting(interrupt: Callable[[], None]) -> Iterator[None]:
    """Let this be called, from another thread, when the work inside has to stop."""
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
