"""What is said where Spark cannot start, or a task cannot finish."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlparse

import pytest

pytest.importorskip("pyspark")

from trailprint.engines.options import EngineOptions
from trailprint.engines.spark import sessions
from trailprint.engines.spark.failures import explain_failure
from trailprint.engines.spark.tasks import OTHER_KERNELS
from trailprint.errors import EngineError


def open_spark():
    return sessions.open_session(EngineOptions(engine="spark"))


def _java(folder, version):
    program = folder / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)


@pytest.mark.parametrize("version", ["17.0.15", "21", "25.0.1"])
def test_a_java_that_is_new_enough(tmp_path, monkeypatch, version):
    _java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    sessions.check_java()


@pytest.mark.parametrize(("version", "shown"), [("1.8.0_412", "Java 8"), ("11.0.2", "Java 11")])
def test_an_old_java(tmp_path, monkeypatch, version, shown):
    _java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match=f"needs Java 17 or newer, but this is {shown}"):
        sessions.check_java()


def test_no_java(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match=r"but there is none\. Install Java 17"):
        sessions.check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="there is none"):
        sessions.check_java()


def test_a_session_of_spark_connect_is_refused(monkeypatch):
    monkeypatch.setattr(sessions, "find_session", object)
    with pytest.raises(EngineError, match="needs a classic Spark session"), open_spark():
        pass


@pytest.mark.parametrize("ended", [lambda: True, lambda: 1 / 0], ids=["stopped", "gone"])
def test_a_session_that_has_ended_is_refused(monkeypatch, ended):
    context = SimpleNamespace(_jsc=SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=ended)))
    session = SimpleNamespace(_jsparkSession=None, sparkContext=context)
    monkeypatch.setattr(sessions, "find_session", lambda: session)
    with pytest.raises(EngineError, match="the active one has ended"), open_spark():
        pass


def test_no_pyspark(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(EngineError, match=r"pip install trailprint\[spark\]"):
        sessions.find_session()


@pytest.mark.parametrize(
    ("sign", "said"),
    [
        (OTHER_KERNELS, "the same version of trailprint"),
        ("ModuleNotFoundError: No module named 'trailprint'", "must have trailprint"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker", "version of Python"),
        ('Cannot run program "/python": No such file or directory', "able to start Python"),
        ("Cannot call methods on a stopped SparkContext", "ended in the middle"),
        ("bigger than spark.driver.maxResultSize (1024.0 MiB)", "Raise it"),
    ],
)
def test_a_failure_in_a_sentence_without_its_message(sign, said):
    text = explain_failure(f"Job aborted: user-17 at somewhere: {sign}")
    assert said in text
    assert "user-17" not in text
    assert "user-17" not in explain_failure("user-17")


def choose(master, given):
    return sessions.choose_settings(master, given, "/scratch")


def test_sessions_made_here_log_nothing_for_logs_quote_data():
    settings = Path(unquote(urlparse(sessions._LOGGING).path)).read_text()
    assert "rootLogger.level = off" in settings


def test_options_of_java_do_not_bring_the_log_back_unless_they_name_one():
    key = "spark.driver.extraJavaOptions"
    assert sessions._LOGGING in choose("yarn", {})[key]
    both = choose("yarn", {key: "-Xss4m"})[key]
    assert sessions._LOGGING in both
    assert both.endswith(" -Xss4m")
    own = "-Dlog4j2.configurationFile=file:///own"
    assert choose("yarn", {key: own})[key] == own


def test_on_one_machine_nothing_listens_to_the_network_unless_it_was_asked_for():
    key = "spark.driver.host"
    assert choose("local[2]", {})[key] == "127.0.0.1"
    assert key not in choose("spark://host:7077", {})
    assert choose("local[2]", {key: "host"})[key] == "host"


def test_on_one_machine_no_folder_of_tables_is_made_in_the_current_folder():
    key = "spark.sql.warehouse.dir"
    assert choose("local", {})[key] == "file:///scratch"
    assert choose("local", {key: "own"})[key] == "own"
    assert key not in choose("yarn", {})


@pytest.mark.parametrize(
    ("master", "made"),
    [
        ("local", "local[1,4]"),
        ("local[*]", "local[*,4]"),
        ("local[2,1]", "local[2,1]"),
        ("local-cluster[2,1,4096]", "local-cluster[2,1,4096]"),
        ("spark://local[2]:7077", "spark://local[2]:7077"),
    ],
)
def test_a_failed_task_is_tried_again_on_one_machine_too(master, made):
    assert sessions.with_retries(master) == made
