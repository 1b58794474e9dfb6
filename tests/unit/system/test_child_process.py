"""Processes that are started: they run installed code only, and end with their parent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.presence import present

import trailprint
from trailprint.system import child_process
from trailprint.system.child_process import ChildProcess

TRAPS = ("json", "numpy", "duckdb", "typer", "typing", "signal", "select", "subprocess", "tempfile")


@pytest.fixture
def trapped(tmp_path):
    """A folder whose files must not be run, and those that were."""
    for name in (*TRAPS, "sitecustomize", "usercustomize"):
        trap = f"import os; os.mkdir(os.path.join({str(tmp_path)!r}, 'ran-{name}'))\n"
        (tmp_path / f"{name}.py").write_text(trap)
    return tmp_path


def ran(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("ran-*"))


def run(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_traps_would_be_noticed(trapped):
    run(trapped, "-c", "import json, typing", PYTHONPATH="")
    assert ran(trapped) == ["ran-json", "ran-typing"]


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "trailprint", "--version"),
        ("-P", "-c", "from trailprint.cli.main import main; main()", "--version"),
    ],
)
def test_the_program_runs_nothing_of_the_current_folder(trapped, command):
    done = run(trapped, *command)
    assert (done.returncode, done.stdout) == (0, f"{trailprint.__version__}\n"), done.stderr
    assert ran(trapped) == []


@pytest.mark.parametrize("added", ["''", "os.getcwd()", "'.'"])
def test_a_child_runs_nothing_of_the_current_folder(trapped, added):
    script = (
        "import os, sys; sys.path[:] = [entry for entry in sys.path if entry]; "
        "from trailprint.attacks.sequence.worker_processes import Worker; "
        "import numpy, json; "
        f"sys.path.insert(0, {added}); "
        "worker = Worker(); print(worker.call(os.getcwd)); "
        "print(worker.call(numpy.arange, 3)); worker.close()"
    )
    done = run(trapped, "-P", "-c", script)
    assert done.stdout == f"{trapped}\n[0 1 2]\n", done.stderr
    assert ran(trapped) == []


def test_a_child_finds_what_only_pythonpath_names(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "only_here.py").write_text("def answer(): return 42\n")
    script = (
        "from trailprint.attacks.sequence.worker_processes import Worker; import only_here; "
        "worker = Worker(); print(worker.call(only_here.answer)); worker.close()"
    )
    done = run(tmp_path, "-P", "-c", script, PYTHONPATH=str(tmp_path / "elsewhere"))
    assert done.stdout == "42\n", done.stderr


def test_a_package_in_the_current_folder_is_found_after_all_others(monkeypatch):
    own = Path(trailprint.__file__).parents[1]
    monkeypatch.chdir(own)
    monkeypatch.setattr(sys, "path", ["", str(own), "/elsewhere"])
    assert child_process._module_path() == ["/elsewhere", str(own)]


def test_a_current_folder_that_was_removed_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert "" not in child_process._module_path()


def test_a_child_that_is_busy_ends_with_its_pipe():
    child = ChildProcess(
        "trailprint.attacks.sequence.worker_processes", "serve", stdin=subprocess.PIPE, stdout=-1
    )
    import pickle

    to_child, from_child = present(child.process.stdin), present(child.process.stdout)
    pickle.dump((os.getpid, ()), to_child)
    to_child.flush()
    assert pickle.load(from_child) == (True, child.process.pid)
    pickle.dump((sum, (range(10**13),)), to_child)
    to_child.flush()
    time.sleep(0.1)
    assert child.process.poll() is None
    child._release()
    child.wait()
    assert child.process.returncode != 0
    to_child.close()
    from_child.close()
