"""
Temporary folders and files that are swept up where nobody else could remove them.

Each is locked as long as its process uses it. Where that process and whoever watched it were
killed, the locks are gone with them, and the next run in the same place removes what is left.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from trailprint.errors import OutputError, reason_of
from trailprint.system import temporary
from trailprint.system.platforms import require_private_files

FOLDER = "trailprint-"
"""What scratch folders in the folder of temporary files begin with."""

UNFINISHED = ".unfinished-"
"""What files begin with that are not yet whole."""

#: As `temporary` makes names: nothing else is ever removed.
_OURS = re.compile(rf"({FOLDER}|{re.escape(UNFINISHED)})\d+-[0-9a-f]{{12}}")

_LOCK = ".lock"

#: A folder without a lock may be one that is being made just now.
_BEING_MADE_S = 600.0


class Scratch:
    """A folder that only its owner can enter; gone when it is closed, collected or swept."""

    def __init__(self) -> None:
        try:
            self.name, lock = _make_folder()
        except OSError as error:
            raise OutputError(
                "There must be a folder of temporary files that can be written to, but there is "
                f"none ({reason_of(error)}). Free some room, or name another one with TMPDIR."
            ) from None
        self._remove = weakref.finalize(self, _remove_folder, self.name, lock)

    def close(self) -> None:
        """Remove the folder and what is in it."""
        self._remove()


def _make_folder() -> tuple[str, int]:
    """A new folder, and the handle that holds its lock."""
    while True:
        folder = temporary.new_folder(FOLDER)
        try:
            handle = os.open(Path(folder, _LOCK), os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        except OSError:
            temporary.remove_folder(folder)
            raise
        # Somebody who sweeps may have been faster than the lock.
        if _take(handle) and os.path.exists(Path(folder, _LOCK)):
            return folder, handle
        _remove_folder(folder, handle)


def _remove_folder(folder: str, lock: int) -> None:
    temporary.remove_folder(folder)
    os.close(lock)


def _lock(handle: int) -> None:
    import fcntl  # Windows has none: the package can be imported there, if not used.

    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _take(handle: int) -> bool:
    """Lock a file if nobody has; where there are no locks, everything counts as ours."""
    try:
        _lock(handle)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _is_abandoned(handle: int) -> bool:
    """Whether a file's lock can be taken: nobody who lives has it."""
    try:
        _lock(handle)
    except OSError:
        return False
    return True


def sweep_scratch() -> None:
    """Remove scratch folders of this user whose process is gone."""
    require_private_files()
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(FOLDER) and _OURS.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _sweep_folder(entry.path)


def _sweep_folder(path: str) -> None:
    about = os.lstat(path)
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
        return
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with _opened(_LOCK, folder) as lock:
            is_old = time.time() - about.st_mtime > _BEING_MADE_S
            if is_old if lock is None else _is_abandoned(lock):
                shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(folder)


@contextlib.contextmanager
def _opened(name: str, folder: int | None = None) -> Iterator[int | None]:
    """A handle of a file, None where there is no such file; never through a link or a pipe."""
    try:
        handle = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def unfinished_file(folder: str | os.PathLike[str]) -> Iterator[str]:
    """A new empty file in a folder, for its owner only; removed at the end unless renamed."""
    name, handle = _make_file(folder)
    try:
        yield name
    finally:
        temporary.remove_file(name)
        os.close(handle)


@contextlib.contextmanager
def second_name(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Iterator[str]:
    """Another name for a file, which stays when somebody replaces or removes the first one."""
    with unfinished_file(folder) as name:
        os.unlink(name)
        os.link(path, name)
        with _opened(name) as handle:
            # Without a lock of its own it would count as left behind, and be swept.
            if handle is not None:
                _take(handle)
            yield name


def _make_file(folder: str | os.PathLike[str]) -> tuple[str, int]:
    while True:
        handle, name = temporary.new_file(folder, UNFINISHED)
        if _take(handle) and os.path.exists(name):
            return name, handle
        os.close(handle)
        temporary.release(name)


def sweep_unfinished(folder: str | os.PathLike[str]) -> None:
    """Remove files of this user in a folder that nobody will finish."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(UNFINISHED) and _OURS.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _sweep_file(entry.path)


def _sweep_file(path: str) -> None:
    about = os.lstat(path)
    if not stat.S_ISREG(about.st_mode) or about.st_uid != os.getuid():
        return
    with _opened(path) as handle:
        if handle is not None and _is_abandoned(handle):
            os.unlink(path)


@contextlib.contextmanager
def replacing_file(path: Path) -> Iterator[BinaryIO]:
    """A file, for its owner only, that takes its place when it is whole or not at all."""
    with unfinished_file(path.parent) as name:
        with open(name, "wb") as file:
            yield file
        os.replace(name, path)
