"""How far long work has come: one type for all who report it and all who show it."""

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

#: ``progress(what, done)``: what is being done, and which share of it is over (None: unknown).
Progress = Callable[[str, float | None], None]

#: Seconds without a bar, so that short work shows none, and seconds between two changes of it.
_PATIENCE_S, _PAUSE_S = 1.0, 0.2


def ignore_progress(what: str, done: float | None) -> None:
    """Take progress that nobody wants to see."""


class Stage:
    """
    What is being done, reported with the share of it that others count.

    Work that does not know how far it is reports what it does; whoever runs it reports `share`.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._what: str | None = None
        self._share: float | None = None

    def report(self, what: str, done: float | None) -> None:
        """What the work itself says; where it knows a share, nobody else's counts."""
        self._what = what if done is None else None
        self._share = self._share if done is None else None
        self._progress(what, self._share if done is None else done)

    def share(self, done: float) -> None:
        """A share of what is being done; all of it is none, for what follows is not known."""
        what = self._what
        if what is not None:
            self._share = done if done < 1.0 else None
            self._progress(what, self._share)


@contextlib.contextmanager
def watching(look: Callable[[], None], every_s: float) -> Iterator[None]:
    """Look again and again, in a thread of its own, for as long as the work takes."""
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
    """Let a function that takes ``progress`` show a bar in a notebook where none is given."""

    @functools.wraps(function)
    def shown(*values: Parameters.args, **named: Parameters.kwargs) -> Result:
        if named.get("progress") is not None or not in_notebook():
            return function(*values, **named)
        with notebook_bar() as progress:
            named["progress"] = progress
            return function(*values, **named)

    return shown


def in_notebook() -> bool:
    """Whether a notebook runs this; a terminal, IPython's own too, shows no bars."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and type(ipython.get_ipython()).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def notebook_bar() -> Iterator[Progress]:
    """A bar below the cell for as long as the work takes; nothing is left of it."""
    bar = _NotebookBar()
    try:
        yield bar
    finally:
        bar.remove()


class _NotebookBar:
    """A line of HTML that the notebook replaces by the next one."""

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
        # Without a text of its own, a page made of the notebook names an object of IPython.
        shown = {"text/html": line, "text/plain": ""}
        if self._handle is None:
            self._handle = ipython.display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def _draw(what: str, done: float | None) -> str:
    value = "" if done is None else f' value="{min(max(done, 0.0), 1.0):.3f}"'
    return f'<progress max="1"{value}></progress> {html.escape(what)}'
