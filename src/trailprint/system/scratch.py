"""
Temporary folders and files that a later run removes if their own process could not.

Each is locked as long as its process uses it. If that process and its supervisor were killed,
the locks are gone with them, and the next run in the same place removes what is left.
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
"""Prefix of scratch folders in the folder of temporary files."""

UNFINISHED = ".unfinished-"
"""Prefix of files that are not yet complete."""

#: Names made by `temporary`: nothing else is ever removed.
_OURS = re.compile(rf"({FOLDER}|{re.escape(UNFINISHED)})\d+-[0-9a-f]{{12}}")

_LOCK = ".lock"

#: A folder without a lock that is younger than this may be one that is just being created.
_BEING_MADE_S = 600.0


class Scratch:
    """A private folder that is removed when this is closed or collected, or by a later sweep."""

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
        """Remove the folder and its contents."""
        self._remove()


def _make_folder() -> tuple[str, int]:
    """Return a new folder, and the handle that holds its lock."""
    while True:
        folder = temporary.new_folder(FOLDER)
        try:
            handle = os.open(Path(folder, _LOCK), os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        except OSError:
            temporary.remove_folder(folder)
            raise
        # Another process may have swept the folder before it was locked.
        if _take(handle) and os.path.exists(Path(folder, _LOCK)):
            return folder, handle
        _remove_folder(folder, handle)


def _remove_folder(folder: str, lock: int) -> None:
    temporary.remove_folder(folder)
    os.close(lock)


def _lock(handle: int) -> None:
    import fcntl  # Not on Windows, where the package can be imported but not used.

    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _take(handle: int) -> bool:
    """Lock a file; return False if it is locked. Without support for locks, return True."""
    try:
        _lock(handle)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _is_abandoned(handle: int) -> bool:
    """Return whether a file's lock can be taken, as no live process holds it."""
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
    """Yield a handle of a file, or None if it is missing; never follow a link or wait on a pipe."""
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
    """Yield a new empty private file in a folder; it is removed at the end unless renamed."""
    name, handle = _make_file(folder)
    try:
        yield name
    finally:
        temporary.remove_file(name)
        os.close(handle)


@contextlib.contextmanager
def second_name(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a hard link to a file, which stays if the first name is replaced or removed."""
    with unfinished_file(folder) as name:
        os.unlink(name)
        os.link(path, name)
        with _opened(name) as handle:
            # Without a lock it would count as abandoned, and be swept.
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
    """Remove abandoned unfinished files of this user in a folder."""
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
    """Yield a private file that replaces ``path`` when complete, or not at all."""
    with unfinished_file(path.parent) as name:
        with open(name, "wb") as file:
            yield file
        os.replace(name, path)
