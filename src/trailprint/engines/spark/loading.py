"""DataFrames of what Spark reads by its path, and what Hadoop says of the files there."""

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
    "Spark could not read the data. See that the path is right, that every worker may read it, and "
    "that it is Parquet, ORC, or a Delta or Iceberg table whose package the session has "
    "(--spark-conf spark.jars.packages=…)."
)
#: Every file below a folder, however deep. What names of folders say is worked out here, as it is
#: for files of this machine: Spark would lose them behind a pattern, and let them replace columns.
_EVERY_FILE = {"mergeSchema": "true", "recursiveFileLookup": "true"}
_PATTERN = re.compile(r"[*?\[{]")
_NAIVE_TIMES = "spark.sql.parquet.inferTimestampNTZ.enabled"
#: What stands before the path in an address; of one file it is written in more ways than one.
_ORIGIN = r"^[^:/]+:(?://[^/]*)?"
#: What Hive and Spark write for a missing value.
_MISSING = "__HIVE_DEFAULT_PARTITION__"


def load_files(
    session: SparkSession, kind: str, paths: Sequence[str], endings: Sequence[str] = ()
) -> list[DataFrame]:
    """
    Files of Parquet or ORC, or those below folders or that match patterns.

    Several DataFrames, of one type in each column, where the files' types differ; `unite_frames`
    makes one of them. ``endings``: what names of files must end in; all files without any.
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
    One DataFrame of all files, or where their types differ, of each half of them.

    Types that changed at some time make few halves, because names of files are mostly in order.
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
    """The files below folders or that match patterns."""
    return reader.schema("nothing INT").load(paths).inputFiles()


def unite_frames(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of all, each column of the type that all its types become."""
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
    """Let times without a zone stay such, whatever the session makes of them elsewhere."""
    before = str(session.conf.get(_NAIVE_TIMES))
    session.conf.set(_NAIVE_TIMES, "true")
    try:
        yield
    finally:
        session.conf.set(_NAIVE_TIMES, before)


def load_table(session: SparkSession, kind: str, address: str) -> DataFrame:
    """A Delta or Iceberg table."""
    with explaining_failures(_NOT_LOADED):
        return session.read.format(kind).load(address)


def find_kind_of_table(session: SparkSession, address: str) -> str | None:
    """Delta or Iceberg, as Spark calls them, if that is what lies at an address."""
    if _PATTERN.search(address):
        return None
    with explaining_failures(_NOT_LOADED):
        found = (kind for kind, files in TABLE_FILES.items() if _matches(session, address, files))
        return next(found, None)


def name_files(session: SparkSession, address: str) -> list[str]:
    """The paths of all files that Spark would read, hidden ones left out; none is opened."""
    with explaining_failures(_NOT_LOADED):
        reader = session.read.options(**_EVERY_FILE).schema("nothing INT")
        listed: Any = reader.parquet(address)
        gateway: Any = session
        # In one text: a call for each of them takes as long as reading some.
        texts = gateway._jvm.org.apache.hadoop.util.StringUtils
        joined = texts.join("\n", listed._jdf.inputFiles())
    return [re.sub(_ORIGIN, "", name) for name in joined.split("\n") if name]


def name_root(session: SparkSession, address: str) -> str:
    """The path that those of files begin with, up to the first folder that is a pattern."""
    found = _PATTERN.search(address)
    fixed = address if found is None else address[: found.start()].rpartition("/")[0]
    with explaining_failures(_NOT_LOADED):
        files, path = _open_address(session, fixed)
        return str(files.makeQualified(path).toUri().getRawPath())


def is_file(session: SparkSession, address: str) -> bool:
    """Whether an address is that of one file."""
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
    """Text without %20 and the like; a plus sign stays one, and so does what is none of them."""
    return sf.coalesce(sf.try_url_decode(sf.replace(text, sf.lit("+"), sf.lit("%2B"))), text)


def list_address(session: SparkSession, address: str) -> list[tuple[str, int, int]]:
    """Paths, sizes and times of change of the files at an address, or that match a pattern."""
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
