"""Where files cannot be kept to their owner the package loads and refuses in one sentence."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trailprint.errors import TrailprintError
from trailprint.system import platforms
from trailprint.workflows.measuring import peak_memory_mb

#: This system without what Windows lacks; what others have written is loaded before.
_ELSEWHERE = """
import os, signal, sys
import duckdb, numba, pyarrow, scipy.sparse, typer
sys.modules["fcntl"] = sys.modules["resource"] = None
del os.fork, os.getuid, os.O_NOFOLLOW, signal.SIGHUP
"""
_IMPORT = "import trailprint as tp\nprint(len([getattr(tp, name) for name in tp.__all__]) > 10)\n"
_READ = 'import trailprint as tp\ntp.read(pyarrow.table({"user": ["a"], "location": ["b"]}))\n'
_KEEP = 'from trailprint.store import FolderStore\nFolderStore("never-made", {})\n'
_PROGRAM = 'from trailprint.cli.main import main\nsys.argv = ["trailprint", "layouts"]\nmain()\n'


def _run(program: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", _ELSEWHERE + program]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_every_public_name_can_be_imported():
    done = _run(_IMPORT)
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.parametrize("program", [_READ, _KEEP])
def test_what_would_write_is_refused(program):
    done = _run(program)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("trailprint.errors.TrailprintError: The system")


def test_the_program_says_what_to_do_in_one_line():
    done = _run(_PROGRAM)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "Windows Subsystem for Linux" in done.stderr


def test_memory_is_unknown_without_the_system_saying(monkeypatch):
    assert peak_memory_mb() > 0
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory_mb() == 0


@pytest.mark.parametrize("missing", ["fork", "getuid", "O_NOFOLLOW"])
def test_each_thing_that_is_missing_is_noticed(monkeypatch, missing):
    platforms.require_private_files()
    monkeypatch.delattr("os." + missing)
    with pytest.raises(TrailprintError, match="keep files to their owner"):
        platforms.require_private_files()
