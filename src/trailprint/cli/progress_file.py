"""
How far a command has come, as a small JSON file that another program reads.

The environment variable ``TRAILPRINT_PROGRESS`` names the file. It is replaced a few times a second
and is whole whenever it is read: ``what`` is being done, which share is ``done`` (null: unknown),
``at`` which second since 1970, the ``plan`` of an audit once it is made, and how many ``points``
were measured so far.
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
    """Writes what is reported to it; a file that cannot be written stops nobody."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state: dict[str, Any] = {"what": "", "done": None, "plan": None, "points": 0}
        self._next = 0.0

    def report(self, what: str, done: float | None) -> None:
        """What is being done, and which share of it is over."""
        is_new = what != self._state["what"]
        self._state |= {"what": what, "done": done}
        if is_new or time.monotonic() >= self._next:
            self._write()

    def report_plan(self, plan: dict[str, Any]) -> None:
        """What will be done, before it is."""
        self._state["plan"] = plan
        self._write()

    def report_point(self) -> None:
        """That one more point was measured."""
        self._state["points"] += 1
        self._write()

    def _write(self) -> None:
        self._next = time.monotonic() + _PAUSE_S
        text = json.dumps({**self._state, "at": time.time()})
        with contextlib.suppress(OSError), replacing_file(self._path) as file:
            file.write(text.encode())


def find_progress_file() -> ProgressFile | None:
    """The file somebody reads; None where nobody asked for one."""
    path = os.environ.get(VARIABLE)
    return _open(path) if path else None


@cache
def _open(path: str) -> ProgressFile:
    return ProgressFile(Path(path))
