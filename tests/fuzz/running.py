"""Runs one case in this process and keeps everything it said."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import json
import logging
import os
import resource
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Case


@dataclass(slots=True, kw_only=True)
class Said:
    """What a case printed, logged, showed and wrote."""

    code: int | None = None
    out: str = ""
    err: str = ""
    log: str = ""
    shown: str = ""
    error: str = ""
    error_kind: str = ""
    seconds: float = 0.0
    grown_mb: float = 0.0
    unexpected: list[str] = field(default_factory=list)


def run_case(case: Case) -> Said:
    """Run a case in the current folder."""
    said = Said()
    start, peak = time.perf_counter(), _peak_mb()
    with _capturing(said), _listening(said):
        if case.source:
            _run_source(case.source, said)
        else:
            _run_program(list(case.arguments), said)
    said.seconds, said.grown_mb = time.perf_counter() - start, _peak_mb() - peak
    return said


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextlib.contextmanager
def _capturing(said: Said) -> Iterator[None]:
    """Catch standard output and error as a shell would, with what libraries print themselves."""
    files = [os.memfd_create(name) for name in ("out", "err")]
    kept = [os.dup(1), os.dup(2)]
    streams = sys.stdout, sys.stderr
    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
    sys.stdout, sys.stderr = _open(1, "surrogateescape"), _open(2, "backslashreplace")
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        sys.stdout, sys.stderr = streams
        for number, old in enumerate(kept, start=1):
            os.dup2(old, number)
            os.close(old)
        said.out, said.err = map(_read_all, files)


def _open(number: int, errors: str) -> io.TextIOWrapper:
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors=errors)


def _read_all(file: int) -> str:
    with open(file, "rb") as stream:
        stream.seek(0)
        return stream.read().decode("utf-8", "replace")


class _Keeper(logging.Handler):
    def __init__(self, said: Said) -> None:
        super().__init__(logging.DEBUG)
        self._said = said

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("trailprint"):
            self._said.log += f"{record.getMessage()}\n"


@contextlib.contextmanager
def _listening(said: Said) -> Iterator[None]:
    """Keep log records and warnings."""
    keeper, root = _Keeper(said), logging.getLogger()
    root.addHandler(keeper)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            yield
        said.log += "".join(f"{one.category.__name__}: {one.message}\n" for one in caught)
        said.unexpected += [
            f"{one.category.__name__} in {Path(one.filename).name}:{one.lineno}"
            for one in caught
            if issubclass(one.category, (RuntimeWarning, ResourceWarning))
        ]
    finally:
        root.removeHandler(keeper)


def _run_program(arguments: list[str], said: Said) -> None:
    from trailprint.cli.main import main

    try:
        main(arguments)
        said.code = 0
    except SystemExit as stopped:
        said.code = stopped.code if isinstance(stopped.code, int) else 0
    except BaseException as error:
        said.code = None
        _keep_error(error, said)


def _run_source(source: str, said: Said) -> None:
    from trailprint import TrailprintError

    try:
        exec(compile(source, "<case>", "exec"), _names(said))  # noqa: S102
        said.code = 0
    except TrailprintError as error:
        said.code, said.error = 2, str(error)
    except BaseException as error:
        # What the lines themselves do wrong with pandas is no business of ours.
        said.code = None if _is_ours(error) else 0
        _keep_error(error, said)


def _is_ours(error: BaseException) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    return any("/trailprint/" in frame.filename for frame in frames)


def _keep_error(error: BaseException, said: Said) -> None:
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "/trailprint/" in f.filename]
    last = own[-1] if own else frames[-1]
    said.error_kind = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
    said.error = "".join(traceback.format_exception(error))


def _names(said: Said) -> dict[str, Any]:
    """What the lines of a case may use."""
    import duckdb
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    import trailprint as tp

    def show(thing: Any) -> None:
        texts = [repr(thing), str(thing)]
        html = getattr(thing, "_repr_html_", None)
        texts += [] if html is None else [str(html())]
        if hasattr(thing, "to_dict"):
            texts.append(json.dumps(thing.to_dict(), allow_nan=False))
        said.shown += "\n".join(texts) + "\n"

    return {
        "tp": tp,
        "pd": pd,
        "pl": pl,
        "pa": pa,
        "np": np,
        "duckdb": duckdb,
        "dt": dt,
        "Decimal": Decimal,
        "Path": Path,
        "show": show,
        "load": lambda name: json.loads(Path(name).read_text()),
    }
