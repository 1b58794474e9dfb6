"""Temporary folders and files: gone at the end, and swept when their process was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any, cast

import pytest
from tests.presence import present

from trailprint import Engine
from trailprint.errors import OutputError
from trailprint.system import scratch
from trailprint.system.scratch import (
    FOLDER,
    UNFINISHED,
    Scratch,
    replacing_file,
    sweep_scratch,
    sweep_unfinished,
    unfinished_file,
)

ENDING = "1-0123456789ab"
"""How names of temporary files end."""

_HOLD = """
import sys, time
from trailprint.system.scratch import Scratch, unfinished_file
folder = Scratch()
with open(folder.name + "/spilled", "w") as file:
    file.write("habits")
with unfinished_file(sys.argv[1]) as name:
    print(folder.name, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The folder of temporary files, for this test only."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_is_private_and_goes_when_it_is_closed(here):
    folder = Scratch()
    assert os.stat(folder.name).st_mode & 0o077 == 0
    (here / folder.name / "spilled").write_text("habits")
    folder.close()
    assert names(here) == []


def test_no_place_for_temporary_files_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(OutputError, match=r"folder of temporary files .*TMPDIR"):
        Engine()


def test_a_folder_goes_when_nobody_knows_it_any_more(here):
    Scratch()
    assert names(here) == []


def test_what_a_killed_process_left_is_swept_and_nothing_before(here):
    command = [sys.executable, "-P", "-c", _HOLD, str(here)]
    environment = {**os.environ, "TMPDIR": str(here)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        folder = present(process.stdout).readline().decode().strip()
        before = names(here)
        sweep_scratch()
        sweep_unfinished(here)
        assert names(here) == before
        assert len(before) == 2
        process.send_signal(signal.SIGKILL)
    assert os.path.exists(f"{folder}/spilled")
    sweep_scratch()
    sweep_unfinished(here)
    assert names(here) == []


def test_files_of_other_names_are_never_swept(here):
    (here / f"{FOLDER}thesis").mkdir()
    (here / f"{FOLDER}thesis" / ".lock").write_text("")
    (here / f"{UNFINISHED}symphony").write_text("")
    before = names(here)
    sweep_scratch()
    sweep_unfinished(here)
    assert names(here) == before


def test_our_own_folders_are_not_swept(here):
    first, second = Scratch(), Scratch()
    sweep_scratch()
    assert len(names(here)) == 2
    first.close()
    second.close()


def test_links_and_files_are_never_followed(here, tmp_path_factory):
    precious = tmp_path_factory.mktemp("precious")
    (precious / ".lock").write_text("")
    (precious / "thesis").write_text("dear")
    (here / f"{FOLDER}{ENDING}").symlink_to(precious)
    (here / f"{FOLDER}2{ENDING}").write_text("")
    (here / f"{UNFINISHED}{ENDING}").symlink_to(precious / "thesis")
    os.mkfifo(here / f"{UNFINISHED}2{ENDING}")
    before = names(here)
    sweep_scratch()
    sweep_unfinished(here)
    assert names(here) == before
    assert names(precious) == [".lock", "thesis"]


def test_a_folder_inside_that_is_a_link_is_not_followed(here, tmp_path_factory):
    precious = tmp_path_factory.mktemp("precious")
    (precious / "thesis").write_text("dear")
    abandoned = here / f"{FOLDER}{ENDING}"
    abandoned.mkdir()
    (abandoned / ".lock").write_text("")
    (abandoned / "link").symlink_to(precious)
    sweep_scratch()
    assert names(here) == []
    assert names(precious) == ["thesis"]


def test_folders_of_others_are_left_alone(here, monkeypatch):
    (here / f"{FOLDER}{ENDING}").mkdir()
    (here / f"{FOLDER}{ENDING}" / ".lock").write_text("")
    (here / f"{UNFINISHED}{ENDING}").write_text("")
    uid = os.getuid()
    with monkeypatch.context() as other:
        other.setattr("os.getuid", lambda: uid + 1)
        sweep_scratch()
        sweep_unfinished(here)
    assert len(names(here)) == 2


def test_a_folder_without_a_lock_is_swept_once_it_is_old(here):
    young, old = here / f"{FOLDER}1{ENDING}", here / f"{FOLDER}2{ENDING}"
    young.mkdir()
    old.mkdir()
    then = time.time() - 2 * scratch._BEING_MADE_S
    os.utime(old, (then, then))
    sweep_scratch()
    assert names(here) == [f"{FOLDER}1{ENDING}"]


def test_a_file_takes_its_place_when_it_is_whole(tmp_path):
    (tmp_path / "result").write_text("before")
    with pytest.raises(TypeError), replacing_file(tmp_path / "result") as file:
        file.write(cast(Any, "no bytes"))
    assert (tmp_path / "result").read_text() == "before"
    with replacing_file(tmp_path / "result") as file:
        file.write(b"after")
    assert (tmp_path / "result").read_text() == "after"
    assert names(tmp_path) == ["result"]


def test_files_in_the_making_are_not_swept(tmp_path):
    with unfinished_file(tmp_path) as name:
        sweep_unfinished(tmp_path)
        assert os.path.exists(name)
    assert names(tmp_path) == []


def test_sweeping_before_the_lock_is_there_does_no_harm(here, monkeypatch):
    taken = scratch._take

    def take_late(handle):
        monkeypatch.setattr(scratch, "_take", taken)
        sweep_scratch()
        sweep_unfinished(here)
        return taken(handle)

    monkeypatch.setattr(scratch, "_take", take_late)
    folder = Scratch()
    assert os.path.isdir(folder.name)
    monkeypatch.setattr(scratch, "_take", take_late)
    with unfinished_file(here) as name:
        assert os.path.exists(name)
    folder.close()
    assert names(here) == []
