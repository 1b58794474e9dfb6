"""Progress of long work: one type for all functions that report or show it."""

from __future__ import annotations

import contextlib
import functools
import html
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

#: ``progress(what, done)``: what is being done, and the share that is done (None: unknown).
Progress = Callable[[str, float | None], None]

#: Seconds before a bar appears, so that short work shows none, and seconds between updates.
_PATIENCE_S, _PAUSE_S = 1.0, 0.2


def ignore_progress(what: str, done: float | None) -> None:
    """Ignore progress."""


class Stage:
    """
    Combine reports of what is being done with a share that is counted elsewhere.

    Work that does not know its progress reports only what it does; the engine that runs it calls
    `share`.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._what: str | None = None
        self._share: float | None = None

    def report(self, what: str, done: float | None) -> None:
        """Take the work's own report; if it has a share, shares counted elsewhere are ignored."""
        self._what = what if done is None else None
        self._share = self._share if done is None else None
        self._progress(what, self._share if done is None else done)

    def share(self, done: float) -> None:
        """Take a share counted elsewhere; 1.0 is reported as unknown, as more work may follow."""
        what = self._what
        if what is not None:
            self._share = done if done < 1.0 else None
            self._progress(what, self._share)


@contextlib.contextmanager
def watching(look: Callable[[], None], every_s: float) -> Iterator[None]:
    """Call ``look`` every ``every_s`` seconds in a separate thread while the block runs."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(every_s):
            look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def shows_progress(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Make a function with a ``progress`` argument show a bar in notebooks by default."""

    @functools.wraps(function)
    def shown(*values: Parameters.args, **named: Parameters.kwargs) -> Result:
        if named.get("progress") is not None or not in_notebook():
            return function(*values, **named)
        with notebook_bar() as progress:
            named["progress"] = progress
            return function(*values, **named)

    return shown


def in_notebook() -> bool:
    """Whether this runs in a notebook, and not in a terminal (IPython's included)."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and type(ipython.get_ipython()).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def notebook_bar() -> Iterator[Progress]:
    """Show a bar below the cell while the block runs, and remove it afterwards."""
    bar = _NotebookBar()
    try:
        yield bar
    finally:
        bar.remove()


class _NotebookBar:
    """A line of HTML that each update replaces."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._next = time.monotonic() + _PATIENCE_S

    def __call__(self, what: str, done: float | None) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _PAUSE_S
            self._show(_draw(what, done))

    def remove(self) -> None:
        if self._handle is not None:
            self._show("")

    def _show(self, line: str) -> None:
        ipython: Any = import_module("IPython.display")
        # Without a plain text, a page exported from the notebook would show an IPython object.
        shown = {"text/html": line, "text/plain": ""}
        if self._handle is None:
            self._handle = ipython.display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def _draw(what: str, done: float | None) -> str:
    value = "" if done is None else f' value="{min(max(done, 0.0), 1.0):.3f}"'
    return f'<progress max="1"{value}></progress> {html.escape(what)}'
