"""The Spark session: the active one, or a new one that is stopped at the end."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trailprint.engines.options import EngineOptions
from trailprint.errors import EngineError, OptionError
from trailprint.system.scratch import Scratch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LEAST_JAVA = 17
_PYTHON = "PYSPARK_PYTHON"
_INSTALL = "--engine spark needs pyspark, which is missing. Try pip install trailprint[spark]."
_JAVA = "--engine spark needs Java 17 or newer, but {}. Install Java 17 and set JAVA_HOME to it."
#: Attempts per task, the same as on a cluster.
_ATTEMPTS = 4
#: Nothing is logged: what Spark logs of a failed task may quote data (decision 027).
_LOGGING = Path(__file__).with_name("log4j2.properties").as_uri()
_OWN_LOG = f"-Dlog4j2.configurationFile={_LOGGING}"
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
#: Settings of new sessions. Workers run installed code only, never files of the current folder.
_SETTINGS = {
    "spark.app.name": "trailprint",
    _JAVA_OPTIONS: _OWN_LOG,
    "spark.executorEnv.PYTHONSAFEPATH": "1",
    # Workers that share cores with many others connect slowly; that is not a failure.
    "spark.python.authenticate.socketTimeout": "300s",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
#: Local sessions do not listen on the network.
_LOCAL_SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


@contextlib.contextmanager
def open_session(options: EngineOptions) -> Iterator[SparkSession]:
    """The active session, or a new one that is stopped afterwards."""
    active = find_session()
    if active is not None:
        if options.spark_master is not None or options.spark_conf:
            raise OptionError(
                "--spark-master and --spark-conf are for a new Spark session, but one is active. "
                "Stop it, or leave them out to use it.",
                option="spark-master",
            )
        check_classic(active)
        check_running(active)
        yield active
        return
    check_java()
    # Spark makes a folder for its tables, by default in the current folder.
    with contextlib.closing(Scratch()) as scratch:
        session = _start(options, scratch.name)
        try:
            yield session
        finally:
            session.stop()


def find_session() -> SparkSession | None:
    """The active session, if any."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineError(_INSTALL, option="engine") from None
    with warnings.catch_warnings():
        # pyspark warns that it does not support the newest pandas, which is not used.
        warnings.simplefilter("ignore", FutureWarning)
        return SparkSession.getActiveSession()


def check_classic(session: SparkSession) -> None:
    """Refuse a Spark Connect session: it gives no access to its workers."""
    if not hasattr(session, "_jsparkSession"):
        raise EngineError(
            "--engine spark needs a classic Spark session, but the active one is a Spark Connect "
            "session, which has no workers of its own. Use a cluster with classic sessions.",
            option="engine",
        )


def check_running(session: SparkSession) -> None:
    """Refuse a session that has been stopped, or whose Java process has ended."""
    context: Any = session.sparkContext
    try:
        is_stopped = bool(context._jsc.sc().isStopped())
    except Exception:  # The type of the error depends on how Java ended.
        is_stopped = True
    if is_stopped:
        raise EngineError(
            "--engine spark needs a Spark session that runs, but the active one has ended. "
            "Call its stop(), and make a new one.",
            option="engine",
        )


def _start(options: EngineOptions, scratch: str) -> SparkSession:
    from pyspark.sql import SparkSession

    master = options.spark_master or "local[*]"
    builder = SparkSession.builder.master(with_retries(master))
    for key, value in choose_settings(master, options.settings, scratch).items():
        builder = builder.config(key, value)
    with _own_signals(), _workers_run(_choose_python(master, options)), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return builder.getOrCreate()
        except Exception as error:
            raise EngineError(
                f"Spark could not start with --spark-master {master}. "
                "Check that the cluster is up and that the settings of --spark-conf are right.",
                option="spark-master",
            ) from error


def choose_settings(master: str, given: Mapping[str, str], scratch: str) -> dict[str, str]:
    """
    Return the settings of a new session: the defaults here, overridden by ``given``.

    Given Java options are added to ours, because without ours Spark would log again. A local
    session has its folder of tables in the scratch folder.
    """
    settings = dict(_SETTINGS)
    if master.startswith("local"):
        settings |= _LOCAL_SETTINGS | {"spark.sql.warehouse.dir": f"file://{scratch}"}
    settings |= given
    if "log4j" not in settings[_JAVA_OPTIONS]:
        settings[_JAVA_OPTIONS] = f"{_OWN_LOG} {settings[_JAVA_OPTIONS]}"
    return settings


def with_retries(master: str) -> str:
    """
    Return a master that retries failed tasks; a local master does not by default.

    Examples
    --------
    >>> [with_retries(one) for one in ("local", "local[2]", "local[*,2]", "yarn")]
    ['local[1,4]', 'local[2,4]', 'local[*,2]', 'yarn']
    """
    found = re.fullmatch(r"local(?:\[(\d+|\*)\])?", master)
    return master if found is None else f"local[{found[1] or 1},{_ATTEMPTS}]"


def _choose_python(master: str, options: EngineOptions) -> str | None:
    """The Python of the workers: as set; by default, for a local master, the running one."""
    here = sys.executable if master.startswith("local") else None
    return options.settings.get("spark.pyspark.python") or os.environ.get(_PYTHON) or here


@contextlib.contextmanager
def _workers_run(python: str | None) -> Iterator[None]:
    """Set the Python of sessions made inside; Spark looks only at this environment variable."""
    before = os.environ.get(_PYTHON)
    if python is not None:
        os.environ[_PYTHON] = python
    try:
        yield
    finally:
        os.environ.pop(_PYTHON, None)
        if before is not None:
            os.environ[_PYTHON] = before


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Restore the handler of Ctrl-C, which Spark replaces by its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def check_java() -> None:
    """Raise an error unless there is a Java that Spark can run on."""
    java = find_java()
    if java is None:
        raise EngineError(_JAVA.format("there is none"), option="engine")
    version = java_version(java)
    if version is not None and version < _LEAST_JAVA:
        raise EngineError(_JAVA.format(f"this is Java {version}"), option="engine")


def find_java() -> str | None:
    """Path of the Java program that Spark starts; None if there is none."""
    home = os.environ.get("JAVA_HOME")
    if home is None:
        return shutil.which("java")
    program = Path(home) / "bin" / "java"
    return str(program) if program.is_file() else None


def java_version(java: str) -> int | None:
    """The major version of a Java program; None if it cannot be found out."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else None
