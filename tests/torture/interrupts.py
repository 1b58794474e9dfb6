"""Signals at random moments, start-up included: gone at once, silent, nothing left."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections.abc import Iterator, Mapping

from tests.torture.outcomes import Series
from tests.torture.programs import (
    COMMANDS,
    Ended,
    Place,
    Program,
    left_in_scratch,
    make_data,
    place,
    run,
    temporary_names,
)

LIMIT_S = 2.0
"""How long a program may take to answer a signal."""

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def interrupt_series(n_each: int, rng: random.Random, limit_s: float) -> Iterator[Series]:
    """Every command, each signal."""
    with place() as where:
        make_data(where)
        for name in COMMANDS:
            seconds = run(COMMANDS[name][0], where).seconds
            whole = _sizes(where, name)
            _clear(where, name)
            for number in _CODES:
                series = Series(f"{number.name}: {name}")
                for _ in range(n_each):
                    # Half of the moments lie in start-up, where little is in place yet.
                    latest = rng.choice((min(1.0, seconds), seconds))
                    moment = rng.uniform(0.0, latest)
                    _interrupt(name, where, number, moment, limit_s, series, whole)
                    _clear(where, name)
                yield series


def _interrupt(
    name: str,
    where: Place,
    number: signal.Signals,
    moment: float,
    limit_s: float,
    series: Series,
    whole: Mapping[str, int],
) -> None:
    program = Program(COMMANDS[name][0], where)
    try:
        time.sleep(moment)
        sent = time.monotonic()
        program.send(number, to_group=number == signal.SIGINT)
        ended = program.wait(max(20.0, limit_s))
        took = time.monotonic() - sent
        faults = list(_judge(name, where, program, ended, number))
        # A signal may come after the output was written, and before the program has ended.
        if not _sizes(where, name).items() <= whole.items():
            faults.append("an output was partly written")
        if ended is not None and ended.code != 0 and took > limit_s:
            faults.append(f"took more than {limit_s:g} s")
    finally:
        program.end()
    note = _describe(ended, number)
    if faults:
        faults[0] += f" (first at {moment:.2f} s)" if not series.faults else ""
    series.add(faults, note=note, seconds=took)


def _describe(ended: Ended | None, number: signal.Signals) -> str:
    if ended is None:
        return "never ended"
    return "before our first line" if _is_too_early(ended, number) else f"exit {ended.code}"


def _judge(
    name: str, where: Place, program: Program, ended: Ended | None, number: signal.Signals
) -> Iterator[str]:
    if ended is None:
        yield "never ended"
        return
    if ended.code not in (0, _CODES[number]) and not _is_too_early(ended, number):
        yield f"exit code {ended.code}: {ended.err[-80:]!r}"
    if ended.code > 0 and _is_loud(name, ended):
        yield f"not silent: {ended.err.splitlines()[-1][:80]!r}"
    if program.survivors():
        yield "helpers live on"
    if left_in_scratch(where):
        yield "temporary files are left"
    if temporary_names(where.work):
        yield "unfinished files are left"


def _sizes(where: Place, name: str) -> dict[str, int]:
    """Sizes of the files a command that writes the same bytes each time has written."""
    outputs = COMMANDS[name][1] if name in ("match", "protect") else ()
    return {
        out: (where.work / out).stat().st_size for out in outputs if (where.work / out).is_file()
    }


def _is_too_early(ended: Ended, number: signal.Signals) -> bool:
    """Whether Python itself answered, before it had read a line of ours."""
    return ended.code == -number and "/trailprint/" not in ended.err


def _is_loud(name: str, ended: Ended) -> bool:
    """More than what an audit announces and one word that it was stopped."""
    lines = [line for line in ended.err.splitlines() if line != "trailprint: Stopped."]
    is_broken = any(word in ended.err for word in ("Traceback", "Error", "Exception"))
    return is_broken or (name != "audit" and bool(lines))


def _clear(where: Place, name: str) -> None:
    for out in COMMANDS[name][1]:
        path = where.work / out
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in where.scratch.iterdir():
        shutil.rmtree(path, ignore_errors=True)
    for path in where.work.glob(".*"):
        path.unlink()
