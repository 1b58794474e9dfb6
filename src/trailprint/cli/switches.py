"""Detection of values given to switches, which take none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from trailprint.errors import OptionError

_VALUES = frozenset({"true", "false", "yes", "no", "on", "off", "0", "1"})
"""Values that users mistakenly give to a switch."""


def check_flags(program: Any, arguments: Sequence[str]) -> None:
    """
    Raise an error for ``--per-user true``: the parser would take the value for a file.

    The name of an existing file is accepted, since a file may follow a switch.
    """
    switches = _find_switches(program, arguments)
    for name, value in pairwise(arguments):
        if name in switches and value.lower() in _VALUES and not os.path.exists(value):
            raise OptionError(
                f"{name} takes no value, got {value!r}. Write {name} alone, or leave it out."
            )


def _find_switches(program: Any, arguments: Sequence[str]) -> set[str]:
    """The switches of the command that is named."""
    commands = getattr(program, "commands", {})
    command = commands.get(arguments[0]) if arguments else None
    parameters = [] if command is None else command.params
    return {name for one in parameters if getattr(one, "is_flag", False) for name in one.opts}
