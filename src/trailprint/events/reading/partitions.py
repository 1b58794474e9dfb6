"""Folders named ``key=value``: columns of a partitioned dataset that its files omit."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trailprint.display.discreet import Discreet
from trailprint.events.engine import quote_text

_KEY = re.compile(r"^([\w .-]{1,60})=", re.ASCII)
_SEPARATOR = re.compile(r"[/\\]")
#: Value that Hive and Spark write for null.
_MISSING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True, kw_only=True)
class Partitions(Discreet):
    """
    Columns that folder names below ``root`` give to every file.

    Attributes
    ----------
    keys : tuple of str
        Keys that occur in the path of every file, in their order.
    root : str
        Path that the user gave; folders within this path itself add no columns.
    """

    keys: tuple[str, ...] = ()
    root: str = ""

    def columns(self, path: str, there: Iterable[str]) -> dict[str, str]:
        """SQL over the column ``path`` for each key that is not already a column of the files."""
        own = {name.casefold() for name in there}
        below = f"substr({path}, {len(self.root) + 1})"
        return {key: _value(below, key) for key in self.keys if key.casefold() not in own}


def _value(path: str, key: str) -> str:
    pattern = rf"(?:^|[/\\]){re.escape(key)}=([^/\\]*)[/\\]"
    text = f"regexp_extract({path}, {quote_text(pattern)}, 1, 'i')"
    return f"nullif(coalesce(try(url_decode({text})), {text}), '{_MISSING}')"


def find_partitions(paths: Sequence[str], root: str) -> Partitions:
    """Return the keys that folders below ``root`` give to every file."""
    keys: dict[str, str] = {}
    for number, path in enumerate(paths):
        own = _keys(path[len(root) :])
        keys = own if number == 0 else {k: name for k, name in keys.items() if k in own}
        if not keys:
            break
    return Partitions(keys=tuple(keys.values()), root=root)


def _keys(below: str) -> dict[str, str]:
    folders = _SEPARATOR.split(below)[:-1]
    found = (_KEY.match(folder) for folder in folders)
    return {match.group(1).casefold(): match.group(1) for match in found if match}


def fixed_part(pattern: str) -> str:
    """Return the leading folders of a glob pattern that contain no wildcards."""
    folder = pattern
    while glob.has_magic(folder):
        folder = os.path.dirname(folder)
    return folder
