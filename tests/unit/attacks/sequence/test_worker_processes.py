"""Processes that answer calls: results, failures, and what becomes of them."""

from __future__ import annotations

import math
import operator
import os
import subprocess
import sys
import time

import pytest

from trailprint import TrailprintError
from trailprint.attacks.sequence.worker_processes import Worker, close_idle, processes
from trailprint.errors import OptionError
from trailprint.features.options import check_edges


def nothing(*shared):
    """Prepare nothing; only for work in this process."""


@pytest.fixture(autouse=True)
def _no_leftovers():
    yield
    close_idle()


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_every_task_is_answered_once(n_workers) -> None:
    with processes(n_workers, print if n_workers > 1 else nothing) as run:
        found = dict(run(operator.pow, ((n, 2) for n in range(50))))
    assert found == {n: n * n for n in range(50)}


def test_work_is_shared_by_other_processes_that_are_kept() -> None:
    def pids():
        with processes(2, print) as run:
            return {pid for _, pid in run(os.getpid, [() for _ in range(40)])}

    first = pids()
    assert os.getpid() not in first
    assert 1 <= len(first) <= 2
    assert len(first | pids() | pids()) <= 2


def test_what_a_task_prints_does_not_get_among_the_answers(capfd) -> None:
    worker = Worker()
    assert worker.call(print, "hello") is None
    assert worker.call(math.factorial, 5) == 120
    worker.close()
    assert capfd.readouterr().out == ""


def test_a_failing_task_fails_here_and_its_process_continues() -> None:
    worker = Worker()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        worker.call(operator.truediv, 1, 0)
    assert worker.call(operator.truediv, 1, 2) == 0.5
    worker.close()


def test_a_users_error_stays_one() -> None:
    worker = Worker()
    with pytest.raises(OptionError, match="duration_edges_s must be"):
        worker.call(check_edges, (0.0,))
    worker.close()


def test_stopping_does_not_wait_for_work_in_progress() -> None:
    workers: list[int] = []

    def stop_midway() -> None:
        with processes(2, print) as run:
            workers.extend(pid for _, pid in run(os.getpid, [()] * 8))
            next(run(time.sleep, [(0,), (600,), (600,), (600,)]))
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        stop_midway()
    assert time.monotonic() - began < 300
    for pid in set(workers):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_process_that_dies_is_explained() -> None:
    with pytest.raises(TrailprintError, match="must live to the end"), processes(2, print) as run:
        list(run(os._exit, [(1,)] * 4))
    with processes(2, print) as run:
        assert dict(run(operator.neg, [(1,)])) == {0: -1}


def test_processes_end_with_their_parent(tmp_path) -> None:
    """A script without a guard may start them, and its end is theirs, even if it is killed."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal\n"
        "from trailprint.attacks.sequence.worker_processes import processes\n"
        "with processes(2, print) as run:\n"
        "    print(*(pid for _, pid in run(os.getpid, [()] * 9)), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # Reading to the end returns only when nobody holds the pipe any more.
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, **path},
    )
    assert done.returncode == -9
    assert len(done.stdout.split()) == 9
