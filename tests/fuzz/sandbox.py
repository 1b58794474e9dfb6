"""A folder of its own for each case, and what is in it afterwards."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_GRACE_S = 1.0
"""How long threads and child processes may take to end after their command."""


@dataclass(slots=True)
class Sandbox:
    """The working folder of a case; its temporary folder lies beside it."""

    root: Path
    before: dict[str, str] = field(default_factory=dict)
    open_files: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    threads: int = 0

    @property
    def work(self) -> Path:
        """Where the files lie and the command is run."""
        return self.root / "work"

    @property
    def scratch(self) -> Path:
        """The temporary folder."""
        return self.root / "tmp"

    def changes(self) -> dict[str, str]:
        """Files that were added, changed or removed, and which of these it was."""
        after = _digests(self.work)
        return {
            name: _what(self.before.get(name), after.get(name))
            for name in sorted(self.before.keys() | after.keys())
            if self.before.get(name) != after.get(name)
        }

    def left_over(self) -> list[str]:
        """What should have gone with the command, in words."""
        _end_as_a_program_does()
        gc.collect()
        found = [f"temporary {_kind(path)}" for path in sorted(self.scratch.rglob("*"))]
        if not _until(lambda: threading.active_count() <= self.threads):
            found.append("thread")
        if not _until(lambda: _children() <= self.children):
            found += [f"child process {_command(pid)}" for pid in _children() - self.children]
        found += [f"open {_what_is(name)}" for name in sorted(_open_files() - self.open_files)]
        return found


@contextlib.contextmanager
def sandbox(root: Path, files: Mapping[str, bytes]) -> Iterator[Sandbox]:
    """Write the files, go there, and point temporary files at a private folder."""
    shutil.rmtree(root, ignore_errors=True)
    box = Sandbox(root)
    box.work.mkdir(parents=True)
    box.scratch.mkdir()
    for name, content in files.items():
        path = box.work / name
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    box.before = _digests(box.work)
    back, previous = os.getcwd(), (os.environ.get("TMPDIR"), tempfile.tempdir)
    os.environ["TMPDIR"], tempfile.tempdir = str(box.scratch), str(box.scratch)
    os.chdir(box.work)
    gc.collect()
    box.open_files, box.children = _open_files(), _children()
    box.threads = threading.active_count()
    try:
        yield box
    finally:
        os.chdir(back)
        _restore(*previous)
        shutil.rmtree(root, ignore_errors=True)


def _restore(variable: str | None, folder: str | None) -> None:
    tempfile.tempdir = folder
    if variable is None:
        os.environ.pop("TMPDIR", None)
    else:
        os.environ["TMPDIR"] = variable


def _digests(folder: Path) -> dict[str, str]:
    found = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        is_file = path.is_file()
        found[name] = hashlib.md5(path.read_bytes()).hexdigest() if is_file else "folder"
    return found


def _what(before: str | None, after: str | None) -> str:
    if before is None:
        return "added"
    return "removed" if after is None else "changed"


def _kind(path: Path) -> str:
    return "folder" if path.is_dir() else "file"


def _what_is(entry: str) -> str:
    """A file's ending, or what else is open."""
    target = entry.split(" ", 1)[1]
    return re.sub(r"\W*\d+\W*", "", os.path.splitext(target)[1] or os.path.basename(target))


def _until(holds: object, limit_s: float = _GRACE_S) -> bool:
    end = time.monotonic() + limit_s
    while not holds():  # type: ignore[operator]
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _end_as_a_program_does() -> None:
    """Close worker processes that wait for more work, which a program does at its end."""
    workers = sys.modules.get("trailprint.attacks.sequence.worker_processes")
    if workers is not None:
        workers.close_idle()


def _children() -> set[str]:
    me = f"/proc/{os.getpid()}/task"
    found: set[str] = set()
    for task in os.listdir(me):
        with contextlib.suppress(OSError):
            found |= set(Path(f"{me}/{task}/children").read_text().split())
    return found


def _command(pid: str) -> str:
    """The last words of a process's command line."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        return " ".join(words)[-80:].strip()
    return "that is gone"


def _open_files() -> set[str]:
    """Open files as number and target, without what Python opens to find out."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.add(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
    return {entry for entry in found if not entry.endswith("/fd")}
