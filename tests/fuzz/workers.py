"""Processes that each run many cases; a crash or a hang is laid to the case that caused it."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import multiprocessing
import os
import re
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.fuzz.cases import Case, make_case
from tests.fuzz.checks import Problem, find_problems
from tests.fuzz.running import run_case
from tests.fuzz.sandbox import sandbox
from tests.presence import present

LIMIT_S = 60.0
"""A case that takes longer hangs."""

_MEMORY = 6 << 30
"""Bytes a worker may hold; address space that is only reserved does not count."""

_CASES_EACH = 2000
"""After this many cases a worker is replaced, so that what one case leaves cannot pile up."""

_START_S = 300.0
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How a case ended."""

    name: str
    command: str
    code: int | None
    problems: tuple[Problem, ...]
    seconds: float = 0.0
    words: str = ""

    @property
    def ending(self) -> str:
        """The exit code, or what came instead."""
        return "none" if self.code is None else str(self.code)


# In a worker.


def serve(connection: Connection, root: str, memory: int, warm: bool) -> None:
    """Run the cases that arrive until there are no more."""
    os.setsid()
    faults = (Path(root) / "faults.txt").open("w")
    faulthandler.enable(faults)
    faulthandler.register(signal.SIGUSR1, faults, all_threads=True)
    os.environ["TMPDIR"] = tempfile.tempdir = root
    os.environ.pop("TRAILPRINT_DEBUG", None)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    if warm:
        _warm_up(Path(root))
    gc.collect()
    gc.freeze()
    connection.send("ready")
    with contextlib.suppress(EOFError):
        while True:
            wanted = connection.recv()
            case = make_case(wanted) if isinstance(wanted, int) else wanted
            connection.send(_report(case, Path(root) / "case"))


def _report(case: Case, root: Path) -> Report:
    with sandbox(root, case.files) as box:
        said = run_case(case)
        problems = find_problems(case, said, box)
    return Report(
        name=case.name,
        command=case.command,
        code=said.code,
        problems=tuple(problems),
        seconds=said.seconds,
        words=said.err[-400:] or said.error[-2000:],
    )


def _warm_up(root: Path) -> None:
    """Load and compile everything once, so that no case pays for it or is blamed for it."""
    resource_tracker.ensure_running()
    rows = [f"u{i % 6},p{i % 4},2024-03-{1 + i % 28:02}T10:00:00" for i in range(120)]
    files = {"data.csv": ("user,location,start\n" + "\n".join(rows) + "\n").encode()}
    lines = (
        ("inspect", "data.csv"),
        ("match", "data.csv", "--at", "median", "--margins"),
        ("trails", "data.csv", "--at", "median"),
        ("correlate", "data.csv", "--at", "median"),
        ("protect", "data.csv", "--apply", "microaggregate:k=2"),
        ("audit", "data.csv", "--out", "audit", "--time-limit", "0.1s"),
    )
    with sandbox(root / "warm", files):
        for line in lines:
            run_case(Case(name="warm-up", files={}, arguments=line))
    columns = "{'user': ['a', 'b'], 'location': ['c', 'd']}"
    source = "".join(
        f"show(tp.inspect(tp.read({library}({columns}))))\n"
        for library in ("pa.table", "pd.DataFrame", "pl.LazyFrame")
    )
    run_case(Case(name="warm-up", files={}, source=source))


# In the process that hands out cases.


@dataclass(slots=True)
class _Worker:
    root: str
    process: BaseProcess
    connection: Connection
    case: int | Case | None = None
    since: float = 0.0
    n_done: int = 0
    is_ready: bool = False

    @property
    def pid(self) -> int:
        return present(self.process.pid)

    def give(self, case: int | Case) -> None:
        self.case, self.since = case, time.monotonic()
        self.connection.send(case)

    def end(self) -> None:
        """Kill the worker and all it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.process.join()
        self.connection.close()
        shutil.rmtree(self.root, ignore_errors=True)


@dataclass(slots=True)
class Pool:
    """
    A few workers; ``run`` gives a report for every case, in the order they end.

    Workers that are not ``warm`` load what a case needs when it needs it.
    """

    n_workers: int = 1
    limit_s: float = LIMIT_S
    memory: int = _MEMORY
    warm: bool = True
    _workers: list[_Worker] = field(default_factory=list)

    def run(self, cases: Iterable[int | Case]) -> Iterator[Report]:
        """Run all cases."""
        left = iter(cases)
        self._workers = [self._start() for _ in range(self.n_workers)]
        try:
            while self._workers:
                yield from self._turn(lambda: next(left, None))
        finally:
            for worker in self._workers:
                worker.end()

    def _turn(self, draw: Callable[[], int | Case | None]) -> Iterator[Report]:
        """Wait until a worker has something to say or takes too long."""
        ready = wait([worker.connection for worker in self._workers], timeout=0.5)
        for worker in list(self._workers):
            if worker.connection in ready:
                yield from self._hear(worker, draw)
            elif time.monotonic() - worker.since > (self.limit_s if worker.is_ready else _START_S):
                yield _describe_hang(worker)
                self._replace(worker)

    def _hear(self, worker: _Worker, draw: Callable[[], int | Case | None]) -> Iterator[Report]:
        try:
            heard = worker.connection.recv()
        except (EOFError, OSError):
            yield _describe_crash(worker)
            self._replace(worker)
            return
        if isinstance(heard, Report):
            yield heard
            worker.n_done += 1
        worker.is_ready = True
        if worker.n_done >= _CASES_EACH:
            self._replace(worker)
            return
        case = draw()
        if case is None:
            worker.end()
            self._workers.remove(worker)
        else:
            worker.give(case)

    def _replace(self, worker: _Worker) -> None:
        worker.end()
        self._workers[self._workers.index(worker)] = self._start()

    def _start(self) -> _Worker:
        root = tempfile.mkdtemp(prefix="fuzz-")
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=serve, args=(theirs, root, self.memory, self.warm))
        process.start()
        theirs.close()
        return _Worker(root, process, ours, since=time.monotonic())


def _describe_crash(worker: _Worker) -> Report:
    worker.process.join()
    code = worker.process.exitcode
    ending = signal.Signals(-code).name if code and code < 0 else "exit"
    return _describe(worker, Problem("crash", f"{ending} {_place(worker)}"))


def _describe_hang(worker: _Worker) -> Report:
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker.pid, signal.SIGUSR1)
    time.sleep(1.0)
    return _describe(worker, Problem("hang", _place(worker)))


def _describe(worker: _Worker, problem: Problem) -> Report:
    wanted = worker.case
    case = make_case(wanted) if isinstance(wanted, int) else wanted
    if case is None:
        raise RuntimeError(f"a worker did not start: {problem.detail}")
    seconds = time.monotonic() - worker.since
    return Report(
        name=case.name, command=case.command, code=None, problems=(problem,), seconds=seconds
    )


def _place(worker: _Worker) -> str:
    """The innermost of our own functions in the last dump of the worker's stacks."""
    try:
        dump = (Path(worker.root) / "faults.txt").read_text()
    except OSError:
        dump = ""
    main = dump.split("Current thread")[-1]
    frames = re.findall(r'File ".*?/trailprint/(\S+?)", line \d+ in (\w+)', main)
    return "in {} of {}".format(*reversed(frames[0])) if frames else "nowhere in our code"
