"""
Jobs: commands that run in separate processes, each with a folder that records its state.

The folder holds the command, its output, and a lock that the process holds as long as it runs. If
the app is restarted, or a second one is started, it reads the same state.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from trailprint.app.failures import Failure
from trailprint.cli import failure_file, progress_file
from trailprint.system.scratch import replacing_file

State = Literal["none", "running", "finished", "failed", "stopped", "interrupted"]

_ABOUT, _RESULT, _MESSAGES, _PROGRESS, _FAILURE, _LOCK = (
    "job.json",
    "printed.json",
    "messages.txt",
    "progress.json",
    "failure.json",
    "lock",
)
#: Exit codes of a command that a signal asked to stop.
_STOPPED = tuple(128 + one for one in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM))
_NOTHING_SAID = "The program ended without a message. Start it again."

#: Child processes of this one, to be reaped when they end.
_children: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """
    Progress of a job.

    Attributes
    ----------
    what : str
        Current activity.
    done : float, optional
        Share of the work that is done, if known.
    plan : mapping, optional
        The audit's plan, part by part.
    seconds_left : float, optional
        Estimated remaining time at the speed so far.
    n_points : int
        Number of protections measured so far.
    """

    what: str = "Starting"
    done: float | None = None
    plan: Mapping[str, Any] | None = None
    seconds_left: float | None = None
    n_points: int = 0


class Job:
    """A command and its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def words(self) -> list[str]:
        """The arguments the command was started with."""
        return list(_read_json(self.folder / _ABOUT).get("words", []))

    @property
    def started(self) -> float | None:
        """Start time in seconds since 1970."""
        found = _read_json(self.folder / _ABOUT).get("started")
        return float(found) if isinstance(found, int | float) else None

    def start(self, words: Sequence[str], *, within: Path) -> bool:
        """Run a command in the folder ``within``; False if it is already running."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = self._take_lock()
        if lock is None:
            return False
        try:
            for name in (_RESULT, _MESSAGES, _PROGRESS, _FAILURE):
                (self.folder / name).unlink(missing_ok=True)
            process = self._spawn(words, within, lock)
            about = {"words": list(words), "pid": process.pid, "started": time.time()}
            with replacing_file(self.folder / _ABOUT) as file:
                file.write(json.dumps(about).encode())
        finally:
            os.close(lock)
        return True

    def _spawn(self, words: Sequence[str], within: Path, lock: int) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-P", "-m", "trailprint", *words, "--json"]
        environment = {
            **os.environ,
            progress_file.VARIABLE: str(self.folder / _PROGRESS),
            failure_file.VARIABLE: str(self.folder / _FAILURE),
        }
        with _private(self.folder / _RESULT) as out, _private(self.folder / _MESSAGES) as errors:
            process = subprocess.Popen(
                program,
                cwd=within,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                pass_fds=(lock,),
                start_new_session=True,
            )
        _children.append(process)
        return process

    def _take_lock(self) -> int | None:
        """A file descriptor that holds the lock; None if a running process holds it."""
        handle = os.open(self.folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            return None
        return handle

    @property
    def is_running(self) -> bool:
        """Whether its process is running."""
        _reap()
        if not (self.folder / _LOCK).exists():
            return False
        with contextlib.suppress(OSError):
            lock = self._take_lock()
            if lock is not None:
                os.close(lock)
            return lock is None
        return False

    def state(self) -> State:
        """State of the job, whichever process started it."""
        if not (self.folder / _ABOUT).is_file():
            return "running" if self.is_running else "none"
        if self.is_running:
            return "running"
        if self.result() is not None:
            return "finished"
        if self.failure() is None:
            return "interrupted"
        is_stopped = _read_json(self.folder / _FAILURE).get("code") in _STOPPED
        return "stopped" if is_stopped else "failed"

    def result(self) -> dict[str, Any] | None:
        """The JSON object that the command printed; None if it is missing or incomplete."""
        return _read_json(self.folder / _RESULT) or None

    def failure(self) -> Failure | None:
        """Why the command failed or was stopped; None if it did not say."""
        return Failure.read(_read_json(self.folder / _FAILURE))

    def message(self) -> str:
        """The error message of the command."""
        failure = self.failure()
        return failure.message if failure else _NOTHING_SAID

    def progress(self) -> Progress:
        """Progress of the job."""
        told = _read_json(self.folder / _PROGRESS)
        done = told.get("done")
        points = told.get("points")
        return Progress(
            what=str(told.get("what") or "Starting"),
            done=done,
            plan=told.get("plan"),
            seconds_left=self._left(done),
            n_points=points if isinstance(points, int) else 0,
        )

    def _left(self, done: float | None) -> float | None:
        # Below a few percent, start-up and reading dominate the elapsed time.
        if self.started is None or done is None or not 0.03 < done <= 1:
            return None
        return (time.time() - self.started) * (1 - done) / done

    def cancel(self) -> None:
        """Ask the process to stop; it cleans up and keeps its finished parts."""
        pid = _read_json(self.folder / _ABOUT).get("pid")
        if isinstance(pid, int) and self.is_running:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)


def _reap() -> None:
    """Reap child processes that have ended."""
    _children[:] = [child for child in _children if child.poll() is None]


def _private(path: Path) -> Any:
    return os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb")


def _read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file; empty if there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
