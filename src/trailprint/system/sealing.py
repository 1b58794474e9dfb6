"""
Seals on kept work: only what this user's own runs have written is ever read again.

A checksum finds damage, but whoever can write to a folder can write a fitting checksum too. A seal
needs the user's key, which is not in the folder.
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
"""What every sealed piece begins with."""

_KEY_BYTES = 32
_SEAL_BYTES = hashlib.sha256().digest_size


class Seal:
    """
    Seals pieces of work on the same things.

    Parameters
    ----------
    about : mapping
        What the work depends on, as plain JSON values: a piece of other work never fits.
    key : bytes, optional
        By default the user's own.
    """

    def __init__(self, about: Mapping[str, Any], key: bytes | None = None) -> None:
        text = json.dumps(about, sort_keys=True).encode()
        self._key = hmac.digest(key or user_key(), text, "sha256")

    def close(self, name: str, content: bytes) -> bytes:
        """The content with a seal that fits this name only."""
        return MAGIC + self._compute(name, content) + content

    def open(self, name: str, sealed: bytes) -> bytes | None:
        """The content; None where the seal does not fit it."""
        start = len(MAGIC) + _SEAL_BYTES
        given, content = sealed[len(MAGIC) : start], sealed[start:]
        fits = hmac.compare_digest(given, self._compute(name, content))
        return content if fits and sealed.startswith(MAGIC) else None

    def _compute(self, name: str, content: bytes) -> bytes:
        found = hmac.new(self._key, digestmod="sha256")
        # With its length in front, no name and content can pass for another pair.
        found.update(len(name.encode()).to_bytes(8, "little") + name.encode())
        found.update(content)
        return found.digest()


def key_path() -> Path:
    """Where the user's key is kept: the folder for what programs remember between runs."""
    given = os.environ.get("XDG_STATE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".local" / "state"
    return base / "trailprint" / "key"


def user_key() -> bytes:
    """The user's key, made when it is first needed; where it cannot be kept, one for this run."""
    with contextlib.suppress(OSError, RuntimeError):
        path = key_path()
        return _read_key(path) or _make_key(path)
    return _passing_key()


@cache
def _passing_key() -> bytes:
    return secrets.token_bytes(_KEY_BYTES)


def _read_key(path: Path) -> bytes | None:
    """The key, if nobody else can have read or changed it."""
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
    # Of two runs that make a key at once both use the one that stays.
    key = _read_key(path)
    if key is None:
        raise OSError("the key cannot be kept private there")
    return key
