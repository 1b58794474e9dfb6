"""Exact matching on Spark against threads, with a worker that is killed, and a million people here.

Run ``python benchmarks/bench_spark.py`` (``--quick`` for small sizes, ``--only`` for one part).
Ratios are of one run. Needs pyspark and Java 17. Sessions and workers are warm before anything is
timed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import trailprint.engines.spark.runner as spark_runner
from benchmarks.bench_matching import (
    METRIC,
    PAPER_USERS,
    bare_pass,
    clock,
    gap_of,
    peak_memory_gb,
    prepare,
    say,
    solve_sides,
    warm_up,
)
from trailprint.engines.opening import open_engine
from trailprint.engines.options import EngineOptions
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.kernels.matching.solve import Solution, solve_reduced
from trailprint.kernels.passes import passes_run_by


def solve(data: tuple[Any, Any, int], runner: Any = None) -> Solution:
    """The whole exact matching, with passes run by the runner that is given."""
    with passes_run_by(runner):
        return solve_sides(*data)


def is_same(found: Solution, expected: Solution) -> bool:
    """Whether links, gains, prices and proof are equal to the bit."""
    pairs: Any = zip(found[:9], expected[:9], strict=True)
    return all(np.array_equal(one, other) for one, other in pairs)


#: Passes from this much work on run as tasks where every one is to be: at 46,986 people none is
#: large enough to be worth a job.
EVERY_PASS = 10_000_000


@contextlib.contextmanager
def least_work(work: int) -> Iterator[None]:
    """Let passes of at least this much work run as tasks."""
    before, spark_runner.LEAST_WORK = spark_runner.LEAST_WORK, work
    try:
        yield
    finally:
        spark_runner.LEAST_WORK = before


class Counting:
    """Runs passes, and counts those that a cluster ran."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner
        self.n_there = self.n_here = 0

    def __call__(self, one: Any) -> bool:
        done: bool = self._runner(one)
        self.n_there += done
        self.n_here += not done
        return done

    def calls(self, prepare: Any, shared: Any) -> Any:
        return self._runner.calls(prepare, shared)

    def stop(self) -> None:
        self._runner.stop()


def compare(n_users: int, most: float, in_proportion: bool, works: tuple[int, ...]) -> None:
    """Threads against two local workers; passes of at least so much work run as tasks."""
    data = prepare(n_users, in_proportion=in_proportion)
    with open_engine(EngineOptions(engine="spark", spark_master="local[2]")) as runner:
        for work in works:
            with least_work(work):
                compare_with(data, Counting(runner), most, repeat=2 if len(works) > 1 else 1)


def compare_with(data: tuple[Any, Any, int], runner: Counting, most: float, repeat: int) -> None:
    """Threads against a runner."""
    n_users = data[0][0].size - 1
    solve(data, runner)
    print(f"  {runner.n_there} passes as tasks, {runner.n_here} here")
    # In turn, so that whatever else the machine does slows both.
    rounds = [
        (clock(lambda: solve(data)), clock(lambda: solve(data, runner))) for _ in range(repeat)
    ]
    threads = min(one[0] for one, _ in rounds)
    spark = min(other[0] for _, other in rounds)
    print(f"  {n_users:,} users: threads {threads:.2f} s, Spark {spark:.2f} s")
    same = is_same(rounds[-1][1][1], rounds[-1][0][1])
    say("Spark / threads", spark / threads, f"<= {most}", spark / threads <= most)
    say("equal to the bit", float(same), "1", same)


def bench_paper(quick: bool) -> None:
    """Point 1: the paper's population."""
    print("1. local[2] against threads")
    works = spark_runner.LEAST_WORK, EVERY_PASS
    compare(10_000 if quick else PAPER_USERS, 1.5, in_proportion=False, works=works)


def bench_large(quick: bool) -> None:
    """Point 2: four times the people, and as many more places."""
    print("2. local[2] against threads, locations in proportion")
    works = (EVERY_PASS if quick else spark_runner.LEAST_WORK,)
    compare(20_000 if quick else 200_000, 1.3, in_proportion=True, works=works)


def bench_killed(quick: bool) -> None:
    """Point 3: two worker processes of their own, one of which is killed in a pass."""
    n_users = 10_000 if quick else PAPER_USERS
    print(f"3. local-cluster[2,1,4096], {n_users:,} users, an executor killed in a pass")
    data = prepare(n_users)
    expected = solve(data)
    conf = ("spark.executor.memory=2g",)
    options = EngineOptions(engine="spark", spark_master="local-cluster[2,1,4096]", spark_conf=conf)
    with least_work(EVERY_PASS), open_engine(options) as runner:
        whole = Counting(runner)
        seconds, found = clock(lambda: solve(data, whole))
        print(f"  {whole.n_there} passes as tasks, {whole.n_here} here")
        same = is_same(found, expected) and whole.n_there > 0
        say(f"whole ({seconds:.1f} s): equal to the bit", float(same), "1", same)
        killing = Killing(runner)
        seconds, found = clock(lambda: solve(data, killing))
        same = is_same(found, expected)
        say(f"executor killed ({seconds:.1f} s): equal to the bit", float(same), "1", same)


def bench_million(quick: bool) -> None:
    """Point 4: a million people exactly on this machine, and a pass that is as fast as for few."""
    n_users = 120_000 if quick else 1_000_000
    print(f"4. without Spark: {n_users:,} users, locations in proportion")
    few = build_join(*prepare(PAPER_USERS), METRIC)
    rates = []
    seconds, (pairs, _) = clock(lambda: bare_pass(few), 3)
    rates.append(pairs / seconds)
    # People are put in order as the solver does it: those of one place are neighbours.
    reduced = reduce_problem(*prepare(n_users, in_proportion=True), METRIC, 0)
    bare, (pairs, _) = clock(lambda: bare_pass(reduced.join))
    rates.append(pairs / bare)
    print(f"  {pairs:,} overlapping pairs of different people, bare pass {bare:.1f} s")
    print(f"  million pairs a second: {rates[0] / 1e6:.0f} before, {rates[1] / 1e6:.0f} now")
    say("rate for few / rate now", rates[0] / rates[1], "<= 1.25", rates[0] / rates[1] <= 1.25)
    seconds, solution = clock(lambda: solve_reduced(reduced))
    print(f"  {solution.overlapping_pairs:,} overlapping pairs, matching {seconds:.1f} s, ", end="")
    print(f"{solution.rounds} rounds, solves {solution.solve_seconds:.1f} s")
    say("matching / bare pass", seconds / bare, "<= 6", seconds / bare <= 6)
    say("relative gap, 1e-12", gap_of(solution) * 1e12, "<= 1", gap_of(solution) <= 1e-12)
    say("peak memory, GB", peak_memory_gb(), "<= 16", peak_memory_gb() <= 16)


class Killing(Counting):
    """Runs passes, and kills an executor in the middle of the first one."""

    def __init__(self, runner: Any) -> None:
        super().__init__(runner)
        self._killer = threading.Timer(0.2, kill_executor)

    def __call__(self, one: Any) -> bool:
        if self._killer.ident is None:
            self._killer.start()
        return super().__call__(one)


def kill_executor() -> None:
    """Kill one executor among this process's descendants."""
    executors = [pid for pid in descendants(os.getpid()) if "CoarseGrained" in command_of(pid)]
    print(f"  killing one of {len(executors)} executors", flush=True)
    os.kill(executors[0], signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Processes that a process has started, and those they have."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    own = [int(text) for path in tasks for text in path.read_text().split()]
    return [*own, *(below for child in own for below in descendants(child))]


def command_of(pid: int) -> str:
    """The command line of a process; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


PARTS = {
    "paper": bench_paper,
    "large": bench_large,
    "killed": bench_killed,
    "million": bench_million,
}


def main() -> None:
    """Run one part, or each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--only", choices=sorted(PARTS), help="run one part in this process")
    options = parser.parse_args()
    if options.only:
        if options.quick:
            # Small passes would stay in this process.
            global EVERY_PASS
            EVERY_PASS = 100_000
        warm_up()
        PARTS[options.only](options.quick)
        return
    for name in PARTS:
        command = [sys.executable, __file__, "--only", name, *["--quick"] * options.quick]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
