"""From what a user typed (a file, a glob, a folder) to a list of files of one format."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from trailprint.addresses import readable_path
from trailprint.errors import SourceError
from trailprint.events.engine import quote_text

Format = Literal["delimited", "json", "parquet"]
Compression = Literal["none", "gzip", "zstd"]

_FORMATS: dict[str, Format] = {
    ".csv": "delimited",
    ".tsv": "delimited",
    ".txt": "delimited",
    ".log": "delimited",
    ".mv": "delimited",
    ".plt": "delimited",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
#: A file that starts with so many blanks holds nothing.
_BLANK_BYTES = 64 * 1024
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_MAGIC: tuple[tuple[bytes, Compression], ...] = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)


@dataclass(frozen=True, slots=True)
class ColumnRange:
    """The least and the greatest value of a column, and how many are missing."""

    low: Any
    high: Any
    n_missing: int

    def is_like(self, other: ColumnRange) -> bool:
        """Whether both hold values of one type."""
        return type(self.low) is type(other.low)

    def union(self, other: ColumnRange) -> ColumnRange:
        """The range of both together."""
        return ColumnRange(
            min(self.low, other.low),
            max(self.high, other.high),
            self.n_missing + other.n_missing,
        )


def _column_range(statistics: Any) -> ColumnRange | None:
    if statistics is None or not statistics.has_min_max or not statistics.has_null_count:
        return None
    try:
        return ColumnRange(statistics.min, statistics.max, statistics.null_count)
    except (OverflowError, ValueError):
        # A time that Python's calendar does not reach.
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Files of one format, in a fixed order, below one root."""

    paths: tuple[str, ...]
    format: Format
    compression: Compression

    def describe(self, path: str) -> str:
        """
        Name a file in a message.

        Files of a folder may be named after people or places, so those are only numbered.
        """
        if len(self.paths) == 1:
            return repr(os.path.basename(path))
        return f"file {self.paths.index(path) + 1} of {len(self.paths)}"

    def read_start(self, path: str, n_bytes: int) -> bytes:
        """The first bytes of one of the files, decompressed."""
        return _read_start(path, n_bytes, self.compression)

    def check_not_empty(self) -> None:
        """Complain about the first file that holds nothing but blanks."""
        for path in self.paths:
            if not self.read_start(path, _BLANK_BYTES).strip():
                raise SourceError(f"The data must have rows, but {self.describe(path)} is empty.")

    def parquet_names(self) -> tuple[str, ...]:
        """Column names of the first Parquet file."""
        try:
            return tuple(pq.read_schema(self.paths[0]).names)
        except (OSError, pa.ArrowException):
            name = self.describe(self.paths[0])
            raise SourceError(f"A Parquet file must be whole, but {name} is damaged.") from None

    def parquet_ranges(self) -> Mapping[str, ColumnRange]:
        """
        What the files' footers prove about their columns, without reading a row.

        Only columns whose statistics are whole, in every row group of every file, are there.
        """
        ranges: dict[str, ColumnRange] = {}
        unknown: set[str] = set()
        for path in self.paths:
            try:
                metadata = pq.read_metadata(path)
            except (OSError, pa.ArrowException):
                return {}
            names = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
            for group in range(metadata.num_row_groups):
                for i, name in enumerate(names):
                    found = _column_range(metadata.row_group(group).column(i).statistics)
                    if found is None or (name in ranges and not ranges[name].is_like(found)):
                        unknown.add(name)
                    else:
                        ranges[name] = ranges[name].union(found) if name in ranges else found
            unknown |= set(ranges) - set(names)
        return {name: known for name, known in ranges.items() if name not in unknown}

    @property
    def sql_list(self) -> str:
        """The paths as a SQL list; DuckDB takes every path for a glob, so they are escaped."""
        return "[" + ", ".join(quote_text(escape_glob(path)) for path in self.paths) + "]"


def escape_glob(path: str) -> str:
    """A path that, read as a glob, means itself."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def find_files(source: str | os.PathLike[str]) -> Files:
    """The files behind a path, a glob or a folder."""
    text = readable_path(source)
    path = Path(text)
    if not text:
        raise SourceError("The data must be a file, a glob or a folder, got an empty name.")
    if path.is_dir():
        paths = sorted(str(p) for p in path.rglob("*") if p.is_file() and _has_known_name(p))
        if not paths:
            raise SourceError(
                "The folder must hold CSV, TSV, JSON lines or Parquet files, but none was found."
            )
    elif path.exists():
        if not path.is_file():
            raise SourceError(f"The data must be a file or a folder, but {text!r} is neither.")
        paths = [text]
    else:
        paths = sorted(p for p in glob.glob(text, recursive=True) if os.path.isfile(p))
        if not paths:
            raise SourceError(f"No such file or folder: {text!r}. Check the path or the pattern.")
    _check_names(paths)
    formats = {_format_of(p) for p in paths}
    if len(formats) > 1:
        kinds = ", ".join(sorted(f"{fmt} ({comp})" for fmt, comp in formats))
        raise SourceError(
            f"All files must be of one format, found several: {kinds}. Read them apart."
        )
    fmt, compression = formats.pop()
    return Files(paths=tuple(paths), format=fmt, compression=compression)


def _check_names(paths: Sequence[str]) -> None:
    n_broken = sum(not is_utf8(path) for path in paths)
    if n_broken:
        raise SourceError(
            f"Names of files and folders must be UTF-8, but {n_broken:,} are not. Rename them."
        )


def is_utf8(path: str) -> bool:
    """Whether a path can be told to libraries that know UTF-8 only."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_known_name(path: Path) -> bool:
    return not path.name.startswith((".", "_")) and _by_name(path) is not None


def _by_name(path: Path) -> tuple[Format, Compression] | None:
    suffixes = [s.lower() for s in path.suffixes]
    compression: Compression = "none"
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        compression = _COMPRESSIONS[suffixes.pop()]
    fmt = _FORMATS.get(suffixes[-1]) if suffixes else None
    return None if fmt is None else (fmt, compression)


def _format_of(path: str) -> tuple[Format, Compression]:
    known = _by_name(Path(path))
    if known is not None and (known[1] != "none" or known[0] == "delimited"):
        return known
    start = _read_start(path, 16, "none")
    if start[:4] == b"PAR1":
        return "parquet", "none"
    if known is not None:
        return known
    compression: Compression = "none"
    for magic, name in _MAGIC:
        if start.startswith(magic):
            compression = name
    start = _read_start(path, 16, compression).lstrip()
    return ("json" if start.startswith(b"{") else "delimited"), compression


def _read_start(path: str, n_bytes: int, compression: Compression) -> bytes:
    with open_bytes(path, compression) as stream:
        return bytes(stream.read(n_bytes))


@contextlib.contextmanager
def open_bytes(path: str, compression: Compression) -> Iterator[pa.NativeFile]:
    """A file's bytes, decompressed; what goes wrong while they are read is a ``SourceError``."""
    codec = None if compression == "none" else compression
    try:
        with pa.input_stream(path, compression=codec) as stream:
            yield stream
    except (OSError, pa.ArrowException) as error:
        reason = (
            error.strerror if isinstance(error, OSError) and error.strerror else "it is damaged"
        )
        kind = "" if codec is None else f" as {codec} data"
        raise SourceError(f"A file could not be read{kind}: {reason}.") from None
