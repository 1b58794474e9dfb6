"""Compilation announces itself in Python's log."""

from __future__ import annotations

import logging

from trailprint.workflows.measuring import announce_compilation


def test_the_first_run_on_a_machine_is_announced_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    caplog.set_level(logging.INFO, "trailprint")
    announce_compilation()
    assert "Compiling the kernels" in caplog.text
    caplog.clear()
    (tmp_path / "kernel.nbi").touch()
    announce_compilation()
    assert caplog.text == ""
