"""Functions that take ``engine``: what they do inside runs there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from trailprint.engines.opening import open_engine
from trailprint.engines.options import choose_engine
from trailprint.kernels.passes import passes_run_by

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def runs_on_engine(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let the engine that is given by the keyword ``engine`` run the passes of a function."""

    @functools.wraps(function)
    def run(*values: Parameters.args, **named: Parameters.kwargs) -> Result:
        chosen: Any = named.get("engine")
        with open_engine(choose_engine(chosen)) as runner, passes_run_by(runner):
            return function(*values, **named)

    return run
