"""Kernels compiled by a second process: only where there is a need, and never left behind."""

import subprocess

import pytest

from trailprint.cli import compile_ahead
from trailprint.kernels.grouping import refinement


def test_where_kernels_are_compiled_nothing_is_started(tmp_path, monkeypatch):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "refinement._join-1.py311.nbi").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
    assert compile_ahead.are_compiled()
    with compile_ahead.compiling_ahead():
        pass


def test_the_process_does_not_outlive_the_audit(tmp_path, monkeypatch):
    started = []
    real = subprocess.Popen

    def start(command, **options):
        started.append(real(["sleep", "60"], **options))
        return started[0]

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", start)
    with compile_ahead.compiling_ahead():
        assert started[0].poll() is None
    assert started[0].poll() is not None


def test_one_core_has_nothing_to_spare(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    started = []
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: started.append("a process"))
    with compile_ahead.compiling_ahead():
        assert started == []


def test_grouping_is_compiled_ahead():
    compile_ahead.compile_kernels()
    assert refinement._sweep.signatures
    assert refinement._find_near.signatures
