"""
Stores of finished work, in memory or in a folder, so that interrupted work can be resumed.

A `Store` is any object with ``get`` and ``put``.

Examples
--------
>>> from tempfile import TemporaryDirectory
>>> from trailprint.store import FolderStore, MemoryStore
>>> store = MemoryStore()
>>> store.put("models/17", b"trained")
>>> store.get("models/17"), store.get("models/18")
(b'trained', None)
>>> with TemporaryDirectory() as folder:
...     FolderStore(folder, {"seed": 1}).put("models/17", b"trained")
...     FolderStore(folder, {"seed": 1}).get("models/17")
b'trained'
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from trailprint.arguments import check_argument
from trailprint.errors import OptionError, OutputError, reason_of
from trailprint.system.addresses import check_writable
from trailprint.system.platforms import require_private_files
from trailprint.system.scratch import UNFINISHED, replacing_file, sweep_unfinished
from trailprint.system.sealing import MAGIC, Seal

__all__ = ["FolderStore", "MemoryStore", "Store"]

_MANIFEST = "manifest.json"
_PROGRAM = "trailprint"
_SET_ASIDE = ".set-aside-"
#: What every manifest of ours says twice, so that damage in one place leaves the other.
_MARKS = tuple(f'"{key}": "{_PROGRAM}"'.encode() for key in ("program", "sealed_by"))


class Store(Protocol):
    """Stores pieces of work under names like ``models/17``: relative paths without ``..``."""

    def get(self, name: str) -> bytes | None:
        """Return the content stored under this name; None if there is none."""

    def put(self, name: str, content: bytes) -> None:
        """Store content under a name: completely or not at all."""


class MemoryStore:
    """Stores work for the lifetime of the process."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def get(self, name: str) -> bytes | None:
        """Return the content stored under this name; None if there is none."""
        _check_name(name)
        return self._kept.get(name)

    def put(self, name: str, content: bytes) -> None:
        """Store content under a name."""
        _check_name(name)
        check_argument("content", content, bytes)
        self._kept[name] = content


def _check_name(name: str) -> None:
    """Raise an error unless a name is that of a file inside a folder, and not the manifest."""
    check_argument("name", name, str)
    path = PurePosixPath(name)
    is_inside = path.parts and not path.is_absolute() and ".." not in path.parts
    if not is_inside or path.parts[0] == _MANIFEST or not name.isprintable():
        raise OptionError(
            "name must be a relative path without '..', such as models/17, and not that of "
            "the manifest, got another instead."
        )


def _to_plain(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest after a round trip through JSON, so that it equals what is read back."""
    try:
        plain: dict[str, Any] = json.loads(json.dumps(manifest))
    except (TypeError, ValueError):
        raise OptionError(
            "manifest must hold plain JSON values, but one is of another kind. Make it text first."
        ) from None
    return plain


class FolderStore:
    """
    Stores work in a folder that only its owner can read, one file per piece.

    Nothing in the folder is trusted: every piece is sealed with the user's key, and a piece whose
    seal does not match is treated as missing.

    Parameters
    ----------
    folder : path
        Created if it is missing. A folder that belongs to another user, or that others can write
        to, is refused.
    manifest : mapping
        What the work depends on, as plain JSON values. A folder of other work is refused, and the
        message names the entries that differ, never their values.
    """

    def __init__(self, folder: str | os.PathLike[str], manifest: Mapping[str, Any]) -> None:
        require_private_files()
        check_writable(folder)
        check_argument("manifest", manifest, Mapping[str, Any])
        plain = _to_plain(manifest)
        self._folder = Path(folder)
        self._seal = Seal(plain)
        with _our_words():
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._check_owner()
            for place in (self._folder, *filter(_is_folder, self._folder.iterdir())):
                sweep_unfinished(place)
            self._claim(plain)

    def get(self, name: str) -> bytes | None:
        """Return the content stored under this name; None if it is missing or was changed."""
        _check_name(name)
        sealed = _read(self._folder / name)
        return None if sealed is None else self._seal.open(name, sealed)

    def put(self, name: str, content: bytes) -> None:
        """Store content under a name: completely or not at all, even if interrupted."""
        _check_name(name)
        check_argument("content", content, bytes)
        self._write(self._folder / name, self._seal.close(name, content))

    def _write(self, path: Path, content: bytes) -> None:
        with _our_words():
            for place in reversed(path.relative_to(self._folder).parents[:-1]):
                self._make_folder(self._folder / place)
            if _is_folder(path):
                self._set_aside(path)
            with replacing_file(path) as file:
                file.write(content)

    def _make_folder(self, path: Path) -> None:
        if os.path.lexists(path) and not _is_folder(path):
            self._set_aside(path)
        path.mkdir(exist_ok=True, mode=0o700)

    def _set_aside(self, path: Path) -> None:
        """Move away a path that is in the way; it is not ours, so it is not removed."""
        os.rename(path, self._folder / f"{_SET_ASIDE}{os.urandom(6).hex()}")

    def _check_owner(self) -> None:
        """Refuse a folder that others can write to, or could write to when files were put there."""
        about = self._folder.stat()
        if about.st_uid != os.getuid():
            raise OptionError(
                f"The work folder {str(self._folder)!r} must belong to you, but it belongs to "
                "another user. Name another folder."
            )
        if not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return
        if not any(self._folder.iterdir()):
            self._folder.chmod(0o700)
        if self._folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OptionError(
                f"The work folder {str(self._folder)!r} must be writable by you only, but others "
                "can write to it. Name another folder, or take their right away with chmod go-w."
            )

    def _claim(self, manifest: Mapping[str, Any]) -> None:
        """Make sure that the folder is new or holds work with the same manifest."""
        path = self._folder / _MANIFEST
        if _read(path) is None and self._is_unused():
            self._write(path, _describe(manifest))
        # Another process may have claimed it in the meantime.
        kept = _read(path)
        known: Mapping[str, Any] | None = None if kept is None else _known(kept)
        if known is None and self._is_ours(kept):
            self._write(path, _describe(manifest))
            known = manifest
        if known is None:
            raise OptionError(
                f"The work folder {str(self._folder)!r} must be new, empty or one written by "
                "Trailprint, but it holds other files. Name another folder."
            )
        differing = sorted(
            name for name in manifest.keys() | known.keys() if manifest.get(name) != known.get(name)
        )
        if differing:
            raise OptionError(
                f"The work folder {str(self._folder)!r} holds work on other data or options "
                f"({', '.join(differing)} differ). Name another folder or remove it."
            )

    def _is_unused(self) -> bool:
        """Whether the folder holds nothing but unfinished files of other processes."""
        return all(path.name.startswith(UNFINISHED) for path in self._folder.iterdir())

    def _is_ours(self, damaged: bytes | None) -> bool:
        """Whether a folder with a damaged manifest is one of ours, not other files."""
        if damaged is None:
            return _is_folder(self._folder / _MANIFEST) and self._holds_pieces()
        if not damaged.strip(b"\0") or any(mark in damaged for mark in _MARKS):
            return True
        # The manifest of an audit beside its work is whole, and not one of ours.
        return not _is_json_object(damaged) and self._holds_pieces()

    def _holds_pieces(self) -> bool:
        pieces = (_read(path) or b"" for path in self._folder.glob("*/*"))
        return any(piece.startswith(MAGIC) for piece in pieces)


def read_piece(
    folder: str | os.PathLike[str], manifest: Mapping[str, Any], name: str
) -> bytes | None:
    """Read a piece of a `FolderStore` without claiming or creating the folder."""
    sealed = _read(Path(folder) / name)
    return None if sealed is None else Seal(json.loads(json.dumps(manifest))).open(name, sealed)


def _describe(manifest: Mapping[str, Any]) -> bytes:
    """A manifest as it is written, with a checksum that reveals damage."""
    text = json.dumps(manifest, sort_keys=True)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    whole = {"program": _PROGRAM, "sealed_by": _PROGRAM, "sha256": checksum, "about": manifest}
    return json.dumps(whole, indent=1).encode()


def _known(content: bytes) -> dict[str, Any] | None:
    """The content of a manifest; None if it is damaged."""
    try:
        known = json.loads(content)["about"]
        is_whole = _describe(known) == content
    # A manifest is not sealed, so it may hold anything, nested to any depth.
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    return dict(known) if is_whole and isinstance(known, dict) else None


def _is_json_object(content: bytes) -> bool:
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _read(path: Path) -> bytes | None:
    """The content of a regular file; None for anything else, or if it cannot be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except OSError:
        return None


@contextlib.contextmanager
def _our_words() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"The work folder cannot be used: {reason_of(error)}.") from None
