"""DataFrames of what Spark reads by its path."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from trailprint.engines.spark.failures import explaining_failures
from trailprint.engines.table_folders import TABLE_FILES

_NOT_LOADED = (
    "Spark could not read the data. See that the path is right, that every worker may read it, and "
    "that it is Parquet, ORC, or a Delta or Iceberg table whose package the session has "
    "(--spark-conf spark.jars.packages=…)."
)
#: How many names of files are looked at to tell what they are.
_SOME_FILES = 100
_INFERENCE = "spark.sql.sources.partitionColumnTypeInference.enabled"


def load_files(session: SparkSession, paths: Sequence[str], root: str | None) -> DataFrame:
    """Parquet files; names of folders below ``root`` add columns of text."""
    reader = session.read.option("mergeSchema", "true")
    if root:
        reader = reader.option("basePath", root)
    with explaining_failures(_NOT_LOADED), _folders_are_text(session):
        return reader.parquet(*paths)


def load_address(session: SparkSession, address: str) -> DataFrame:
    """What lies at an address: a Delta or Iceberg table, ORC, or Parquet."""
    with explaining_failures(_NOT_LOADED), _folders_are_text(session):
        kind = _find_kind(session, address)
        return session.read.option("mergeSchema", "true").format(kind).load(address)


def _find_kind(session: SparkSession, address: str) -> str:
    """How Spark calls what lies at an address: by files that only a table has, or by names."""
    if not any(sign in address for sign in "*?[{"):
        for kind, pattern in TABLE_FILES.items():
            if _matches(session, f"{address}/{pattern}"):
                return kind
    names = (name for name, _, _ in itertools.islice(_walk(session, address), _SOME_FILES))
    return "orc" if any(name.lower().endswith(".orc") for name in names) else "parquet"


def _matches(session: SparkSession, pattern: str) -> bool:
    files, path = _open_address(session, pattern)
    return bool(files.globStatus(path))


def list_address(session: SparkSession, address: str) -> list[tuple[str, int, int]]:
    """Names, sizes and times of change of the files at an address, or that match a pattern."""
    with explaining_failures(_NOT_LOADED):
        return sorted(_walk(session, address))


def _walk(session: SparkSession, address: str) -> Iterator[tuple[str, int, int]]:
    files, path = _open_address(session, address)
    for place in files.globStatus(path) or ():
        found = files.listFiles(place.getPath(), True)
        while found.hasNext():
            one = found.next()
            yield str(one.getPath()), one.getLen(), one.getModificationTime()


def _open_address(session: SparkSession, address: str) -> tuple[Any, Any]:
    """The file system of an address, and its path there."""
    gateway: Any = session
    path = gateway._jvm.org.apache.hadoop.fs.Path(address)
    settings = gateway._jsparkSession.sessionState().newHadoopConf()
    return path.getFileSystem(settings), path


@contextlib.contextmanager
def _folders_are_text(session: SparkSession) -> Iterator[None]:
    """Let names of folders stay text: an id 007 must not become 7."""
    before = str(session.conf.get(_INFERENCE))
    session.conf.set(_INFERENCE, "false")
    try:
        yield
    finally:
        session.conf.set(_INFERENCE, before)
