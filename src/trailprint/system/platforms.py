"""Which systems Trailprint runs on: those where a file can be kept to its owner."""

from __future__ import annotations

import os
import sys

from trailprint.errors import TrailprintError

#: What private files, locks and the watching process rest on. Windows has none of it.
_NEEDED = ("fork", "getuid", "O_NOFOLLOW")


def require_private_files() -> None:
    """Refuse in one sentence where what is written could not be kept to its owner."""
    if all(hasattr(os, name) for name in _NEEDED):
        return
    raise TrailprintError(
        "The system must be able to keep files to their owner, as Linux and macOS do, but this "
        f"one ({sys.platform}) cannot. On Windows use the Windows Subsystem for Linux (WSL)."
    )
