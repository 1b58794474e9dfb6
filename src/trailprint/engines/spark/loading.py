"""Load paths as Spark DataFrames, and look up their files through Hadoop."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as sf

from trailprint.engines.column_types import OTHER_TYPES, ZONED, choose_type
from trailprint.engines.spark.failures import explaining_failures
from trailprint.engines.table_folders import TABLE_FILES
from trailprint.errors import EngineError

_NOT_LOADED = (
    "Spark could not read the data. Check that the path is right, that every worker may read it, "
    "and that it is Parquet, ORC, or a Delta or Iceberg table whose package the session has "
    "(--spark-conf spark.jars.packages=…)."
)
#: Read every file below a folder, at any depth. Partition values in folder names are parsed here,
#: as for local files: Spark would lose them with a pattern, and let them replace columns.
_EVERY_FILE = {"mergeSchema": "true", "recursiveFileLookup": "true"}
_PATTERN = re.compile(r"[*?\[{]")
_NAIVE_TIMES = "spark.sql.parquet.inferTimestampNTZ.enabled"
#: The part of an address before the path; it can be written in several ways for the same file.
_ORIGIN = r"^[^:/]+:(?://[^/]*)?"
#: How Hive and Spark write a missing value.
_MISSING = "__HIVE_DEFAULT_PARTITION__"


def load_files(
    session: SparkSession, kind: str, paths: Sequence[str], endings: Sequence[str] = ()
) -> list[DataFrame]:
    """
    Load Parquet or ORC files, given by path, folder or pattern.

    If column types differ between files, there are several DataFrames, each with one type per
    column; `unite_frames` joins them. ``endings``: required endings of file names; any if empty.
    """

    def open_reader() -> DataFrameReader:
        reader = session.read.format(kind).options(**_EVERY_FILE)
        if not endings:
            return reader
        either_case = ",".join((*endings, *map(str.upper, endings)))
        return reader.option("pathGlobFilter", f"*{{{either_case}}}")

    with explaining_failures(_NOT_LOADED), _as_written(session):
        return _load_alike(open_reader, list(paths))


def _load_alike(open_reader: Callable[[], DataFrameReader], paths: list[str]) -> list[DataFrame]:
    """
    Return one DataFrame of all files; if their types differ, split the files in halves and repeat.

    Types that changed at one point in time need few splits, as file names are mostly in order.
    """
    try:
        return [open_reader().load(paths)]
    except (Py4JError, PySparkException) as error:
        if "CANNOT_MERGE_SCHEMAS" not in str(error):
            raise
    files = paths if len(paths) > 1 else sorted(_list_files(open_reader(), paths))
    if len(files) == 1:
        raise EngineError(OTHER_TYPES)
    half = len(files) // 2
    return [*_load_alike(open_reader, files[:half]), *_load_alike(open_reader, files[half:])]


def _list_files(reader: DataFrameReader, paths: list[str]) -> list[str]:
    """Paths of the files below folders or matching patterns."""
    return reader.schema("nothing INT").load(paths).inputFiles()


def unite_frames(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of all frames, each column cast to its common type."""
    if len(frames) == 1:
        return frames[0]
    kinds: dict[str, list[str]] = {}
    for frame in frames:
        for name, kind in frame.dtypes:
            kinds.setdefault(name.casefold(), []).append(kind)
    common = {name: choose_type(found) for name, found in kinds.items()}
    if None in common.values():
        raise EngineError(OTHER_TYPES)
    alike = [_convert(frame, common) for frame in frames]
    united = alike[0]
    for frame in alike[1:]:
        united = united.unionByName(frame, allowMissingColumns=True)
    return united


def _convert(frame: DataFrame, common: Mapping[str, str | None]) -> DataFrame:
    columns = []
    for name, kind in frame.dtypes:
        column, wanted = frame[_quote(name)], common[name.casefold()] or kind
        if kind == ZONED and wanted == "string":
            column = sf.date_format(column, "yyyy-MM-dd HH:mm:ss.SSSSSSXXX")
        columns.append((column if kind == wanted else column.cast(wanted)).alias(name))
    return frame.select(*columns)


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@contextlib.contextmanager
def _as_written(session: SparkSession) -> Iterator[None]:
    """Read times without a zone as such, whatever the session's setting is."""
    before = str(session.conf.get(_NAIVE_TIMES))
    session.conf.set(_NAIVE_TIMES, "true")
    try:
        yield
    finally:
        session.conf.set(_NAIVE_TIMES, before)


def load_table(session: SparkSession, kind: str, address: str) -> DataFrame:
    """Load a Delta or Iceberg table."""
    with explaining_failures(_NOT_LOADED):
        return session.read.format(kind).load(address)


def find_kind_of_table(session: SparkSession, address: str) -> str | None:
    """Spark's name of the kind of table (Delta or Iceberg) at an address; None if it is neither."""
    if _PATTERN.search(address):
        return None
    with explaining_failures(_NOT_LOADED):
        found = (kind for kind, files in TABLE_FILES.items() if _matches(session, address, files))
        return next(found, None)


def name_files(session: SparkSession, address: str) -> list[str]:
    """Paths of all files that Spark would read, without hidden ones; no file is opened."""
    with explaining_failures(_NOT_LOADED):
        reader = session.read.options(**_EVERY_FILE).schema("nothing INT")
        listed: Any = reader.parquet(address)
        gateway: Any = session
        # Joined into one text, because one call per name would be as slow as reading files.
        texts = gateway._jvm.org.apache.hadoop.util.StringUtils
        joined = texts.join("\n", listed._jdf.inputFiles())
    return [re.sub(_ORIGIN, "", name) for name in joined.split("\n") if name]


def name_root(session: SparkSession, address: str) -> str:
    """The common path prefix of the files: the folders before the first pattern."""
    found = _PATTERN.search(address)
    fixed = address if found is None else address[: found.start()].rpartition("/")[0]
    with explaining_failures(_NOT_LOADED):
        files, path = _open_address(session, fixed)
        return str(files.makeQualified(path).toUri().getRawPath())


def is_file(session: SparkSession, address: str) -> bool:
    """Whether an address names a single file."""
    if _PATTERN.search(address):
        return False
    with explaining_failures(_NOT_LOADED):
        files, path = _open_address(session, address)
        return any(place.isFile() for place in files.globStatus(path) or ())


def add_folders(frame: DataFrame, keys: Sequence[str], root: str) -> DataFrame:
    """The same rows with a column of text for each key of folders ``key=value`` below ``root``."""
    if not keys:
        return frame
    address = frame.metadataColumn("_metadata")["file_path"]
    path = sf.regexp_replace(address, _ORIGIN, "")
    below = _decode(sf.substring(path, len(root) + 1, 1 << 30))
    return frame.withColumns({key: _read_folder(below, key) for key in keys})


def _read_folder(below: Column, key: str) -> Column:
    text = sf.regexp_extract(below, f"(?i)(?:^|/){re.escape(key)}=([^/]*)/", 1)
    return sf.nullif(_decode(text), sf.lit(_MISSING))


def _decode(text: Column) -> Column:
    """Text with %20 and the like decoded; plus signs and invalid escapes are left as they are."""
    return sf.coalesce(sf.try_url_decode(sf.replace(text, sf.lit("+"), sf.lit("%2B"))), text)


def list_address(session: SparkSession, address: str) -> list[tuple[str, int, int]]:
    """Paths, sizes and modification times of the files at an address or matching a pattern."""
    with explaining_failures(_NOT_LOADED):
        return sorted(_walk(session, address))


def _matches(session: SparkSession, folder: str, pattern: str) -> bool:
    files, path = _open_address(session, f"{folder}/{pattern}")
    return bool(files.globStatus(path))


def _walk(session: SparkSession, address: str) -> Iterator[tuple[str, int, int]]:
    files, pattern = _open_address(session, address)
    for place in files.globStatus(pattern) or ():
        found = files.listFiles(place.getPath(), True)
        while found.hasNext():
            one = found.next()
            path = str(one.getPath().toUri().getRawPath())
            yield path, one.getLen(), one.getModificationTime()


def _open_address(session: SparkSession, address: str) -> tuple[Any, Any]:
    """The file system of an address, and its path there."""
    gateway: Any = session
    path = gateway._jvm.org.apache.hadoop.fs.Path(address)
    settings = gateway._jsparkSession.sessionState().newHadoopConf()
    return path.getFileSystem(settings), path
