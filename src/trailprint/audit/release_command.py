"""The command that writes the release an audit proposes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from trailprint.audit.results.findings import Findings

_RELEASE = "release"
"""Folder proposed for a release."""


def propose_release(found: Findings, data: str, more: Sequence[str] = ()) -> str | None:
    """Return the command that writes the proposed release; None if none is proposed."""
    best = found.headline.protection
    if best is None or best.is_unprotected:
        return None
    return spell_release(data, best.written, more)


def spell_release(data: str, written: str, more: Sequence[str] = ()) -> str:
    """
    Return the ``trailprint protect`` command for a chain, quoted for a shell.

    ``written`` is a chain as given in a result; ``more`` holds the options for reading the data.
    A release that is protected again goes to a new folder.
    """
    folder = f"{_RELEASE}-2" if Path(data).parent.name == _RELEASE else _RELEASE
    steps = [word for step in written.split(" then ") for word in ("--apply", step)]
    return shlex.join(["trailprint", "protect", data, *more, *steps, "--release", folder])
