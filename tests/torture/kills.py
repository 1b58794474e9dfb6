"""Killed at random moments and started again, until it is done: the result is the same."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.torture.outcomes import Series
from tests.torture.programs import (
    COMMANDS,
    Place,
    Program,
    left_in_scratch,
    make_data,
    place,
    run,
    temporary_names,
)

_MOST_IN_A_ROW = 6
"""After this many kills a run may finish, so that many finished results are compared."""

#: What may differ between two runs: how long things took, and how much of it was found done.
_TIMES = re.compile(r"second|duration|elapsed|took|created|memory|models_trained")
_CLOCK = re.compile(r"\d+(?:[.,]\d+)*\s?(?:s|ms|min|h|seconds?|minutes?)\b|less than a second")


def kill_series(n_kills: int, rng: random.Random) -> Iterator[Series]:
    """Audits and correlations, each killed half of the times."""
    for name in ("audit", "correlate"):
        series = Series(f"kill and resume: {name}")
        with place() as where:
            make_data(where)
            _kill_many(name, where, n_kills // 2, rng, series)
        yield series


def _kill_many(name: str, where: Place, n_kills: int, rng: random.Random, series: Series) -> None:
    arguments, (out,) = COMMANDS[name]
    arguments = (*arguments, "--json")
    run(arguments, where)  # The first run on a machine compiles.
    shutil.rmtree(where.work / out)
    reference = run(arguments, where)
    wanted = snapshot(where.work / out, reference.out)
    in_a_row = 0
    shutil.rmtree(where.work / out)
    for _ in range(n_kills):
        moment = rng.uniform(0.0, reference.seconds)
        to_group = rng.random() < 0.5
        is_over = _kill_once(arguments, where, moment, to_group, series)
        in_a_row += 1
        if is_over or in_a_row == _MOST_IN_A_ROW:
            _finish(arguments, where, out, wanted, series)
            in_a_row = 0
    if in_a_row:
        _finish(arguments, where, out, wanted, series)


def _kill_once(
    arguments: tuple[str, ...], where: Place, moment: float, to_group: bool, series: Series
) -> bool:
    """Whether it had finished before it was killed."""
    program = Program(arguments, where)
    try:
        time.sleep(moment)
        is_over = not program.is_running
        program.send(signal.SIGKILL, to_group=to_group)
        ended = program.wait(10.0)
        faults = [] if ended is not None else ["lives on after SIGKILL"]
        if program.survivors():
            faults.append("helpers live on after SIGKILL")
        if is_over and ended is not None and ended.code != 0:
            faults.append(f"exit code {ended.code} after earlier kills")
    finally:
        program.end()
    series.add(faults, note="finished before" if is_over else "killed")
    return is_over


def _finish(
    arguments: tuple[str, ...], where: Place, out: str, wanted: dict[str, Any], series: Series
) -> None:
    """Let it run to its end, compare, and start again."""
    ended = run(arguments, where)
    faults = []
    if ended.code != 0:
        faults.append(f"exit code {ended.code} when resumed: {ended.err[-120:]}")
    else:
        found = snapshot(where.work / out, ended.out)
        faults += [
            f"differs from an uninterrupted run: {name}" for name in differing(wanted, found)
        ]
        faults += [f"left: {name[:12]}…" for name in temporary_names(where.work / out)]
        faults += [f"left in the temporary folder: {n[:10]}…" for n in left_in_scratch(where)]
    series.add(faults, note="resumed to the end", seconds=ended.seconds)
    shutil.rmtree(where.work / out)


def differing(wanted: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Names of what differs, or is on one side only."""
    return [n for n in sorted(wanted.keys() | found.keys()) if wanted.get(n) != found.get(n)]


def snapshot(folder: Path, printed: str) -> dict[str, Any]:
    """Everything a run wrote and printed, without times."""
    found: dict[str, Any] = {"standard output": _without_times(json.loads(printed))}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = str(path.relative_to(folder))
        if name.startswith(("work/", "models/")) or folder.name == "models":
            found[name] = "kept"  # Parts hold times and seals; that they are there must be equal.
        else:
            found[name] = _content(path)
    return found


def _content(path: Path) -> object:
    if path.suffix == ".json":
        return _without_times(json.loads(path.read_text()))
    if path.suffix == ".csv":
        rows = csv.DictReader(io.StringIO(path.read_text()))
        return [{k: v for k, v in row.items() if not _TIMES.search(str(k))} for row in rows]
    if path.suffix == ".html":
        return _CLOCK.sub("", path.read_text())
    return path.read_bytes()


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if not _TIMES.search(k)}
    if isinstance(value, list):
        return [_without_times(one) for one in value]
    return _CLOCK.sub("", value) if isinstance(value, str) else value
