"""
Sources that Spark reads: its DataFrames and, with ``--engine spark``, paths that workers can reach.

Paths may hold Parquet, ORC, and Delta and Iceberg tables if the session supports them. Delimited
text, research layouts, databases and workbooks are read locally, whatever the engine.
"""

from __future__ import annotations

import glob
import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from trailprint.display.discreet import Discreet
from trailprint.engines.opening import session_to_read_in
from trailprint.engines.table_folders import find_table_kind
from trailprint.errors import InputError, SourceError
from trailprint.events.engine import Engine
from trailprint.events.reading.files import find_files
from trailprint.events.reading.partitions import Partitions, find_partitions
from trailprint.system.addresses import readable_path

if TYPE_CHECKING:
    from trailprint.events.spark_engine import SparkEngine

_LOG = logging.getLogger("trailprint")
_READ_HERE = (
    "The data is read on this machine and sent to Spark from here: Spark reads Parquet that its "
    "workers reach, such as s3a://… or file:///shared/…, and DataFrames."
)
_ADDRESS = re.compile(r"^(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):/")
#: Names that Spark does not interpret as patterns or addresses.
_PLAIN = re.compile(r"[\w./ =+@,-]+")
_ENDINGS = {"parquet": (".parquet", ".pq"), "orc": (".orc",)}
_TEXT = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".gz", ".zst", ".xlsx", ".db")


_NO_TEXT = (
    "Spark reads Parquet, ORC, Delta and Iceberg by their address, got text, a database or a "
    "workbook at an address instead. Copy it here, or read it with spark.read and give the "
    "DataFrame."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnSpark(Discreet):
    """A source that Spark reads, and the columns that its folder names add."""

    engine: SparkEngine
    frame: Any
    from_folders: tuple[str, ...] = ()


def is_frame_of_spark(source: Any) -> bool:
    """Return whether an object is a DataFrame of a classic Spark session (with a JVM)."""
    return all(hasattr(source, name) for name in ("toArrow", "sparkSession", "_jdf"))


def is_at_address(source: Any) -> bool:
    """Return whether a source is at an address that Spark reads, and not read locally."""
    return find_address(source) is not None


def find_address(source: Any) -> str | None:
    """Return the address of a source that only Spark reads: remote, or a local table or ORC."""
    session = session_to_read_in()
    if session is None or not isinstance(source, (str, os.PathLike)):
        return None
    path = os.fspath(source)
    found = _ADDRESS.match(path)
    if found is not None and found["scheme"].lower() != "file":
        return path
    return _find_table(path) if found is not None or _is_local(session) else None


def find_on_spark(source: Any, engine: Engine) -> OnSpark | None:
    """
    Return a source as Spark reads it; None if it is read locally.

    The Spark engine of the result shares the DuckDB of ``engine``.
    """
    frame, from_folders = (source, ()) if is_frame_of_spark(source) else _open_path(source)
    if frame is None:
        return None
    from trailprint.events.spark_engine import engine_on_spark

    return OnSpark(
        engine=engine_on_spark(engine, frame.sparkSession), frame=frame, from_folders=from_folders
    )


def _open_path(source: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a DataFrame of a path that workers can read, or None; and columns from folders."""
    session = session_to_read_in()
    if session is None or not isinstance(source, (str, os.PathLike)):
        return None, ()
    path = find_address(source)
    if path is None:
        return _open_files(session, os.fspath(source))
    _check_whole(source, path)
    if path.lower().endswith(_TEXT):
        raise SourceError(_NO_TEXT)
    from trailprint.engines.spark.loading import find_kind_of_table, load_table

    kind = find_kind_of_table(session, path)
    if kind is not None:
        return load_table(session, kind, path), ()
    return _open_address(session, path)


def _open_address(session: Any, path: str) -> tuple[Any, tuple[str, ...]]:
    """Return a DataFrame of the files at an address, and the columns from their folders."""
    from trailprint.engines.spark.loading import is_file, load_files, name_files, name_root

    names = name_files(session, path)
    if not names:
        raise SourceError("The address must hold Parquet or ORC files, but none was found.")
    kind, data = _choose_kind(names), choose_data(names)
    frames = load_files(session, kind, [path], _ENDINGS[kind] if len(data) < len(names) else ())
    if is_file(session, path):
        return frames[0], ()
    root = name_root(session, path)
    folders = find_partitions([unquote(name) for name in data], unquote(root))
    return _with_folders(frames, folders, root)


def choose_data(names: Sequence[str]) -> list[str]:
    """Return the names whose endings show a known format; all names if none does."""
    return [name for name in names if _kind_of(name)] or list(names)


def _choose_kind(names: Sequence[str]) -> str:
    """Return the format of files by their names; they must all have one, as local files must."""
    kinds = {_kind_of(name) for name in names} - {""}
    if kinds & {"text"}:
        raise SourceError(_NO_TEXT)
    if len(kinds) > 1:
        raise SourceError(
            "All files must be of one format, found Parquet and ORC at an address. Read them "
            "separately."
        )
    return kinds.pop() if kinds else "parquet"


def _kind_of(name: str) -> str:
    """Return the format that a name's ending shows; "" if none, as for files written by Hive."""
    lower = name.lower()
    if lower.endswith(_TEXT):
        return "text"
    return next((kind for kind, ends in _ENDINGS.items() if lower.endswith(ends)), "")


def _with_folders(
    frames: Sequence[Any], found: Partitions, root: str
) -> tuple[Any, tuple[str, ...]]:
    """Unite frames and add folder columns that no file has; return the frame and their names."""
    from trailprint.engines.spark.loading import add_folders, unite_frames

    own = {name.casefold() for frame in frames for name in frame.columns}
    keys = tuple(key for key in found.keys if key.casefold() not in own)
    return unite_frames([add_folders(frame, keys, root) for frame in frames]), keys


def _check_whole(source: Any, path: str) -> None:
    """Raise an error for an address given as a path object, which drops one of its slashes."""
    if not isinstance(source, str) and "://" not in path:
        raise SourceError(
            "An address must be text, got a path object, which drops one of its slashes. "
            "Give it as text."
        )


def _open_files(session: Any, path: str) -> tuple[Any, tuple[str, ...]]:
    """Return a DataFrame of Parquet files on this machine; None if workers cannot read them."""
    try:
        files = find_files(path)
    except InputError:
        return None, ()  # Reading locally reports why.
    reached = _is_local(session) or path.lower().startswith("file:")
    plain = all(map(_PLAIN.fullmatch, files.paths))
    if files.format != "parquet" or not reached or not plain:
        _LOG.info(_READ_HERE)
        return None, ()
    from trailprint.engines.spark.loading import load_files, name_root

    frames = load_files(session, "parquet", [_as_address(one) for one in files.paths])
    root = name_root(session, _as_address(files.partitions.root)) if files.partitions.keys else ""
    return _with_folders(frames, files.partitions, root)


def _as_address(path: str) -> str:
    return f"file://{os.path.abspath(path)}"


def _find_table(path: str) -> str | None:
    """Return the address of a local source that only Spark reads: a table, or ORC files."""
    try:
        local = readable_path(path)
    except InputError:
        return None
    files = glob.glob(os.path.join(glob.escape(local), "*.orc")) if os.path.isdir(local) else []
    is_orc = local.lower().endswith(".orc") and os.path.exists(local)
    if not (is_orc or files or find_table_kind(local)) or not _PLAIN.fullmatch(local):
        return None
    return _as_address(local)


def _is_local(session: Any) -> bool:
    """Return whether all workers are on this machine."""
    return bool(session.sparkContext.master.startswith("local"))
