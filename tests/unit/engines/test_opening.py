"""Which engine is opened, and that it is closed again."""

from __future__ import annotations

import contextlib
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from trailprint.engines.opening import open_engine
from trailprint.engines.options import EngineOptions


def test_threads_of_this_process_need_no_runner():
    with open_engine(EngineOptions()) as runner:
        assert runner is None
    assert "pyspark" not in getattr(sys.modules[open_engine.__module__], "__dict__", {})


def test_spark_is_opened_for_as_long_as_it_is_used(monkeypatch):
    seen: list[str] = []

    @contextlib.contextmanager
    def opened(name: str, value: Any) -> Any:
        seen.append(f"{name} opened")
        yield value
        seen.append(f"{name} closed")

    sessions, runners = ModuleType("sessions"), ModuleType("runner")
    session = SimpleNamespace(sparkContext="context")
    sessions.open_session = lambda options: opened("session", session)  # type: ignore[attr-defined]
    runners.SparkRunner = lambda context, most_bytes: opened("runner", context)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "trailprint.engines.spark.sessions", sessions)
    monkeypatch.setitem(sys.modules, "trailprint.engines.spark.runner", runners)
    with open_engine(EngineOptions(engine="spark")) as runner:
        assert runner == "context"
        assert seen == ["session opened", "runner opened"]
    assert seen[2:] == ["runner closed", "session closed"]


def test_an_engine_that_fails_to_open_is_not_hidden(monkeypatch):
    sessions, runners = ModuleType("sessions"), ModuleType("runner")

    def fail(options: EngineOptions) -> None:
        raise RuntimeError("no cluster")

    sessions.open_session = fail  # type: ignore[attr-defined]
    runners.SparkRunner = None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "trailprint.engines.spark.sessions", sessions)
    monkeypatch.setitem(sys.modules, "trailprint.engines.spark.runner", runners)
    with (
        pytest.raises(RuntimeError, match="no cluster"),
        open_engine(EngineOptions(engine="spark")),
    ):
        pass
