"""Progress of long work and the remaining time, on a terminal or in a progress file."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from trailprint.cli.progress_file import find_progress_file
from trailprint.events.engine import Engine
from trailprint.progress import Progress, ignore_progress, watching

#: Seconds between queries of DuckDB's progress.
_LOOK_S = 0.2


@contextlib.contextmanager
def showing(engine: Engine | None = None, what: str = "Reading") -> Iterator[Progress]:
    """Show progress, also of the engine's running query, on standard error or in a file."""
    console = Console(stderr=True)
    file = find_progress_file()
    if file is not None:
        file.report(what, None)
        with _following(engine, lambda percent: file.report(what, percent / 100)):
            yield file.report
        return
    with _announcing(console):
        if not console.is_terminal:
            yield ignore_progress
            return
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Bar(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=None)
            with _following(engine, lambda done: bar.update(task, total=100.0, completed=done)):
                yield lambda what, done: _update(bar, task, what, done)


@contextlib.contextmanager
def _announcing(console: Console) -> Iterator[None]:
    """Print the library's log messages, such as on compiling."""
    log, printer = logging.getLogger("trailprint"), _Printer(console)
    level = log.level
    log.addHandler(printer)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(printer)
        log.setLevel(level)


class _Printer(logging.Handler):
    """A log handler that prints dim lines."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        self._console.print(record.getMessage(), style="dim")


def _update(bar: Bar, task: TaskID, what: str, done: float | None) -> None:
    total = None if done is None else 1.0
    bar.update(task, description=what, total=total, completed=done or 0.0)


@contextlib.contextmanager
def _following(engine: Engine | None, report: Callable[[float], None]) -> Iterator[None]:
    """Report the progress of DuckDB's query in percent, a few times a second."""
    if engine is None:
        yield
        return

    def look() -> None:
        percent = engine.connection.query_progress()
        if percent > 0:
            report(percent)

    with watching(look, _LOOK_S):
        yield
