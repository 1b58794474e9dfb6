"""
Files and folders that must not outlive the program.

Each has a unique name, which is announced before it exists. If the program has a supervisor (see
`trailprint.cli.supervisor`), that process receives the announcements and removes what is left,
however the program ended.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile

from trailprint.system.platforms import require_private_files

#: Write end of the pipe for announcements; None without a supervisor.
_listener: int | None = None


def announce_to(descriptor: int | None) -> None:
    """Send announcements to this descriptor from now on; None: to no one."""
    global _listener
    _listener = descriptor


def get_listener() -> int | None:
    """Return the descriptor for announcements, to pass it to child processes."""
    return _listener


def new_name(folder: str | os.PathLike[str], prefix: str) -> str:
    """Return and announce a unique path in a folder; nothing is created."""
    require_private_files()
    path = os.path.join(os.path.abspath(folder), f"{prefix}{os.getpid()}-{os.urandom(6).hex()}")
    _announce(b"+", path)
    return path


def release(path: str) -> None:
    """Announce that a path was removed, or renamed to its final name."""
    _announce(b"-", path)


def new_file(folder: str | os.PathLike[str], prefix: str) -> tuple[int, str]:
    """Create an empty file that only its owner can read; return its descriptor and path."""
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
    """Create a private folder among the temporary files; return its path."""
    path = new_name(tempfile.gettempdir(), prefix)
    try:
        os.mkdir(path, 0o700)
    except OSError:
        release(path)
        raise
    return path


def remove_folder(path: str) -> None:
    """Remove a folder and its contents."""
    shutil.rmtree(path, ignore_errors=True)
    release(path)


def _announce(what: bytes, path: str) -> None:
    """Announce in a single atomic write to the pipe: announcements of threads never mix."""
    if _listener is not None:
        with contextlib.suppress(OSError):
            os.write(_listener, what + os.fsencode(path) + b"\0")
