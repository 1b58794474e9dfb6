"""
Files and folders that must not outlive the program.

Each has a name nobody else uses, announced before it exists. Where the program is watched by a
process that outlives it (see `trailprint.cli.supervisor`), that process hears the announcements and
removes what is left, however the program ended.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile

from trailprint.system.platforms import require_private_files

#: The end of a pipe that announcements go to; None where nobody listens.
_listener: int | None = None


def announce_to(descriptor: int | None) -> None:
    """Let somebody hear of every name from now on; None: nobody."""
    global _listener
    _listener = descriptor


def get_listener() -> int | None:
    """Where announcements go to, for processes that this one starts."""
    return _listener


def new_name(folder: str | os.PathLike[str], prefix: str) -> str:
    """Announce a path in a folder that nobody else uses; nothing is created."""
    require_private_files()
    path = os.path.join(os.path.abspath(folder), f"{prefix}{os.getpid()}-{os.urandom(6).hex()}")
    _announce(b"+", path)
    return path


def release(path: str) -> None:
    """Say that a path was removed, or renamed to what it was made for."""
    _announce(b"-", path)


def new_file(folder: str | os.PathLike[str], prefix: str) -> tuple[int, str]:
    """Create an empty file that only its owner can read; its descriptor and its path."""
    path = new_name(folder, prefix)
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), path
    except OSError:
        release(path)
        raise


def remove_file(path: str) -> None:
    """Remove a file, if it is still there."""
    with contextlib.suppress(OSError):
        os.unlink(path)
    release(path)


def new_folder(prefix: str) -> str:
    """Create a folder for temporary files that only its owner can enter; its path."""
    path = new_name(tempfile.gettempdir(), prefix)
    try:
        os.mkdir(path, 0o700)
    except OSError:
        release(path)
        raise
    return path


def remove_folder(path: str) -> None:
    """Remove a folder with everything in it."""
    shutil.rmtree(path, ignore_errors=True)
    release(path)


def _announce(what: bytes, path: str) -> None:
    """One write no longer than a pipe takes at once: announcements of threads never mix."""
    if _listener is not None:
        with contextlib.suppress(OSError):
            os.write(_listener, what + os.fsencode(path) + b"\0")
