"""Work inside runs on the engine that was asked for, and on no other afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from trailprint.engines.options import EngineName, EngineOptions
from trailprint.kernels import passes
from trailprint.workflows import engines


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which engines were opened; a runner is the name of its engine."""
    seen: list[str] = []

    @contextlib.contextmanager
    def open_engine(options: EngineOptions, *, reads: bool) -> Iterator[str]:
        seen.append(options.engine)
        yield options.engine

    monkeypatch.setattr(engines, "open_engine", open_engine)
    return seen


def running() -> object:
    return passes._runner.get()


def test_nobody_is_opened_where_none_is_asked_for(opened):
    with engines.run_on(None):
        assert running() is None
    assert opened == []


@pytest.mark.parametrize("engine", ["spark", EngineOptions(engine="spark")])
def test_an_engine_runs_the_passes_inside_and_none_after(opened, engine):
    with engines.run_on(engine):
        assert running() == "spark"
        with engines.run_on(None):
            assert running() == "spark"
    assert running() is None
    assert opened == ["spark"]


def test_a_function_runs_on_the_engine_it_is_given(opened):
    @engines.runs_on_engine
    def work(amount: int, *, engine: EngineName | None = None) -> tuple[int, object]:
        """What it does."""
        return amount, running()

    assert work(3, engine="spark") == (3, "spark")
    assert work(4) == (4, None)
    assert work.__doc__ == "What it does."


def test_the_engine_is_left_when_the_work_fails(opened):
    with pytest.raises(ZeroDivisionError), engines.run_on("spark"):
        _ = 1 / 0
    assert running() is None
