"""The command that writes the release an audit proposes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

_RELEASE = "release"
"""The folder a release is proposed to be written to."""


def spell_release(data: str, written: str, more: Sequence[str] = ()) -> str:
    """
    ``trailprint protect`` with what was applied, as a shell takes it.

    ``written`` is a chain as a result tells it; ``more`` is what was typed to read the data.
    """
    steps = [word for step in written.split(" then ") for word in ("--apply", step)]
    return shlex.join(["trailprint", "protect", data, *more, *steps, "--release", _RELEASE])
