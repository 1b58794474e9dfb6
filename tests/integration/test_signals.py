"""Signals at any moment: the exit code they ask for, nothing said but one word, nothing left."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.presence import present

from trailprint.simulate.campus import CampusOptions, simulate_campus

#: Far more than it takes, for machines that are busy with other things.
PATIENCE_S = 30
STOPPED = "trailprint: Stopped.\n"
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
BEGIN = """
import os, sys, time
from trailprint.cli.supervisor import supervise
supervise()
from trailprint.events.engine import Engine
engine = Engine(threads=1)
def begin():
    os.write(1, b"begun\\n")
"""
MOMENTS = {
    "a computation that keeps Python's lock": "begin(); sum(range(10**13))",
    "a query": "begin(); engine.run('SELECT count(*) FROM range(100000000000) a, range(9) b')",
    "an output": """
from trailprint.events.write import replacing
with replacing(["out.csv"]) as (name,):
    open(name, "w").write("half of")
    begin()
    time.sleep(600)
""",
    "worker processes": """
from trailprint.attacks.sequence.worker_processes import processes
with processes(2, os.getpid) as run:
    for _ in run(os.getpid, [()] * 2):
        pass
    begin()
    list(run(sum, [(range(10**13),)] * 2))
""",
    "threads": """
from trailprint.kernels.threads import run_together, run_parallel
begin()
run_together(lambda _: run_parallel(time.sleep, [(1,)] * 999, 2), [(0,), (1,)], 2)
""",
    "the end": "import atexit; atexit.register(time.sleep, 600); atexit.register(begin)",
}


class Program:
    """The program in a session of its own, with its own folder for temporary files."""

    def __init__(self, folder: Path, *command: object, **options) -> None:
        self.folder = folder
        (folder / "tmp").mkdir()
        self.process = subprocess.Popen(
            [sys.executable, *map(str, command)],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder / "tmp"), **options.pop("env", {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=options.pop("stderr", subprocess.PIPE),
            text=True,
            start_new_session=True,
            **options,
        )

    def wait_until_it_began(self) -> None:
        printed = present(self.process.stdout)
        ready, _, _ = select.select([printed], [], [], PATIENCE_S)
        assert ready
        assert printed.readline() == "begun\n"

    def wait_until_signals_are_answered(self) -> None:
        """What comes earlier is Python's own affair."""
        wanted = 1 << (signal.SIGCHLD - 1)
        while self.process.poll() is None and not _caught(self.process.pid) & wanted:
            time.sleep(0.0005)

    def stop(self, number: int) -> tuple[int, str]:
        """Send a signal; the exit code and standard error."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, said

    def assert_nothing_is_left(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while (alive := _lives(self.process.pid)) and time.monotonic() < end:
            time.sleep(0.01)
        assert not alive
        assert list((self.folder / "tmp").iterdir()) == []
        assert list(self.folder.rglob(".unfinished-*")) == []


def _caught(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1], 16) for line in lines if line.startswith("SigCgt"))


def _lives(session: int) -> bool:
    try:
        os.killpg(session, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def campus(tmp_path_factory):
    path = tmp_path_factory.mktemp("campus") / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=60, n_days=14)), path)
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_in_the_middle_of(tmp_path, moment, number):
    program = Program(tmp_path, "-c", BEGIN + MOMENTS[moment])
    program.wait_until_it_began()
    assert program.stop(number) == (SIGNALS[number], STOPPED)
    program.assert_nothing_is_left()
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
@pytest.mark.parametrize("later_s", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_the_program_starts(tmp_path, campus, number, later_s):
    arguments = ("-m", "trailprint", "match", campus, "--at", "median", "--links", "links.csv")
    program = Program(tmp_path, *arguments)
    program.wait_until_signals_are_answered()
    time.sleep(later_s)
    assert program.process.poll() is None
    assert program.stop(number) == (SIGNALS[number], STOPPED)
    program.assert_nothing_is_left()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_kernels_are_compiled_for_the_first_time(tmp_path, campus, number):
    cache = tmp_path / "cache"
    program = Program(
        tmp_path,
        *("-m", "trailprint", "audit", campus, "--out", "audit"),
        env={"NUMBA_CACHE_DIR": str(cache)},
    )
    while program.process.poll() is None and not list(cache.rglob("*.nbi")):
        time.sleep(0.01)
    began = time.monotonic()
    code, said = program.stop(number)
    assert time.monotonic() - began < PATIENCE_S / 2
    assert code == SIGNALS[number]
    assert said.endswith(f"\n{STOPPED}")
    assert "Traceback" not in said
    program.assert_nothing_is_left()
    assert not (tmp_path / "audit" / "result.json").exists()


def test_where_temporary_files_go_is_known_before_anything_can_be_killed(tmp_path):
    ask = "from trailprint.cli.supervisor import supervise; supervise()\nimport tempfile\n"
    program = Program(tmp_path, "-c", ask + "print(tempfile.tempdir)")
    printed, _ = program.process.communicate(timeout=PATIENCE_S)
    assert printed == f"{tmp_path / 'tmp'}\n"
    program.assert_nothing_is_left()


def test_a_program_that_is_killed_leaves_no_process(tmp_path):
    program = Program(tmp_path, "-c", BEGIN + MOMENTS["worker processes"])
    program.wait_until_it_began()
    program.process.kill()
    assert program.process.wait() == -signal.SIGKILL
    end = time.monotonic() + PATIENCE_S
    while _lives(program.process.pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _lives(program.process.pid)


def test_a_signal_that_was_ignored_stays_ignored(tmp_path):
    program = Program(
        tmp_path,
        *("-c", BEGIN + "begin(); time.sleep(0.5); sys.exit(7)"),
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    program.wait_until_it_began()
    assert program.stop(signal.SIGHUP) == (7, "")
    program.assert_nothing_is_left()


@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        ("os.kill(os.getpid(), 9)", 2, "The work needs more memory than there is."),
        ("os.abort()", 1, "A defect of Trailprint or of a library it uses (SIGABRT)."),
        ("sys.exit(3)", 3, ""),
    ],
)
def test_however_the_work_ends_nothing_is_left(tmp_path, end, code, said):
    program = Program(tmp_path, "-c", BEGIN + "begin();" + end)
    program.wait_until_it_began()
    _, heard = program.process.communicate(timeout=PATIENCE_S)
    assert program.process.returncode == code
    assert said in heard
    assert heard.count("\n") == bool(said)
    program.assert_nothing_is_left()


def test_a_terminal_is_left_with_its_cursor(tmp_path):
    terminal, screen = pty.openpty()
    bar = "from trailprint.cli.progress import showing\nwith showing(engine):\n  begin()\n  "
    program = Program(tmp_path, "-c", BEGIN + bar + "time.sleep(600)", stderr=screen)
    os.close(screen)
    program.wait_until_it_began()
    time.sleep(0.3)
    program.process.send_signal(signal.SIGINT)
    assert program.process.wait(timeout=PATIENCE_S) == 130
    shown = os.read(terminal, 1 << 16).decode()
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert shown.endswith("trailprint: Stopped.\r\n")
    present(program.process.stdout).close()
    os.close(terminal)
