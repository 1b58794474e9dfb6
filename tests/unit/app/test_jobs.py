"""A command in a process of its own: watched, stopped, interrupted, found again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.presence import present

from trailprint.app.failures import Failure
from trailprint.app.jobs import Job
from trailprint.app.pages.audit import describe_time_left, list_parts
from trailprint.cli.progress_file import VARIABLE, ProgressFile, find_progress_file

SLEEPER = """
import json, os, sys, time
open(os.environ["TRAILPRINT_PROGRESS"], "w").write(json.dumps({"what": "Working", "done": 0.5}))
time.sleep(60)
"""


def wait_for(job: Job, *states: str) -> str:
    end = time.monotonic() + 30
    while job.state() not in states:
        assert time.monotonic() < end, job.state()
        time.sleep(0.05)
    return job.state()


@pytest.fixture
def sleeping(tmp_path, monkeypatch):
    """A job whose command does nothing for a minute."""
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    real = subprocess.Popen

    def popen(program, **given):
        return real([program[0], str(tmp_path / "sleeper.py")], **given)

    monkeypatch.setattr(subprocess, "Popen", popen)
    job = Job(tmp_path / "job")
    assert job.start(["audit", "x.csv"], within=tmp_path)
    end = time.monotonic() + 30
    while job.progress().what != "Working":
        assert time.monotonic() < end
        time.sleep(0.02)
    yield job
    if job.is_running:
        os.kill(json.loads((tmp_path / "job" / "job.json").read_text())["pid"], signal.SIGKILL)


def test_a_job_that_never_was(tmp_path):
    job = Job(tmp_path / "none")
    assert (job.state(), job.result(), job.words) == ("none", None, [])


def test_a_command_is_run_and_what_it_printed_is_read(tmp_path):
    job = Job(tmp_path / "job")
    job.start(["layouts"], within=tmp_path)
    assert wait_for(job, "finished") == "finished"
    assert "geolife" in (job.result() or {})
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "job").iterdir()} == {0}


def test_what_is_wrong_is_said_as_on_the_command_line(tmp_path, run):
    job = Job(tmp_path / "job")
    job.start(["inspect", "nothing.csv"], within=tmp_path)
    assert wait_for(job, "failed", "finished") == "failed"
    assert f"trailprint: {job.message()}\n" == run("inspect", "nothing.csv").err


def test_what_an_error_says_to_programs_comes_with_its_message(tmp_path):
    (tmp_path / "visits.csv").write_text("user,location,start\na,x,13.5.2024\nb,y,14.5.2024\n")
    job = Job(tmp_path / "job")
    job.start(["inspect", "visits.csv"], within=tmp_path)
    assert wait_for(job, "failed", "finished") == "failed"
    failure = present(job.failure())
    assert (failure.option, failure.suggestions) == ("time-format", ("%d.%m.%Y",))
    assert failure.message == job.message()
    assert job.start(["layouts"], within=tmp_path)
    assert wait_for(job, "failed", "finished") == "finished"
    assert job.failure() is None


@pytest.mark.parametrize(
    "content", ["", "[]", "null", '{"message": 3}', '{"message": null, "code": 2}', '"text"']
)
def test_a_failure_that_is_damaged_is_none(tmp_path, content):
    (tmp_path / "job.json").write_text("{}")
    (tmp_path / "failure.json").write_text(content)
    assert Job(tmp_path).failure() is None
    assert Job(tmp_path).state() == "interrupted"


def test_fields_of_a_failure_are_taken_only_if_they_are_text(tmp_path):
    found = {"message": "So.", "code": 2, "option": ["x"], "suggestions": ["a", 3, None]}
    (tmp_path / "failure.json").write_text(json.dumps(found))
    assert Job(tmp_path).failure() == Failure(message="So.", suggestions=("a",))


@pytest.mark.parametrize(
    ("code", "state"), [(2, "failed"), (1, "failed"), (130, "stopped"), (143, "stopped")]
)
def test_a_command_was_stopped_if_its_exit_code_says_so(tmp_path, code, state):
    (tmp_path / "job.json").write_text("{}")
    (tmp_path / "failure.json").write_text(json.dumps({"message": "So.", "code": code}))
    assert Job(tmp_path).state() == state


def test_one_job_runs_once_however_often_it_is_started(sleeping, tmp_path):
    assert not sleeping.start(["audit", "x.csv"], within=tmp_path)
    assert not Job(sleeping.folder).start(["audit", "x.csv"], within=tmp_path)


def test_a_later_look_shows_the_same(sleeping):
    again = Job(sleeping.folder)
    assert again.state() == "running"
    assert again.progress().done == 0.5
    assert present_left(again) > 0


def present_left(job: Job) -> float:
    left = job.progress().seconds_left
    assert left is not None
    return left


def test_a_process_that_is_killed_was_interrupted_and_can_be_started_again(sleeping, tmp_path):
    pid = json.loads((sleeping.folder / "job.json").read_text())["pid"]
    os.kill(pid, signal.SIGKILL)
    assert wait_for(sleeping, "interrupted") == "interrupted"
    assert sleeping.words == ["audit", "x.csv"]
    assert sleeping.start(sleeping.words, within=tmp_path)


def test_a_real_command_is_stopped_when_asked(tmp_path):
    job = Job(tmp_path / "job")
    job.start(["simulate", "campus", "--users", "20000", "--out", "x.csv"], within=tmp_path)
    # Until signals are answered, one ends the program without a word.
    time.sleep(0.5)
    job.cancel()
    assert wait_for(job, "stopped", "interrupted", "finished") in ("stopped", "interrupted")
    assert not (tmp_path / "x.csv").exists()


def test_a_command_that_was_asked_to_stop_says_so(tmp_path):
    (tmp_path / "visits.csv").write_text("user,location\na,x\n")
    os.mkfifo(tmp_path / "pipe")
    job = Job(tmp_path / "job")
    job.start(["audit", "visits.csv", "--settings", "pipe", "--out", "a"], within=tmp_path)
    pipe = open_read_pipe(tmp_path / "pipe")
    job.cancel()
    assert wait_for(job, "stopped", "interrupted", "failed", "finished") == "stopped"
    assert job.message() == "Stopped."
    os.close(pipe)


def open_read_pipe(path: Path) -> int:
    """Open a pipe for writing once another process reads it, which then waits for us."""
    end = time.monotonic() + 30
    while True:
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)


PLAN = {
    "parts": [
        {"title": "One", "kept": True, "fits": True},
        {"title": "Two", "kept": False, "fits": True},
        {"title": "Three", "kept": False, "fits": True},
        {"title": "Four", "kept": False, "fits": False},
    ]
}


@pytest.mark.parametrize(
    ("what", "states"),
    [
        ("Counting events", ["done", "to do", "to do", "no time"]),
        ("Two", ["done", "now", "to do", "no time"]),
        ("Three", ["done", "done", "now", "no time"]),
        ("Writing the report", ["done", "done", "done", "no time"]),
    ],
)
def test_parts_are_done_being_done_or_left(tmp_path, what, states):
    job = Job(tmp_path)
    (tmp_path / "progress.json").write_text(json.dumps({"what": what, "done": 0.1, "plan": PLAN}))
    assert [part["state"] for part in list_parts(job.progress())] == states
    assert describe_time_left(job.progress()) == ""


def test_progress_is_written_to_a_file_that_is_whole(tmp_path, monkeypatch):
    assert find_progress_file() is None
    monkeypatch.setenv(VARIABLE, str(tmp_path / "progress.json"))
    file = find_progress_file()
    assert isinstance(file, ProgressFile)
    file.report("Reading", 0.25)
    file.report_plan({"parts": []})
    reported = json.loads((tmp_path / "progress.json").read_text())
    assert (reported["what"], reported["done"], reported["plan"]) == (
        "Reading",
        0.25,
        {"parts": []},
    )
    assert os.listdir(tmp_path) == ["progress.json"]


def test_a_file_that_cannot_be_written_stops_nobody(tmp_path):
    ProgressFile(tmp_path / "no" / "progress.json").report("Reading", None)
    assert os.listdir(tmp_path) == []
