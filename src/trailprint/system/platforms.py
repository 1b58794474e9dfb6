"""Supported systems: those where a file can be made private to its owner."""

from __future__ import annotations

import os
import sys

from trailprint.errors import TrailprintError

#: Functions that private files, locks and the supervisor need. Windows has none of them.
_NEEDED = ("fork", "getuid", "O_NOFOLLOW")


def require_private_files() -> None:
    """Raise a one-sentence error if files cannot be made private to their owner."""
    if all(hasattr(os, name) for name in _NEEDED):
        return
    raise TrailprintError(
        "The system must be able to keep files to their owner, as Linux and macOS do, but this "
        f"one ({sys.platform}) cannot. On Windows use the Windows Subsystem for Linux (WSL)."
    )
