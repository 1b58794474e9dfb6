"""Work that runs on an engine: passes inside are run there."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from trailprint.engines.opening import is_open, open_engine
from trailprint.engines.options import EngineName, EngineOptions, choose_engine
from trailprint.kernels.passes import passes_run_by

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@contextlib.contextmanager
def run_on(engine: EngineOptions | EngineName | None) -> Iterator[None]:
    """Let an engine run the passes of the work inside; None: whoever runs them now."""
    options = None if engine is None else choose_engine(engine)
    if options is None or is_open(options):
        yield
        return
    with open_engine(options) as runner, passes_run_by(runner):
        yield


def runs_on_engine(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let the engine that is given by the keyword ``engine`` run the passes of a function."""

    @functools.wraps(function)
    def run(*values: Parameters.args, **named: Parameters.kwargs) -> Result:
        chosen: Any = named.get("engine")
        with run_on(chosen):
            return function(*values, **named)

    return run
