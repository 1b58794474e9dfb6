"""Starts the program as a person would, and looks at what it leaves behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

PROGRAM = Path(sys.executable).with_name("trailprint")
GONE_S = 2.0
"""How long after its end a program's helpers may take to go."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program runs: its working folder and its folder of temporary files."""

    work: Path
    scratch: Path

    def environment(self) -> dict[str, str]:
        """The surroundings of the program; temporary files go to their own folder."""
        return {**os.environ, "TMPDIR": str(self.scratch), "PYTHONDONTWRITEBYTECODE": "1"}


@contextlib.contextmanager
def place() -> Iterator[Place]:
    """A fresh place that is removed at the end."""
    root = Path(tempfile.mkdtemp(prefix="torture-"))
    here = Place(root / "work", root / "tmp")
    here.work.mkdir()
    here.scratch.mkdir()
    try:
        yield here
    finally:
        shutil.rmtree(root, ignore_errors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def is_one_sentence(self) -> bool:
        """Whether all it said of its failure is one line of ours."""
        lines = self.err.splitlines()
        ours = [line for line in lines if line.startswith("trailprint: ")]
        return len(ours) == 1 and lines[-1] == ours[0] and "Traceback" not in self.err


class Program:
    """A running program in a session of its own."""

    def __init__(self, arguments: Sequence[str], where: Place, **how: Any) -> None:
        self.where = where
        self._since = time.monotonic()
        self._out, self._err = (os.fdopen(os.memfd_create("said"), "w+b") for _ in range(2))
        self._process = subprocess.Popen(
            [*how.pop("before", ()), str(PROGRAM), *arguments],
            cwd=where.work,
            env=where.environment(),
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,
            **how,
        )

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def wait(self, limit_s: float = 600.0) -> Ended | None:
        """How it ended; None where it did not within the limit."""
        try:
            code = self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None
        seconds = time.monotonic() - self._since
        return Ended(code=code, out=_all(self._out), err=_all(self._err), seconds=seconds)

    def send(self, number: int, *, to_group: bool) -> None:
        """Send a signal to the program, or to it and its helpers as a terminal does."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if to_group else os.kill)(self._process.pid, number)

    def survivors(self) -> list[int]:
        """Processes that belong to it and still run after a short while."""
        end = time.monotonic() + GONE_S
        while (found := self._members()) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def end(self) -> None:
        """Kill everything that belongs to it."""
        for pid in (self._process.pid, *self._members()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def _members(self) -> list[int]:
        """Processes with our folder of temporary files in their environment."""
        mark = f"TMPDIR={self.where.scratch}".encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if mark in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    found.append(int(name))
        return found


def _all(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def run(arguments: Sequence[str], where: Place, **how: Any) -> Ended:
    """Run a program to its end."""
    program = Program(arguments, where, **how)
    ended = program.wait()
    if ended is None:
        program.end()
        raise TimeoutError(f"{arguments[0]} took more than ten minutes")
    return ended


def left_in_scratch(where: Place) -> list[str]:
    """Names in the folder of temporary files."""
    return sorted(os.listdir(where.scratch))


def temporary_names(folder: Path) -> list[str]:
    """Names below a folder that no finished work has."""
    return sorted(
        path.name
        for path in folder.rglob("*")
        if path.name.startswith(".") or path.name.endswith(".tmp")
    )


def make_data(where: Place, name: str = "data.csv", *, users: int = 40, days: int = 10) -> None:
    """A small campus; nobody in it exists."""
    size = ["--users", str(users), "--days", str(days)]
    ended = run(["simulate", "campus", "--out", name, *size], where)
    if ended.code != 0:
        raise RuntimeError(ended.err)


#: One line a command: long enough to be stopped at many moments, and what it writes.
COMMANDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "match": (("match", "data.csv", "--at", "median", "--margins", "--links", "l.csv"), ("l.csv",)),
    "correlate": (("correlate", "data.csv", "--at", "median", "--work", "models"), ("models",)),
    "protect": (
        ("protect", "data.csv", "--apply", "microaggregate:k=3", "--out", "p.csv"),
        ("p.csv",),
    ),
    "audit": (("audit", "data.csv", "--out", "audit", "--time-limit", "none"), ("audit",)),
}
