"""Compilation announces itself in Python's log."""

from __future__ import annotations

import logging
import pickle

from trailprint.kernels.compiling import stamp
from trailprint.workflows.measuring import announce_compilation


def test_the_first_run_of_a_version_is_announced_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    caplog.set_level(logging.INFO, "trailprint")
    announce_compilation()
    assert "Compiling the kernels" in caplog.text
    caplog.clear()
    (tmp_path / "older.nbi").write_bytes(pickle.dumps("0.61 " + "0" * 64))
    announce_compilation()
    assert "Compiling the kernels" in caplog.text
    caplog.clear()
    (tmp_path / "kernel.nbi").write_bytes(pickle.dumps(f"0.61 {stamp().hex()}"))
    announce_compilation()
    assert caplog.text == ""
