"""How far long work has come, with the time that remains; nothing when nobody watches."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from trailprint.events.engine import Engine

#: ``report(what, done)``: what is being done, and which share of it is over (None: unknown).
Report = Callable[[str, float | None], None]


@contextlib.contextmanager
def showing(engine: Engine | None = None, what: str = "Reading") -> Iterator[Report]:
    """A progress bar on a terminal's standard error; follows the engine's running query."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda what, done: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        with _following(engine, bar, task):
            yield lambda what, done: _update(bar, task, what, done)


def announce_compilation() -> None:
    """Say once, before the first run on a machine, why it takes long; nothing later."""
    from trailprint import kernels

    if not any(Path(kernels.__path__[0]).rglob("*.nbi")):
        Console(stderr=True).print(
            "Compiling the kernels for this machine: half a minute, once.", style="dim"
        )


def _update(bar: Progress, task: TaskID, what: str, done: float | None) -> None:
    total = None if done is None else 1.0
    bar.update(task, description=what, total=total, completed=done or 0.0)


@contextlib.contextmanager
def _following(engine: Engine | None, bar: Progress, task: TaskID) -> Iterator[None]:
    """Ask DuckDB a few times a second how far its query is."""
    if engine is None:
        yield
        return
    over = threading.Event()

    def follow() -> None:
        while not over.wait(0.2):
            percent = engine.connection.query_progress()
            if percent > 0:
                bar.update(task, total=100.0, completed=percent)

    watcher = threading.Thread(target=follow, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
