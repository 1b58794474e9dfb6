"""
The options of an audit as a TOML file: written beside its report, read to run it again.

The file is flat. Its keys are the flags of ``trailprint audit`` without leading dashes, and its
values are those typed on the command line.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from trailprint.errors import OptionError, reason_of

SETTINGS = "settings.toml"

_ABOUT = "# What this audit was asked for. To run it again: trailprint audit --settings {name}\n"
_POSITION = re.compile(r"at line \d+, column \d+")


def write_settings(values: Mapping[str, Any]) -> str:
    """Return values by flag as the text of a TOML file, without None, False and empty ones."""
    lines = [f"{name} = {_to_toml(value)}\n" for name, value in values.items() if _is_said(value)]
    return "".join([_ABOUT.format(name=SETTINGS), *lines])


def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read values by flag from a file; an underscore in a key stands for a dash."""
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise OptionError(
            f"--settings must name a file that can be read, got {str(path)!r}: {reason_of(error)}.",
            option="settings",
        ) from None
    except (
        ValueError,
        RecursionError,
    ) as error:  # The error message may quote the file.
        place = _POSITION.search(str(error))
        raise OptionError(
            f"--settings must name a TOML file, such as the {SETTINGS} of an audit, but this one "
            f"cannot be read{f' {place[0]}' if place else ''}.",
            option="settings",
        ) from None
    return {name.replace("_", "-"): value for name, value in found.items()}


def check_names(given: Collection[str], known: Collection[str]) -> None:
    """Raise if a key is not an option."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            advice = f"Did you mean {near[0]!r}?" if near else "Remove it."
            raise OptionError(
                f"--settings must hold only options of the audit, got {name!r}. {advice}",
                option="settings",
            )


def _is_said(value: object) -> bool:
    return value is not None and value is not False and value not in ("", [], ())


def _to_toml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_to_toml, value))}]"
    if isinstance(value, str):
        # JSON strings are TOML strings, except for one character that TOML requires to be escaped.
        readable = value.encode(errors="replace").decode()
        return json.dumps(readable, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else repr(value)
