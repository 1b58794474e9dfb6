"""Kernels compiled by a second process: only where there is a need, and never left behind."""

import signal
import subprocess
from typing import Any

import pytest

from trailprint.cli import compile_ahead
from trailprint.kernels.grouping import refinement
from trailprint.kernels.matching import lookup, moves, transport


def test_where_kernels_are_compiled_nothing_is_started(monkeypatch):
    compile_ahead.compile_kernels()
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
    monkeypatch.setattr(compile_ahead, "compile_matching", lambda: pytest.fail("compiled"))
    assert compile_ahead.compile_first() == 0


def test_kernels_of_another_version_are_not_compiled_ones(monkeypatch):
    sweep: Any = refinement._sweep
    monkeypatch.setattr(sweep._cache._cache_file, "_source_stamp", b"another")
    assert not compile_ahead.are_compiled()


@pytest.fixture
def started(monkeypatch):
    """Processes started where nothing is compiled yet; each takes a given time."""
    processes = []
    real = subprocess.Popen

    def start(command, **options):
        processes.append(real(["sleep", "0.3"], **options))
        return processes[0]

    monkeypatch.setattr(compile_ahead, "are_compiled", lambda: False)
    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    return processes


def test_both_processes_have_compiled_when_the_audit_begins(started, monkeypatch, capsys):
    monkeypatch.setattr(compile_ahead, "compile_matching", lambda: None)
    assert compile_ahead.compile_first() >= 0.3
    assert started[0].poll() == 0
    assert "A time limit counts only the rest." in capsys.readouterr().err.replace("\n", " ")


def test_the_process_does_not_outlive_a_failure(started, monkeypatch):
    def fail():
        raise MemoryError

    monkeypatch.setattr(compile_ahead, "compile_matching", fail)
    with pytest.raises(MemoryError):
        compile_ahead.compile_first()
    assert started[0].poll() == -signal.SIGKILL


def test_one_core_has_nothing_to_spare(started, monkeypatch):
    done = []
    monkeypatch.setattr(compile_ahead, "compile_matching", lambda: done.append("matching"))
    monkeypatch.setattr(compile_ahead, "compile_kernels", lambda: done.append("the rest"))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    compile_ahead.compile_first()
    assert started == []
    assert done == ["matching", "the rest"]


def test_matching_is_compiled_ahead():
    compile_ahead.compile_matching()
    assert transport._solve_range.signatures
    # Few people do without it.
    assert moves._best_profits.signatures
    assert lookup._dense_rows.signatures


def test_grouping_is_compiled_ahead():
    compile_ahead.compile_kernels()
    assert refinement._sweep.signatures
    assert refinement._find_near.signatures
