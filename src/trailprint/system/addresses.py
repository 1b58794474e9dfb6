"""Checks that paths are local: nothing is read from or written to anywhere else."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

from trailprint.errors import OutputError, SourceError

#: pathlib turns ``s3://`` into ``s3:/``; a drive has one letter, so it does not match.
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):/")
_FILE = re.compile(r"^file:(?://(?:localhost)?)?/(?!/)", re.IGNORECASE)

PathName = str | os.PathLike[str]


def readable_path(name: PathName) -> str:
    """
    Return the local path of a name; ``file:`` addresses are read as paths.

    An address may contain a password: error messages show only its scheme.
    """
    text = _text(name, SourceError)
    if _FILE.match(text):
        return "/" + unquote(_FILE.sub("", text))
    scheme = _SCHEME.match(text)
    if scheme and not os.path.exists(text):
        raise SourceError(
            "The data must be a file or a folder on this machine, got an address that starts with "
            f"{scheme[1]}: instead. Nothing is fetched from the network: copy it here first, or "
            "let Spark read it with --engine spark.",
            option="engine",
        )
    return text


def check_writable(name: PathName) -> None:
    """Raise an error if an output is an address and not a path, or has no name."""
    text = _text(name, OutputError)
    if not text.strip():
        raise OutputError("The name of an output must not be empty, got no text instead.")
    scheme = _SCHEME.match(text)
    if scheme:
        raise OutputError(
            "An output must go to a path on this machine, got an address that starts with "
            f"{scheme[1]}: instead. Write it here, and copy it from here."
        )


def _text(name: PathName, kind: type[SourceError] | type[OutputError]) -> str:
    """Return the name as text; raise an error for paths of bytes and for anything else."""
    text = os.fspath(name) if isinstance(name, os.PathLike) else name
    if isinstance(text, str) and "\0" not in text:
        return text
    found = "a zero byte in it" if isinstance(text, str) else f"{type(text).__name__} instead"
    raise kind(f"The name of a file or folder must be text, got {found}.")
