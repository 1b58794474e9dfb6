"""``file::name``: a file that holds several tables, and which of them is meant."""

from __future__ import annotations

import os
from typing import NamedTuple

_SEPARATOR = "::"


class InnerName(NamedTuple):
    """A file, and the table or sheet in it; None where it is to have only one."""

    path: str
    name: str | None


def split_source(source: str | os.PathLike[str]) -> InnerName | None:
    """
    What a source names; None where it is no text.

    A file whose own name has ``::`` in it is that file.
    """
    text = os.fspath(source)
    if not isinstance(text, str):
        return None
    if os.path.isfile(text):
        return InnerName(text, None)
    path, separator, name = text.rpartition(_SEPARATOR)
    return InnerName(path, name if separator else None)
