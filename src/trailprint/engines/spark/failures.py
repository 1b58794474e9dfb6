"""Explain in one sentence why Spark failed."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterator

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from trailprint.engines.column_types import OTHER_TYPES
from trailprint.engines.spark.rows import OTHER_DUCKDB
from trailprint.engines.spark.tasks import OTHER_KERNELS
from trailprint.errors import EngineError

_NO_CONNECTOR = (
    "The Spark session has no connector for addresses of this kind. Start it with the connector's "
    "package, such as --spark-conf spark.jars.packages=org.apache.hadoop:hadoop-aws:VERSION for "
    "s3a://, in the version of Spark's own Hadoop."
)
_DAMAGED = (
    "Every file must be whole Parquet or ORC, but one is damaged or of another kind. Fix it, or "
    "remove it."
)
#: Texts found in messages of failures, and what they mean.
_MEANINGS = {
    OTHER_KERNELS: "Every Spark worker must have the same version of trailprint as the driver, but "
    "one has another. Install the driver's version on all workers.",
    OTHER_DUCKDB: "Every Spark worker must have the same version of duckdb as the driver, but one "
    "has another. Install the driver's version on all workers.",
    "No module named 'trailprint'": "Every Spark worker must have trailprint, but one does not. "
    "Install the driver's version on all workers.",
    "PYTHON_VERSION_MISMATCH": "Every Spark worker must have the driver's version of Python, "
    f"{platform.python_version()}, but one has another. "
    "Set spark.pyspark.python with --spark-conf to a Python of this version.",
    "Cannot run program": "Every Spark worker must be able to start Python, but one cannot. Set "
    "spark.pyspark.python with --spark-conf (or PYSPARK_PYTHON) to a Python that every worker has.",
    "stopped SparkContext": "The Spark session ended in the middle of the work. Check that "
    "the cluster is up, and start again.",
    "maxResultSize": "Spark returned more than spark.driver.maxResultSize allows. "
    "Raise it to 1g or more with --spark-conf.",
    "No FileSystem for scheme": _NO_CONNECTOR,
    "FileSystem not found": _NO_CONNECTOR,
    "DATA_SOURCE_NOT_FOUND": "The data is a Delta or Iceberg table, which the Spark session cannot "
    "read. Start it with the table's package (--spark-conf spark.jars.packages=…), or give a "
    "DataFrame.",
    "PATH_NOT_FOUND": "Spark must find files at the address, but there are none. Check that it "
    "is right, and that the session may list them.",
    "CANNOT_MERGE_SCHEMAS": OTHER_TYPES,
    "CANNOT_READ_FILE_FOOTER": _DAMAGED,
    "TIMESTAMP(NANOS": "Spark reads times of Parquet files in microseconds, but these have "
    "nanoseconds. Write them in microseconds, or read them with --engine local.",
}
_OTHERWISE = (
    "Spark could not finish a pass, although it tries a failed task again. Its log says why (here "
    "with --spark-conf spark.log.level=ERROR; it may quote data); --engine local does the same on "
    "this machine."
)


@contextlib.contextmanager
def explaining_failures(otherwise: str = _OTHERWISE) -> Iterator[None]:
    """Turn Spark's errors into `EngineError`, without Spark's messages, which may quote data."""
    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise EngineError(explain_failure(str(error), otherwise)) from None


def explain_failure(message: str, otherwise: str = _OTHERWISE) -> str:
    """Return a sentence about a failure, without quoting the message, which may hold values."""
    return next((meaning for sign, meaning in _MEANINGS.items() if sign in message), otherwise)
