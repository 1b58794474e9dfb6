"""Resolution of a user's path (a file, a glob, a folder) to a list of files of one format."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from trailprint.display.discreet import Discreet
from trailprint.engines.column_types import OTHER_TYPES
from trailprint.errors import SourceError
from trailprint.events.engine import quote_name, quote_text
from trailprint.events.reading.listing import Compression, Listing, list_files
from trailprint.events.reading.own_releases import find_released
from trailprint.events.reading.partitions import Partitions, find_partitions
from trailprint.events.reading.times import describe_mixed
from trailprint.system.addresses import PathName

Format = Literal["delimited", "json", "parquet"]

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
#: A file that starts with this many blanks counts as empty.
_BLANK_BYTES = 64 * 1024
#: Kinds of columns by the types in a Parquet footer.
_ZONED, _PLAIN = "times with a zone", "times without a zone"
_WHOLE, _BROKEN, _TEXT = "whole numbers", "other numbers", "text or something else"
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_MAGIC: tuple[tuple[bytes, Compression], ...] = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)


@dataclass(frozen=True, slots=True)
class ColumnRange(Discreet):
    """The minimum and maximum of a column, and the number of missing values."""

    low: Any
    high: Any
    n_missing: int

    def is_like(self, other: ColumnRange) -> bool:
        """Return whether both hold values of one type."""
        mine, other_zone = (getattr(one.low, "tzinfo", None) for one in (self, other))
        return type(self.low) is type(other.low) and (mine is None) == (other_zone is None)

    def union(self, other: ColumnRange) -> ColumnRange:
        """Return the range of both together."""
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
        # A time outside the range of Python's datetime.
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Files(Discreet):
    """
    Files of one format, in a fixed order.

    ``paths`` are the files to read: all or some of ``listing``, which says how messages name them.
    """

    paths: tuple[str, ...]
    listing: Listing
    format: Format
    compression: Compression

    def describe(self, path: str) -> str:
        """Return the name of a file that may be shown in a message."""
        return self.listing.call(path)

    def open_bytes(self, path: str) -> AbstractContextManager[pa.NativeFile]:
        """Open one of the files for reading bytes, decompressed."""
        return self.listing.open_bytes(path, self.compression)

    def read_start(self, path: str, n_bytes: int) -> bytes:
        """Return the first bytes of one of the files, decompressed."""
        return _read_start(self.listing, path, n_bytes, self.compression)

    def check_not_empty(self) -> None:
        """Raise an error for the first file that contains only blanks."""
        for path in self.paths:
            if not self.read_start(path, _BLANK_BYTES).strip():
                raise SourceError(f"The data must have rows, but {self.describe(path)} is empty.")

    def parquet_names(self) -> tuple[str, ...]:
        """Return the column names of the first Parquet file."""
        try:
            return tuple(pq.read_schema(self.paths[0]).names)
        except (OSError, pa.ArrowException) as error:
            name = self.describe(self.paths[0])
            if isinstance(error, OSError) and error.errno:
                raise self.listing.unreadable(self.paths[0], error) from None
            raise SourceError(
                f"A Parquet file must be whole, but {name} is damaged. Write it again."
            ) from None

    def parquet_ranges(self) -> Mapping[str, ColumnRange]:
        """
        Return the ranges of columns from the files' footers, without reading any rows.

        Only columns with complete statistics in every row group of every file are included.
        """
        ranges: dict[str, ColumnRange] = {}
        unknown: set[str] = set()
        lists = []
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
            lists.append(names)
        # A column that one file lacks is missing in each of its rows.
        unknown |= {name for name in ranges if not all(name in names for names in lists)}
        return {name: known for name, known in ranges.items() if name not in unknown}

    def check_types(self, names: Collection[str], times: Collection[str]) -> None:
        """
        Raise an error if one of these columns has incompatible types in different files.

        DuckDB would read times without a zone as UTC beside times with one, and write the number 1
        as 1.0 beside the text 1. ``times`` are columns of times.
        """
        n_rows: dict[str, dict[str, int]] = {name: {} for name in names}
        for path in self.paths if len(self.paths) > 1 else ():
            try:
                metadata = pq.read_metadata(path)
                schema = metadata.schema.to_arrow_schema()
            except (OSError, pa.ArrowException):
                return
            for name in n_rows.keys() & set(schema.names):
                kind = _find_kind(schema.field(name).type)
                n_rows[name][kind] = n_rows[name].get(kind, 0) + metadata.num_rows
        for name, found in n_rows.items():
            if name in times:
                _refuse_mixed_times(name, found)
            elif {_BROKEN, _TEXT} <= found.keys():
                raise SourceError(OTHER_TYPES)

    @property
    def partitions(self) -> Partitions:
        """Columns from the names of folders; none if the user named a single file."""
        if self.listing.is_named:
            return Partitions()
        return find_partitions(self.paths, self.listing.root)

    @property
    def sql_list(self) -> str:
        """SQL: a list of the paths, escaped because DuckDB reads every path as a glob."""
        return "[" + ", ".join(quote_text(escape_glob(path)) for path in self.paths) + "]"


def _find_kind(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return _PLAIN if kind.tz is None else _ZONED
    if pa.types.is_date(kind):
        return _PLAIN
    if pa.types.is_integer(kind):
        return _WHOLE
    return _BROKEN if pa.types.is_floating(kind) else _TEXT


def _refuse_mixed_times(name: str, n_rows: Mapping[str, int]) -> None:
    """Raise an error for mixed types of times; text is checked later, by its values."""
    present = [f"{n_rows[kind]:,} {kind}" for kind in (_ZONED, _PLAIN) if kind in n_rows]
    if present and n_rows.keys() & {_WHOLE, _BROKEN}:
        raise SourceError(OTHER_TYPES)
    if len(present) > 1:
        raise SourceError(describe_mixed(quote_name(name), present))


def escape_glob(path: str) -> str:
    """Return a path escaped such that, as a glob, it matches only itself."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def find_files(source: PathName) -> Files:
    """Return the files of a path, a glob or a folder; of a release's folder, its data file."""
    listing = list_files(find_released(source), has_known_name)
    formats = {_format_of(listing, path) for path in listing.paths}
    if len(formats) > 1:
        kinds = sorted(fmt if comp == "none" else f"{fmt} ({comp})" for fmt, comp in formats)
        raise SourceError(
            f"All files must be of one format, found several: {', '.join(kinds)}. Read them "
            "separately."
        )
    fmt, compression = formats.pop()
    return Files(paths=listing.paths, listing=listing, format=fmt, compression=compression)


def has_known_name(name: str) -> bool:
    """Return whether a file name is that of data: a known ending, and no leading ``.`` or ``_``."""
    return not name.startswith((".", "_")) and _by_name(name) is not None


def _by_name(path: str) -> tuple[Format, Compression] | None:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    compression: Compression = "none"
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        compression = _COMPRESSIONS[suffixes.pop()]
    fmt = _FORMATS.get(suffixes[-1]) if suffixes else None
    return None if fmt is None else (fmt, compression)


def _format_of(listing: Listing, path: str) -> tuple[Format, Compression]:
    known = _by_name(path)
    if known is not None and (known[1] != "none" or known[0] == "delimited"):
        return known
    start = _read_start(listing, path, 16, "none")
    if start[:4] == b"PAR1":
        return "parquet", "none"
    if known is not None:
        return known
    compression: Compression = "none"
    for magic, name in _MAGIC:
        if start.startswith(magic):
            compression = name
    start = _read_start(listing, path, 16, compression).lstrip()
    return ("json" if start.startswith(b"{") else "delimited"), compression


def _read_start(listing: Listing, path: str, n_bytes: int, compression: Compression) -> bytes:
    with listing.open_bytes(path, compression) as stream:
        return bytes(stream.read(n_bytes))
