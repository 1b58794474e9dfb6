"""Number of cores of a Spark cluster, without starting one."""

from __future__ import annotations

import re
import sys

from trailprint.engines.options import EngineOptions

_LOCAL = re.compile(r"local(?:\[(\d+|\*)(?:,\d+)?\])?$")
_CLUSTER = re.compile(r"local-cluster\[(\d+),(\d+),\d+\]$")


def count_spark_cores(options: EngineOptions, here: int) -> int | None:
    """Number of cores of the active session or the master; ``here``: cores of this machine."""
    active = _count_active()
    return active if active is not None else read_master(options.spark_master or "local[*]", here)


def read_master(master: str, here: int) -> int | None:
    """
    Return the number of cores that a local master uses; None for a remote cluster.

    Examples
    --------
    >>> [read_master(one, here=8) for one in ("local", "local[4]", "local[*]", "yarn")]
    [1, 4, 8, None]
    """
    if local := _LOCAL.match(master):
        n_cores = local[1] or "1"
        return here if n_cores == "*" else int(n_cores)
    if cluster := _CLUSTER.match(master):
        return int(cluster[1]) * int(cluster[2])
    return None


def _count_active() -> int | None:
    """Number of cores of the active session; None without one (or if pyspark is not loaded)."""
    if "pyspark" not in sys.modules:
        return None
    from trailprint.engines.spark.sessions import find_session

    session = find_session()
    return None if session is None else int(session.sparkContext.defaultParallelism)
