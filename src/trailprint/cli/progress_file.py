"""
Progress of a command, as a small JSON file for another program to read.

The environment variable ``TRAILPRINT_PROGRESS`` names the file. It is replaced atomically a few
times a second and holds: ``what`` is being done, the share that is ``done`` (null: unknown), the
time ``at`` which it was written in seconds since 1970, the ``plan`` of an audit once it is made,
and the number of ``points`` measured so far.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from functools import cache
from pathlib import Path
from typing import Any

from trailprint.system.scratch import replacing_file

VARIABLE = "TRAILPRINT_PROGRESS"

_PAUSE_S = 0.25


class ProgressFile:
    """Writes the progress reported to it to a file; errors in writing are ignored."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state: dict[str, Any] = {"what": "", "done": None, "plan": None, "points": 0}
        self._next = 0.0

    def report(self, what: str, done: float | None) -> None:
        """Report what is being done and the share that is done."""
        is_new = what != self._state["what"]
        self._state |= {"what": what, "done": done}
        if is_new or time.monotonic() >= self._next:
            self._write()

    def report_plan(self, plan: dict[str, Any]) -> None:
        """Report the plan before it is carried out."""
        self._state["plan"] = plan
        self._write()

    def report_point(self) -> None:
        """Report that one more point was measured."""
        self._state["points"] += 1
        self._write()

    def _write(self) -> None:
        self._next = time.monotonic() + _PAUSE_S
        text = json.dumps({**self._state, "at": time.time()})
        with contextlib.suppress(OSError), replacing_file(self._path) as file:
            file.write(text.encode())


def find_progress_file() -> ProgressFile | None:
    """The progress file named by the environment; None if there is none."""
    path = os.environ.get(VARIABLE)
    return _open(path) if path else None


@cache
def _open(path: str) -> ProgressFile:
    return ProgressFile(Path(path))
