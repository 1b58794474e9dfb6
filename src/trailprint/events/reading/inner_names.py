"""``file::name``: a file that holds several tables, and the one to read."""

from __future__ import annotations

import os
from typing import NamedTuple

_SEPARATOR = "::"


class InnerName(NamedTuple):
    """A file, and the table or sheet in it; None if the file must have only one."""

    path: str
    name: str | None


def split_source(source: str | os.PathLike[str]) -> InnerName | None:
    """
    Return the file and the inner name of a source; None if the source is not text.

    An existing file whose own name contains ``::`` is taken as a whole.
    """
    text = os.fspath(source)
    if not isinstance(text, str):
        return None
    if os.path.isfile(text):
        return InnerName(text, None)
    path, separator, name = text.rpartition(_SEPARATOR)
    return InnerName(path, name if separator else None)
