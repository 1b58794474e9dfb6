"""
Seals (message authentication codes) on saved work: only data from this user's own runs is reused.

A checksum detects damage, but anyone who can write to a folder can also write a valid checksum. A
seal needs the user's key, which is not in the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trailprint.system.scratch import replacing_file

MAGIC = b"trailprint work 1\n"
"""Prefix of every sealed piece."""

_KEY_BYTES = 32
_SEAL_BYTES = hashlib.sha256().digest_size


class Seal:
    """
    Seals and opens pieces of work that depend on the same inputs.

    Parameters
    ----------
    about : mapping
        What the work depends on, as plain JSON values: pieces of other work are rejected.
    key : bytes, optional
        Default: the user's key.
    """

    def __init__(self, about: Mapping[str, Any], key: bytes | None = None) -> None:
        text = json.dumps(about, sort_keys=True).encode()
        self._key = hmac.digest(key or user_key(), text, "sha256")

    def close(self, name: str, content: bytes) -> bytes:
        """Return the content with a seal that is valid for this name only."""
        return MAGIC + self._compute(name, content) + content

    def open(self, name: str, sealed: bytes) -> bytes | None:
        """Return the content; None if the seal is not valid."""
        start = len(MAGIC) + _SEAL_BYTES
        given, content = sealed[len(MAGIC) : start], sealed[start:]
        fits = hmac.compare_digest(given, self._compute(name, content))
        return content if fits and sealed.startswith(MAGIC) else None

    def _compute(self, name: str, content: bytes) -> bytes:
        found = hmac.new(self._key, digestmod="sha256")
        # The length prefix prevents confusion with another pair of name and content.
        found.update(len(name.encode()).to_bytes(8, "little") + name.encode())
        found.update(content)
        return found.digest()


def key_path() -> Path:
    """Return the path of the user's key, in the XDG state folder."""
    given = os.environ.get("XDG_STATE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".local" / "state"
    return base / "trailprint" / "key"


def user_key() -> bytes:
    """Return the user's key, created on first use; if it cannot be saved, a key for this run."""
    with contextlib.suppress(OSError, RuntimeError):
        path = key_path()
        return _read_key(path) or _make_key(path)
    return _passing_key()


@cache
def _passing_key() -> bytes:
    return secrets.token_bytes(_KEY_BYTES)


def _read_key(path: Path) -> bytes | None:
    """Return the key, if no other user can have read or changed it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        is_private = stat.S_ISREG(about.st_mode) and not about.st_mode & 0o077
        if not is_private or about.st_uid != os.getuid():
            return None
        key = file.read(_KEY_BYTES + 1)
    return key if len(key) == _KEY_BYTES else None


def _make_key(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replacing_file(path) as file:
        file.write(secrets.token_bytes(_KEY_BYTES))
    # Two runs that create a key at the same time both use the one that stays.
    key = _read_key(path)
    if key is None:
        raise OSError("the key cannot be kept private there")
    return key
