"""Progress reports, and a bar in notebooks."""

from __future__ import annotations

import logging
import sys
import threading
import types
from typing import Any

import pyarrow as pa
import pytest

import trailprint as tp
from trailprint import progress
from trailprint.cli.progress import showing

VISITS = pa.table(
    {
        "user": ["a", "a", "b", "b"],
        "location": ["x", "y", "x", "z"],
        "start": ["2024-05-01", "2024-05-20", "2024-05-02", "2024-05-21"],
    }
)


class Notebook:
    """What stands in for IPython: it keeps every line that was shown."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def get_ipython(self) -> object:
        return type("ZMQInteractiveShell", (), {})()

    def display(self, shown: dict[str, str], *, raw: bool, display_id: bool) -> Notebook:
        assert display_id
        self.update(shown, raw=raw)
        return self

    def update(self, shown: dict[str, str], *, raw: bool) -> None:
        assert raw
        assert not shown["text/plain"]
        self.lines.append(shown["text/html"])


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    shown = Notebook()
    package: Any = types.ModuleType("IPython")
    package.get_ipython = shown.get_ipython
    module: Any = types.ModuleType("IPython.display")
    module.display = shown.display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(progress, "_PAUSE_S", 0.0)
    return shown


@progress.shows_progress
def work(*, progress: progress.Progress | None = None) -> bool:
    if progress is not None:
        progress("Counting <b>", None)
        progress("Counting <b>", 0.25)
    return progress is not None


def test_a_notebook_shows_a_bar_that_is_gone_in_the_end(notebook, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE_S", 0.0)
    assert work()
    assert notebook.lines == [
        '<progress max="1"></progress> Counting &lt;b&gt;',
        '<progress max="1" value="0.250"></progress> Counting &lt;b&gt;',
        "",
    ]


def test_short_work_shows_no_bar(notebook):
    assert work()
    assert notebook.lines == []


def test_a_progress_function_replaces_the_bar(notebook, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE_S", 0.0)
    reported: list[float | None] = []
    assert work(progress=lambda what, done: reported.append(done))
    assert reported == [None, 0.25]
    assert notebook.lines == []


def test_elsewhere_there_is_no_bar():
    assert not progress.in_notebook()
    assert not work()


@pytest.mark.parametrize(
    "call",
    [
        lambda report: tp.inspect(VISITS, progress=report),
        lambda report: tp.split(VISITS, tp.SplitOptions(at="median"), progress=report),
        lambda report: tp.protect(VISITS, "top-locations:n=2", progress=report),
    ],
    ids=["inspect", "split", "protect"],
)
def test_every_function_reports_what_it_does(call):
    reported: list[tuple[str, float | None]] = []
    call(lambda what, done: reported.append((what, done)))
    shares = [done for _, done in reported if done is not None]
    assert len({what for what, _ in reported}) >= 3
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


def test_what_the_library_logs_is_printed_by_commands(capsys):
    with showing():
        logging.getLogger("trailprint").info("Compiling.")
    assert capsys.readouterr().err == "Compiling.\n"
    logging.getLogger("trailprint").info("Compiling.")
    assert capsys.readouterr().err == ""


def test_shares_of_others_belong_to_the_last_step_unless_it_has_its_own():
    reported = []
    stage = progress.Stage(lambda what, done: reported.append((what, done)))
    stage.share(0.5)
    assert reported == []
    stage.report("Matching", None)
    stage.share(0.5)
    stage.share(1.0)
    assert reported == [("Matching", None), ("Matching", 0.5), ("Matching", None)]
    stage.report("Training", 0.2)
    stage.share(0.7)
    assert reported[3:] == [("Training", 0.2)]


def test_the_next_step_continues_from_the_share_that_was_reached():
    reported: list[tuple[str, float | None]] = []
    stage = progress.Stage(lambda what, done: reported.append((what, done)))
    stage.report("Matching", None)
    stage.share(0.4)
    stage.report("Matching, round 1", None)
    assert reported[-1:] == [("Matching, round 1", 0.4)]
    stage.report("Writing", 0.0)
    stage.report("Counting", None)
    assert reported[-1:] == [("Counting", None)]


def test_a_watcher_looks_until_the_work_is_over():
    seen = threading.Event()
    with progress.watching(seen.set, 0.001):
        assert seen.wait(10)
    seen.clear()
    assert not seen.wait(0.02)
