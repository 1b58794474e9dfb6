"""Finished work, kept in memory or in a folder, so that what was interrupted goes on from there."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from trailprint import temporary
from trailprint.addresses import check_writable
from trailprint.errors import OptionError, OutputError, reason_of

_MANIFEST = "manifest.json"
_UNFINISHED = ".unfinished-"


class Store(Protocol):
    """Keeps pieces of work under names like ``models/17``."""

    def get(self, name: str) -> bytes | None:
        """What was kept under this name; None if nothing was."""

    def put(self, name: str, content: bytes) -> None:
        """Keep something under a name: wholly or not at all."""


class MemoryStore:
    """Keeps work as long as the process lives."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def get(self, name: str) -> bytes | None:
        """What was kept under this name; None if nothing was."""
        return self._kept.get(name)

    def put(self, name: str, content: bytes) -> None:
        """Keep something under a name."""
        self._kept[name] = content


class FolderStore:
    """
    Keeps work in a folder that only its owner can read, one file a piece.

    Parameters
    ----------
    folder : path
        Made where it is missing.
    manifest : mapping
        What the work depends on: plain JSON values. A folder of other work is refused, and the
        message names the entries that differ, never their values.
    """

    def __init__(self, folder: str | os.PathLike[str], manifest: Mapping[str, Any]) -> None:
        check_writable(folder)
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise _failure(error) from None
        self._claim(json.loads(json.dumps(manifest)))

    def get(self, name: str) -> bytes | None:
        """What was kept under this name; None if nothing was."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _failure(error) from None

    def put(self, name: str, content: bytes) -> None:
        """Keep something under a name: wholly or not at all, whatever happens meanwhile."""
        path = self._folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, unfinished = temporary.new_file(path.parent, _UNFINISHED)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.replace(unfinished, path)
            finally:
                temporary.remove_file(unfinished)
        except OSError as error:
            raise _failure(error) from None

    def _claim(self, manifest: Mapping[str, Any]) -> None:
        """Make sure that the folder is new or holds work on the very same things."""
        if self.get(_MANIFEST) is None and self._is_unused():
            self.put(_MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode())
        # Another process may have claimed it in the meantime.
        kept = self.get(_MANIFEST)
        if kept is None:
            raise OptionError(
                f"The work folder {str(self._folder)!r} must be new, empty or one of ours, but "
                "it holds other files. Name another folder."
            )
        try:
            known = dict(json.loads(kept))
        except (TypeError, ValueError):
            known = {}
        differing = sorted(
            name for name in manifest.keys() | known.keys() if manifest.get(name) != known.get(name)
        )
        if differing:
            raise OptionError(
                f"The work folder {str(self._folder)!r} holds work on other data or options "
                f"({', '.join(differing)} differ). Name another folder or remove it."
            )

    def _is_unused(self) -> bool:
        """Whether nothing was put there but what we were stopped in the middle of writing."""
        try:
            return all(path.name.startswith(_UNFINISHED) for path in self._folder.iterdir())
        except OSError as error:
            raise _failure(error) from None


def _failure(error: OSError) -> OutputError:
    return OutputError(f"The work folder cannot be used: {reason_of(error)}.")
