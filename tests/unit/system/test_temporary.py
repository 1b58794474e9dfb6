"""Files and folders that must not outlive the program, and the process that hears of them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from trailprint import Engine
from trailprint.errors import OptionError
from trailprint.events.write import replacing
from trailprint.store import FolderStore
from trailprint.system import temporary


@pytest.fixture
def heard():
    """What was announced since the last call."""
    end, beginning = os.pipe()
    os.set_blocking(end, False)
    temporary.announce_to(beginning)

    def heard() -> list[str]:
        try:
            return os.read(end, 1 << 16).decode().split("\0")[:-1]
        except BlockingIOError:
            return []

    yield heard
    temporary.announce_to(None)
    os.close(end)
    os.close(beginning)


def test_a_file_is_announced_before_it_exists(heard, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no room")

    monkeypatch.setattr(os, "open", fail)
    with pytest.raises(OSError, match="no room"):
        temporary.new_file(tmp_path, ".new-")
    announced, released = heard()
    assert announced[0] == "+"
    assert released == "-" + announced[1:]
    assert os.path.dirname(announced[1:]) == str(tmp_path)


def test_a_file_is_private_and_new(tmp_path):
    handle, path = temporary.new_file(tmp_path, ".new-")
    os.close(handle)
    other, another = temporary.new_file(tmp_path, ".new-")
    os.close(other)
    assert path != another
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    temporary.remove_file(path)
    temporary.remove_file(path)
    assert [str(left) for left in tmp_path.iterdir()] == [another]


def test_outputs_and_stored_work_are_announced_and_released(heard, tmp_path):
    with replacing([tmp_path / "out.csv"]) as (unfinished,):
        assert heard() == [f"+{unfinished}"]
    assert heard() == [f"-{unfinished}"]
    FolderStore(tmp_path / "work", {}).put("part", b"content")
    reported = heard()
    assert len(reported) >= 4
    assert {line[0] for line in reported[::2]} == {"+"}
    assert [f"-{line[1:]}" for line in reported[::2]] == reported[1::2]


def test_a_scratch_folder_is_announced_and_released(heard):
    engine = Engine(threads=1)
    assert heard() == [f"+{engine.scratch}"]
    Path(engine.scratch, "spilled").write_text("x")
    path = engine.scratch
    del engine
    assert heard() == [f"-{path}"]
    assert not os.path.exists(path)


def test_an_engine_that_cannot_start_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(OptionError, match="memory"):
        Engine(memory="99999999999999999999TB")
    assert list(tmp_path.iterdir()) == []


def test_a_listener_that_has_gone_is_no_error(tmp_path):
    end, beginning = os.pipe()
    os.close(end)
    temporary.announce_to(beginning)
    try:
        temporary.new_name(tmp_path, "x")
        assert temporary.get_listener() == beginning
    finally:
        temporary.announce_to(None)
        os.close(beginning)
