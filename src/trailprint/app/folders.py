"""The app's folder: its contents, and checks that paths stay inside it."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trailprint.errors import OptionError
from trailprint.events.reading.files import find_files, has_known_name

#: Folder for the app's own files: drafts, and jobs that belong to no audit.
OWN = ".trailprint"
JOB = "job"

_MOST_PLACES = 20_000
_MOST_FILES = 500
#: Files that hold several tables, of which the user has to name one.
_OF_TABLES = (".duckdb", ".db", ".sqlite", ".sqlite3", ".xlsx")
_NOT_DATA = ("result.json", "manifest.json", "comparison.json", "release.json", "settings.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A file that may be a dataset, named by its path relative to the folder."""

    name: str
    bytes: int
    modified: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Contents of the folder; ``is_whole`` is False if a limit cut the list short."""

    data: tuple[DataFile, ...]
    audits: tuple[str, ...]
    comparisons: tuple[str, ...]
    is_whole: bool


class Folder:
    """A folder and the paths inside it; links that point outside it are refused."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.root = Path(path).resolve()
        self.own = self.root / OWN
        if self.own.is_symlink():
            raise OptionError(
                f"{OWN} in the app's folder must be a folder of its own, but it is a link. "
                "Remove it."
            )

    def inside(self, name: str) -> Path:
        """Resolve a path, links included; raise an error if it is outside the folder."""
        try:
            path = (self.root / name).resolve()
        except (OSError, ValueError, RuntimeError):
            raise self._outside(name) from None
        if not path.is_relative_to(self.root):
            raise self._outside(name)
        return path

    def check_source(self, name: str) -> str:
        """Check that a dataset's files are inside the folder; return its name for commands."""
        path = self.inside(_fixed_part(name.partition("::")[0]))
        if path.is_dir() or glob.has_magic(name):
            for one in find_files(str(self.root / name)).paths:
                self.inside(one)
        return f"./{name}" if name.startswith("-") else name

    def find_again(self, name: str) -> str:
        """
        Find a path from an earlier command, perhaps run elsewhere, in this folder.

        Returns the longest trailing part of the path that exists here, else the name unchanged.
        """
        path, mark, rest = name.partition("::")
        parts = Path(path).parts
        for first in range(len(parts)):
            end = os.path.join(*parts[first:])
            try:
                is_here = self.inside(_fixed_part(end)).exists()
            except OptionError:
                continue
            if is_here and _fixed_part(end) != ".":
                return self.relative(self.root / end) + mark + rest
        return name

    def relative(self, path: Path) -> str:
        """Path relative to the folder, as used in addresses and commands."""
        return path.relative_to(self.root).as_posix()

    def _outside(self, name: str) -> OptionError:
        return OptionError(
            f"A path must lie inside the folder the app was started with, got {name!r}. "
            "Start trailprint app with a folder that holds it."
        )

    def list_contents(self, wanted: str = "") -> Contents:
        """List datasets whose names contain ``wanted``, audits and comparisons; opens no file."""
        data: list[DataFile] = []
        audits, comparisons = [], []
        n_places = 0
        for place, names in self._walk():
            n_places += 1
            own = self.relative(Path(place))
            if "result.json" in names or os.path.isdir(os.path.join(place, JOB)):
                audits.append(own)
            elif "comparison.json" in names:
                comparisons.append(own)
            else:
                data += self._data_in(place, names, wanted.casefold())
            if n_places >= _MOST_PLACES or len(data) > _MOST_FILES:
                break
        is_whole = n_places < _MOST_PLACES and len(data) <= _MOST_FILES
        return Contents(
            data=tuple(sorted(data, key=lambda one: one.name)[:_MOST_FILES]),
            audits=tuple(audits),
            comparisons=tuple(comparisons),
            is_whole=is_whole,
        )

    def _walk(self) -> Iterator[tuple[str, list[str]]]:
        """Folders and their files; folders below an audit or comparison are skipped."""
        for place, folders, names in os.walk(self.root):
            is_result = {"result.json", "comparison.json"} & set(names) or JOB in folders
            hidden = [name for name in folders if name.startswith(".") or is_result]
            folders[:] = sorted(name for name in folders if name not in hidden)
            yield place, names

    def _data_in(self, place: str, names: list[str], wanted: str) -> Iterator[DataFile]:
        below = self.relative(Path(place))
        for name in names:
            shown = name if below == "." else f"{below}/{name}"
            if name.startswith(".") or name in _NOT_DATA or not _may_be_data(name):
                continue
            if wanted not in shown.casefold():
                continue
            try:
                about = os.lstat(os.path.join(place, name))
                # os.walk does not follow linked folders, so only a linked file can point outside.
                if stat.S_ISLNK(about.st_mode):
                    about = self.inside(shown).stat()
            except (OSError, OptionError):
                continue  # It was removed, or points outside the folder.
            yield DataFile(name=shown, bytes=about.st_size, modified=about.st_mtime)


def _may_be_data(name: str) -> bool:
    """Whether a file's name is that of a dataset or of a file that may hold tables."""
    return has_known_name(name) or Path(name).suffix.lower() in _OF_TABLES


def _fixed_part(pattern: str) -> str:
    """The part of a path pattern before its first wildcard."""
    parts = Path(pattern).parts
    plain = next((n for n, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    return os.path.join(*parts[:plain]) if plain else "."
