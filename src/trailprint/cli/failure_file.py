"""
Failure of a command, as a small JSON file for another program to read.

The environment variable ``TRAILPRINT_FAILURE`` names the file. A command that fails writes there
its exit ``code``, the ``message`` that it prints, the ``option`` concerned (its flag without
dashes; null: none) and ``suggestions``, values to try for this option.

The supervisor imports this before it handles signals: only modules that Python loads anyway are
imported at the top.
"""

from __future__ import annotations

import contextlib
import os

# Not from typing: only modules that Python itself has loaded are imported here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLE = "TRAILPRINT_FAILURE"


def write_failure(
    code: int, message: str, *, option: str | None = None, suggestions: Sequence[str] = ()
) -> None:
    """Write the file if the environment names one; errors in writing are ignored."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    import json

    failure = {"code": code, "message": message, "option": option, "suggestions": [*suggestions]}
    flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW
    with contextlib.suppress(OSError), os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(json.dumps(failure).encode())
