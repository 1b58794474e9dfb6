"""Run work on an engine, which executes the passes inside."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from trailprint.engines.opening import is_open, open_engine
from trailprint.engines.options import EngineName, EngineOptions, choose_engine
from trailprint.kernels.passes import passes_reported_to, passes_run_by
from trailprint.progress import Stage

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@contextlib.contextmanager
def run_on(engine: EngineOptions | EngineName | None, *, reads: bool = True) -> Iterator[None]:
    """
    Let an engine run the passes inside the context; None keeps the current runner.

    With ``reads`` the engine reads the data as well.
    """
    options = None if engine is None else choose_engine(engine)
    if options is None or is_open(options):
        yield
        return
    with (
        open_engine(options, reads=reads) as runner,
        passes_run_by(runner, options.worker_bytes),
    ):
        yield


def runs_on_engine(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """
    Let the engine given by the keyword ``engine`` read the data and run the passes.

    The progress of passes is reported to the keyword ``progress``.
    """
    return _run_inside(function, reads=True)


def runs_passes_on_engine(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """
    Let the engine given by the keyword ``engine`` run the passes of a function.

    Data is read locally, because the result holds events that outlive the engine's session.
    """
    return _run_inside(function, reads=False)


def _run_inside(
    function: Callable[Parameters, Result], *, reads: bool
) -> Callable[Parameters, Result]:
    @functools.wraps(function)
    def run(*values: Parameters.args, **named: Parameters.kwargs) -> Result:
        chosen: Any = named.get("engine")
        progress: Any = named.get("progress")
        with contextlib.ExitStack() as stack:
            stack.enter_context(run_on(chosen, reads=reads))
            if progress is not None:
                stage = Stage(progress)
                stack.enter_context(passes_reported_to(stage.share))
                named["progress"] = stage.report
            return function(*values, **named)

    return run
