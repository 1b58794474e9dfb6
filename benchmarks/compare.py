"""
Two states of the source beside each other: ``python -m benchmarks.compare BEFORE AFTER``.

BEFORE and AFTER are folders with a checkout each (``git worktree add ../before COMMIT``). The same
commands run in both by turns, so that whatever else the machine does falls on both alike; what is
printed is the least processor time of each, in seconds, and their ratio. A first run of each
compiles and is not counted.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PROGRAM = [sys.executable, "-c", "from trailprint.cli.main import main; main()"]

#: What is run, in words of the command line that both states understand.
COMMANDS = {
    "help of match": ("match", "--help"),
    "read and count {n} people": ("inspect", "{data}", "--json"),
    "match {n} people": ("match", "{data}", "--at", "median", "--json"),
    "trails of {n} people": ("trails", "{data}", "--at", "median", "--json"),
    "audit of the demo": ("demo", "--users", "60", "--out", "{out}", "--threads", "1"),
}


def run(checkout: Path, words: Sequence[str]) -> float:
    """The processor time a command takes with the source of a checkout, in seconds."""
    with tempfile.TemporaryDirectory() as out:
        return _run(checkout, [word.replace("{out}", f"{out}/new") for word in words])


def _run(checkout: Path, words: Sequence[str]) -> float:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*PROGRAM, *words], env=environment, check=True, capture_output=True, cwd=checkout
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(checkouts: Sequence[Path], words: Sequence[str], n_rounds: int) -> list[float]:
    """The least time of each checkout over rounds in which all take their turn."""
    for checkout in checkouts:
        run(checkout, words)
    rounds = [[run(checkout, words) for checkout in checkouts] for _ in range(n_rounds)]
    return [min(times) for times in zip(*rounds, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    checkouts = [wanted.before.resolve(), wanted.after.resolve()]
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/people.parquet"
        size = ("--users", str(wanted.users), "--out", data)
        run(checkouts[1], ("simulate", "weekday-campus", *size))
        print(f"{'':32}{'before':>10}{'after':>10}{'ratio':>8}")
        for title, line in COMMANDS.items():
            words = [word.replace("{data}", data) for word in line]
            before, after = compare(checkouts, words, wanted.rounds)
            named = title.format(n=f"{wanted.users:,}")
            print(f"{named:32}{before:10.2f}{after:10.2f}{after / before:8.2f}", flush=True)


if __name__ == "__main__":
    main()
