"""The files of a path that the user typed, and the names they may have in messages."""

from __future__ import annotations

import contextlib
import glob
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from trailprint.display.discreet import Discreet
from trailprint.engines.table_folders import find_table_kind
from trailprint.errors import SourceError, reason_of
from trailprint.events.reading.partitions import fixed_part
from trailprint.system.addresses import PathName, readable_path

Compression = Literal["none", "gzip", "zstd"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Discreet):
    """
    Files in a fixed order.

    Names of files and folders may identify people or places: only a file whose exact name the
    user typed (``is_named``) is shown by name. Others are numbered in the order of the listing.
    ``root`` is the folder that was searched.
    """

    paths: tuple[str, ...]
    is_named: bool
    root: str = ""

    def call(self, path: str) -> str:
        """Return the name of a file that may be shown in a message."""
        if self.is_named:
            return repr(os.path.basename(self.paths[0]))
        if path not in self.paths:
            return f"one of {len(self.paths):,} files"
        return f"file {self.paths.index(path) + 1:,} of {len(self.paths):,}"

    @contextlib.contextmanager
    def open_bytes(self, path: str, compression: Compression) -> Iterator[pa.NativeFile]:
        """Open a file for reading bytes, decompressed; read errors become ours."""
        codec = None if compression == "none" else compression
        try:
            with pa.input_stream(path, compression=codec) as stream:
                yield stream
        except (OSError, pa.ArrowException) as error:
            raise self.unreadable(path, error, compression) from None

    def unreadable(
        self, path: str, error: Exception, compression: Compression = "none"
    ) -> SourceError:
        """Return an error for an unreadable file; the original message may contain its name."""
        reason = reason_of(error) if isinstance(error, OSError) else "it is damaged"
        kind = "" if compression == "none" else f" as {compression} data"
        return SourceError(
            f"The data must be readable, but {self.call(path)} could not be read{kind}: {reason}."
        )


def list_files(source: PathName, is_data: Callable[[str], bool]) -> Listing:
    """Return the files of a path, a glob or a folder; in a folder, those that pass ``is_data``."""
    text = readable_path(source)
    if not text:
        raise SourceError("The data must be a file, a glob or a folder, got an empty name.")
    mode = _mode(text)
    if mode is None:
        listing = Listing(paths=_match(text), is_named=False, root=fixed_part(text))
    elif stat.S_ISDIR(mode):
        _check_no_table(text)
        listing = Listing(paths=_walk(text, is_data), is_named=False, root=text)
    elif stat.S_ISREG(mode):
        listing = Listing(paths=(text,), is_named=True)
    else:
        raise SourceError(f"The data must be a file or a folder, but {text!r} is neither.")
    _check_names(listing)
    return listing


def _mode(text: str) -> int | None:
    """Return the file mode of a path; None if it does not exist, as it may be a pattern."""
    try:
        return os.stat(text).st_mode
    except PermissionError:
        raise SourceError(
            f"The data must be readable, but the folder of {text!r} cannot be entered. "
            "Ask for the permission to read it."
        ) from None
    except (OSError, ValueError):
        return None


def _check_no_table(folder: str) -> None:
    """Raise an error for table formats such as Delta, whose data files include deleted rows."""
    kind = find_table_kind(folder)
    if kind is not None:
        raise SourceError(
            f"The folder must hold files of data alone, but it is a table of {kind}, which keeps "
            "rows that were deleted. Read it with --engine spark in a session that has "
            f"{kind}, or export it as Parquet.",
            option="engine",
        )


def _walk(folder: str, is_data: Callable[[str], bool]) -> tuple[str, ...]:
    """Return every data file below a folder; folders that cannot be entered are an error."""
    n_closed = 0

    def count(error: OSError) -> None:
        nonlocal n_closed
        n_closed += 1

    found = []
    for place, folders, names in os.walk(folder, onerror=count):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        paths = [os.path.join(place, name) for name in names if is_data(name)]
        n_closed += bool(paths) and not os.access(place, os.X_OK)
        found += [path for path in paths if os.path.isfile(path)]
    _check_entered(n_closed)
    if not found:
        raise SourceError(
            "The folder must hold CSV, TSV, JSON lines or Parquet files, but none was found."
        )
    return tuple(sorted(found))


def _is_hidden(folder: str) -> bool:
    """Return whether a folder's name marks it as hidden or as unfinished output of a program."""
    return folder.startswith((".", "_")) and "=" not in folder


def _match(pattern: str) -> tuple[str, ...]:
    """Return every file that a pattern matches; all folders on the way must be readable."""
    _check_entered(len(_closed(os.path.dirname(pattern))))
    paths = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
    if not paths:
        raise SourceError(f"No such file or folder: {pattern!r}. Check the path or the pattern.")
    return tuple(paths)


def _closed(folders: str) -> set[str]:
    """Return folders that match a pattern, or a parent of it, and cannot be entered."""
    if not glob.has_magic(folders):
        return set()
    above = _closed(os.path.dirname(folders))
    there = filter(os.path.isdir, glob.glob(folders, recursive=True))
    return above | {path for path in there if not os.access(path, os.R_OK | os.X_OK)}


def _check_entered(n_closed: int) -> None:
    if n_closed:
        raise SourceError(
            f"Every folder of the data must be readable, but {n_closed:,} cannot be entered. "
            "Ask for the permission to read them, or name the files to read."
        )


def _check_names(listing: Listing) -> None:
    n_broken = sum(not is_utf8(path) for path in listing.paths)
    if n_broken:
        raise SourceError(
            f"Names of files and folders must be UTF-8, but {n_broken:,} are not. Rename them."
        )


def is_utf8(path: str) -> bool:
    """Return whether a path can be passed to libraries that only support UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
