"""The command that writes the release an audit proposes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from trailprint.audit.results.findings import Findings

_RELEASE = "release"
"""The folder a release is proposed to be written to."""


def propose_release(found: Findings, data: str, more: Sequence[str] = ()) -> str | None:
    """The command that writes what an audit proposes; None where it proposes nothing."""
    best = found.headline.protection
    return spell_release(data, best.written, more) if best is not None and best.written else None


def spell_release(data: str, written: str, more: Sequence[str] = ()) -> str:
    """
    ``trailprint protect`` with what was applied, as a shell takes it.

    ``written`` is a chain as a result tells it; ``more`` is what was typed to read the data. What
    is made of a release goes beside it.
    """
    folder = f"{_RELEASE}-2" if Path(data).parent.name == _RELEASE else _RELEASE
    steps = [word for step in written.split(" then ") for word in ("--apply", step)]
    return shlex.join(["trailprint", "protect", data, *more, *steps, "--release", folder])
