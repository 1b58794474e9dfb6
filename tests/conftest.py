"""What many tests share: an engine, small files, the program as a function."""

from __future__ import annotations

import datetime as dt
import gc
import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# As the program does, before anything loads NumPy: threads of linear algebra that wait for small
# products burn a core each, and there is a process of tests on every core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pyarrow as pa
from hypothesis import settings
from tests.shared_databases import shared_databases
from xdist.scheduler import LoadFileScheduling

from trailprint import Engine, Events, ReadOptions, read
from trailprint.cli.compile_ahead import compile_first
from trailprint.cli.main import main
from trailprint.events import engine as engine_module

#: As engines connect outside tests.
CONNECT = engine_module._connect

# Started in the background or by nohup, the tests would have programs that ignore signals.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Left out of `make check`: what runs commands, whole audits or many examples.
SLOW = (
    "browser",
    "contract/test_audit_outputs.py",
    "contract/test_canaries.py",
    "contract/test_comparison.py",
    "contract/test_disclosure.py",
    "contract/test_docstrings.py",
    "contract/test_maps.py",
    "contract/test_platforms.py",
    "contract/test_privacy.py",
    "contract/test_public_names.py",
    "contract/test_reading_canaries.py",
    "fuzz",
    "integration",
    "property",
    "spark",
    "torture",
    "unit/attacks",
    "unit/audit",
    "unit/cli",
    "unit/events/test_meeting.py",
    "unit/kernels/test_compiling.py",
    "unit/papers",
    "unit/protections",
    "unit/simulate",
    "unit/studies",
    "unit/workflows",
)


#: Files whose few tests take longest: begun last, one of them would be waited for by one process.
#: The first of them often wait for a JVM, a browser or a server, while others compute.
FIRST = (
    "spark",
    "browser/test_app.py",
    "integration/test_app_server.py",
    "fuzz/test_fuzz.py",
    "integration/test_stewards_loop.py",
    "unit/papers/test_naini_2016.py",
    "integration/test_audit_command.py",
    "unit/simulate/test_gps.py",
    "contract/test_audit_outputs.py",
    "unit/protections/test_microaggregate.py",
    "unit/simulate/test_calls.py",
    "integration/test_full_disk.py",
)


#: Folders whose files stay in one process, because what they share takes longest to start.
TOGETHER = ("tests/spark/",)


class Scheduling(LoadFileScheduling):
    """A file's tests stay in one process, so that what they share is made once."""

    def _split_scope(self, nodeid: str) -> str:
        folders = (folder for folder in TOGETHER if nodeid.startswith(folder))
        return next(folders, super()._split_scope(nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Give tests to processes; whatever ``--dist`` says, they share what can be shared."""
    return Scheduling(config, log)


#: How many examples of a law are tried, as a multiple of what its test asks for. They differ from
#: run to run; `make laws` tries many.
EXAMPLES = float(os.environ.get("TRAILPRINT_EXAMPLES", "0.5"))


def scale_examples(test: Any) -> None:
    """Let a law be tried with more examples or with fewer, never with less than five."""
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if own is not None and not hasattr(test, "is_scaled"):
        number = max(min(own.max_examples, 5), round(EXAMPLES * own.max_examples))
        test._hypothesis_internal_use_settings = settings(own, max_examples=number)
        test.is_scaled = True


def is_law(item: pytest.Item) -> bool:
    """Whether a test tries examples that hypothesis makes up."""
    return hasattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, put what takes longest first, and say how many examples are tried."""
    here = Path(__file__).parent
    slow, first = (tuple(str(here / name) for name in names) for names in (SLOW, FIRST))
    for item in items:
        if str(item.path).startswith(slow):
            item.add_marker("slow")
        if is_law(item):
            item.add_marker("law")
            scale_examples(getattr(item, "obj"))  # noqa: B009
    places = {item.path: _place(str(item.path), first) for item in items}
    items.sort(key=lambda item: places[item.path])


def pytest_collection_finish() -> None:
    """Thousands of tests and all modules stay to the end: no collection looks at them again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """At the end everything is collected, or libraries complain about what was never freed."""
    gc.unfreeze()


def _place(path: str, first: Sequence[str]) -> int:
    """The number of what a path begins with."""
    return next((n for n, begin in enumerate(first) if path.startswith(begin)), len(first))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say that Spark was not tested, and why: nobody should believe that it was."""
    reports = terminalreporter.stats.get("skipped", ())
    skipped = [report for report in reports if "tests/spark/" in report.nodeid]
    if skipped:
        why = sorted({str(report.longrepr[-1]).removeprefix("Skipped: ") for report in skipped})
        line = f"Spark was NOT tested: {len(skipped)} tests were skipped ({'; '.join(why)})"
        terminalreporter.write_line(line, yellow=True, bold=True)


@dataclass(frozen=True)
class Finished:
    """What a run of the program left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


@pytest.fixture(autouse=True, scope="session")
def own_key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests have a key of their own, and leave the user's alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _shared_databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with shared_databases(str(tmp_path_factory.mktemp("spilled"))):
        yield


@pytest.fixture
def own_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines have a database each, as outside tests: for tests about engines themselves."""
    monkeypatch.setattr(engine_module, "_connect", CONNECT)


@pytest.fixture(scope="session")
def kernels() -> None:
    """Kernels are compiled, so that no command has to say that it compiles them."""
    compile_first()


BLANK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 5"><path d="M0,0"/></svg>'


@pytest.fixture
def blank_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts are not rendered, where only words or figures matter: a report takes a second."""
    import vl_convert

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", lambda *given, **named: BLANK)


@pytest.fixture(scope="session")
def engine() -> Engine:
    return Engine(threads=2)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], str]:
    """Write a small file below the test's own folder; its path."""

    def write(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Finished]:
    """Run the program in this process."""

    def run(*arguments: object) -> Finished:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Finished(int(stopped.value.code or 0), printed.out, printed.err)

    return run


def _column(values: Sequence[Any]) -> pa.Array:
    is_time = any(isinstance(value, dt.datetime) for value in values)
    return pa.array(values, pa.timestamp("us", "UTC") if is_time else None)


@pytest.fixture(scope="session")
def make_events(engine: Engine) -> Callable[..., Events]:
    """Events from rows of Python values, named by their columns; times are UTC."""

    def make(rows: Iterable[Sequence[Any]], *names: str, timezone: str = "UTC") -> Events:
        columns = map(_column, zip(*rows, strict=True))
        table = pa.table(dict(zip(names, columns, strict=True)))
        return read(table, ReadOptions(timezone=timezone), engine=engine)

    return make


@pytest.fixture(scope="session")
def rows_of() -> Callable[..., list[tuple[Any, ...]]]:
    """All rows of events, sorted, in the order of the columns named."""

    def rows(events: Events, *names: str) -> list[tuple[Any, ...]]:
        chosen = ", ".join(f'"{name}"' for name in names or sorted(events.columns))
        return sorted(events.engine.rows(f"SELECT {chosen} FROM ({events.query})"), key=repr)

    return rows
