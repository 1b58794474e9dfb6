"""The torture itself is tried: what it should notice, it notices."""

from __future__ import annotations

import json
import resource
import signal
from pathlib import Path

import pytest
from tests.torture import interrupts, kills, limits
from tests.torture.outcomes import Series, table
from tests.torture.programs import Ended, Place, Program, left_in_scratch, place, temporary_names


def ended(code: int, err: str = "", out: str = "") -> Ended:
    return Ended(code=code, out=out, err=err, seconds=1.0)


@pytest.fixture
def where(tmp_path: Path) -> Place:
    here = Place(tmp_path / "work", tmp_path / "tmp")
    here.work.mkdir()
    here.scratch.mkdir()
    return here


def test_runs_are_compared_without_times(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/a.csv").write_text("name,seconds\nx,1.5\n")
    (tmp_path / "report.html").write_text("It took 1.5 s for 3 people.")
    first = kills.snapshot(tmp_path, json.dumps({"accuracy": 0.5, "seconds": {"total": 1}}))
    (tmp_path / "tables/a.csv").write_text("name,seconds\nx,2.5\n")
    (tmp_path / "report.html").write_text("It took 2\N{NO-BREAK SPACE}s for 3 people.")
    again = kills.snapshot(tmp_path, json.dumps({"accuracy": 0.5, "seconds": {"total": 2}}))
    assert kills.differing(first, again) == []
    (tmp_path / "report.html").write_text("It took 2 s for 4 people.")
    (tmp_path / "new.csv").write_text("a\n")
    other = kills.snapshot(tmp_path, json.dumps({"accuracy": 0.25}))
    assert kills.differing(first, other) == ["new.csv", "report.html", "standard output"]


@pytest.mark.parametrize(
    ("finished", "fault"),
    [
        (ended(1, "trailprint: A defect.\n"), "exit code 1"),
        (ended(-11), "exit code -11"),
        (ended(2, "Traceback\ntrailprint: A.\n"), "not one sentence"),
        (ended(2, ""), "not one sentence"),
    ],
)
def test_a_bad_end_is_noticed(where, finished, fault):
    assert next(limits._judge(finished, where)).startswith(fault)


def test_what_is_left_is_noticed(where):
    assert list(limits._judge(ended(2, "trailprint: A.\n"), where)) == []
    (where.scratch / "trailprint-1").mkdir()
    (where.work / "out").mkdir()
    (where.work / "out/.unfinished-1").write_text("")
    (where.work / "out/p.csv").write_text("")
    faults = list(limits._judge(ended(2, "trailprint: A.\n"), where))
    assert faults[:2] == ["temporary files are left", "unfinished files are left"]
    assert "an output was written" in faults[2]
    assert temporary_names(where.work) == [".unfinished-1"]
    assert left_in_scratch(where) == ["trailprint-1"]


@pytest.mark.parametrize(
    ("finished", "faults"),
    [
        (ended(130, "trailprint: Stopped.\n"), []),
        (ended(0), []),
        (ended(-2, "KeyboardInterrupt\n"), []),
        (ended(-2, 'File "/src/trailprint/cli/main.py"\nKeyboardInterrupt\n'), ["exit code -2"]),
        (ended(130, "Exception ignored in\n"), ["not silent"]),
        (ended(1), ["exit code 1"]),
        (None, ["never ended"]),
    ],
)
def test_a_wrong_answer_to_a_signal_is_noticed(where, finished, faults):
    program = Program(["--version"], where)
    program.wait()
    found = list(interrupts._judge("match", where, program, finished, signal.SIGINT))
    assert [fault[: len(wanted)] for fault, wanted in zip(found, faults, strict=True)] == faults


def test_a_limit_on_the_size_of_files_reaches_the_program():
    with place() as where:
        (where.work / "data.csv").write_text(
            "user,location,start\n" + "a,b,2024-01-01T10:00:00\n" * 500
        )
        series = Series("size")
        with limits._out_folder(where):
            how = limits._limiting(resource.RLIMIT_FSIZE, 1000)
            limits._try(series, where, limits._WRITING[0], preexec_fn=how)
        assert series.notes == {"exit 2": 1}
        assert series.n_failed == 0, table([series])
