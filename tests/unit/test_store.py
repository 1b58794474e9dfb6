from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from trailprint.errors import OptionError, OutputError
from trailprint.store import FolderStore, MemoryStore
from trailprint.system.scratch import UNFINISHED
from trailprint.system.sealing import MAGIC, _passing_key, key_path


@pytest.fixture(params=["memory", "folder"])
def store(request, tmp_path):
    return MemoryStore() if request.param == "memory" else FolderStore(tmp_path / "work", {"a": 1})


def test_gives_back_what_was_kept(store):
    store.put("models/3", b"three")
    store.put("models/3", b"drei")
    assert store.get("models/3") == b"drei"
    assert store.get("models/4") is None


def test_a_folder_outlives_the_process_that_made_it(tmp_path):
    FolderStore(tmp_path / "work", {"data": "x", "n": (1, 2)}).put("part", b"done")
    again = FolderStore(tmp_path / "work", {"n": [1, 2], "data": "x"})
    assert again.get("part") == b"done"


def test_changed_options_are_named_and_their_values_are_not(tmp_path):
    FolderStore(tmp_path / "work", {"data": "secret", "days": 2, "seed": 0})
    with pytest.raises(OptionError, match=r"\(data, days differ\)") as failure:
        FolderStore(tmp_path / "work", {"data": "other", "days": 3, "seed": 0})
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize("content", ["[1", "[]", "null", '{"about": {}}', "[" * 100_000])
def test_a_manifest_of_something_else_is_left_alone(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(OptionError, match="holds other files"):
        FolderStore(tmp_path, {"seed": 0})
    assert (tmp_path / "manifest.json").read_text() == content


@pytest.mark.parametrize("content", [b"", b"\0" * 80, b"nonsense", b"[" * 100_000, None])
def test_a_damaged_manifest_is_written_again(tmp_path, content):
    work = tmp_path / "work"
    FolderStore(work, {"seed": 0}).put("models/1", b"habits")
    (work / "manifest.json").unlink()
    if content is None:
        (work / "manifest.json").mkdir()
    else:
        (work / "manifest.json").write_bytes(content)
    assert FolderStore(work, {"seed": 0}).get("models/1") == b"habits"
    with pytest.raises(OptionError, match="seed differ"):
        FolderStore(work, {"seed": 1})


@pytest.mark.parametrize("has_work", [False, True])
def test_the_folder_of_an_audit_is_not_taken_over(tmp_path, has_work):
    manifest = '{"schema": "trailprint.manifest/1", "versions": {"trailprint": "0.1.0"}}'
    if has_work:
        FolderStore(tmp_path / "work", {}).put("part", b"done")
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(OptionError, match="holds other files"):
        FolderStore(tmp_path, {})
    assert (tmp_path / "manifest.json").read_text() == manifest


@pytest.mark.parametrize(
    "name", ["../outside", "/absolute", "a/../../b", "", ".", "a\0b", "a\ud800"]
)
def test_a_name_is_a_path_inside_the_folder(store, name):
    with pytest.raises(OptionError, match=r"name must be a relative path.*got another instead"):
        store.put(name, b"x")
    with pytest.raises(OptionError, match="name must be a relative path"):
        store.get(name)


@pytest.mark.parametrize("name", ["manifest.json", "./manifest.json", "manifest.json/1"])
def test_the_manifest_is_not_a_piece(store, name):
    with pytest.raises(OptionError, match="not that of the manifest"):
        store.put(name, b"x")


def test_names_are_text_and_pieces_are_bytes(store):
    with pytest.raises(OptionError, match="content must be bytes, got str instead"):
        store.put("a", "text")
    with pytest.raises(OptionError, match="name must be text, got NoneType instead"):
        store.get(None)


def test_a_folder_of_another_user_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("dear")
    with pytest.raises(OptionError, match="holds other files"):
        FolderStore(tmp_path, {})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_only_its_owner_can_read_it(tmp_path):
    FolderStore(tmp_path / "work", {}).put("models/1", b"habits")
    for path in [tmp_path / "work", *(tmp_path / "work").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_a_file_in_the_way_is_said_in_one_sentence(tmp_path):
    (tmp_path / "work").write_text("")
    with pytest.raises(OutputError, match="cannot be used: File exists"):
        FolderStore(tmp_path / "work", {})


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    store = FolderStore(tmp_path / "work", {})

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as failing:
        failing.setattr("os.replace", fail)
        with pytest.raises(OutputError, match="cannot be used: the disk is full"):
            store.put("part", b"x")
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["manifest.json"]


def test_what_is_in_the_way_is_set_aside_not_removed(tmp_path):
    store = FolderStore(tmp_path / "work", {})
    (tmp_path / "work" / "part" / "inside").mkdir(parents=True)
    (tmp_path / "work" / "models").write_text("not a folder")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work" / "parts").symlink_to(tmp_path / "elsewhere")
    for name in ("part", "models/1", "parts/1"):
        assert store.get(name) is None
        store.put(name, b"done")
        assert store.get(name) == b"done"
    assert len(list((tmp_path / "work").rglob("inside"))) == 1
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_run_killed_while_it_claimed_a_folder_can_resume(tmp_path):
    (tmp_path / f"{UNFINISHED}1-{'0' * 12}").write_bytes(b"what a killed run leaves")
    FolderStore(tmp_path, {"seed": 0}).put("models/1", b"habits")
    assert FolderStore(tmp_path, {"seed": 0}).get("models/1") == b"habits"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "models"]


@pytest.mark.parametrize("seed", [0, 1])
def test_two_who_claim_a_folder_at_once_agree_or_one_is_refused(tmp_path, monkeypatch, seed):
    looked = FolderStore._is_unused

    def look(store):
        monkeypatch.setattr(FolderStore, "_is_unused", looked)
        FolderStore(tmp_path, {"seed": 0}).put("models/1", b"habits")
        return looked(store)

    monkeypatch.setattr(FolderStore, "_is_unused", look)
    if seed:
        with pytest.raises(OptionError, match="seed differ"):
            FolderStore(tmp_path, {"seed": seed})
    else:
        assert FolderStore(tmp_path, {"seed": seed}).get("models/1") == b"habits"


@pytest.fixture
def kept(tmp_path):
    """A folder with one piece of work, and the piece's file."""
    FolderStore(tmp_path / "work", {"seed": 0}).put("models/1", b"habits" * 10)
    return tmp_path / "work", tmp_path / "work" / "models" / "1"


def find(folder, name="models/1", **about):
    return FolderStore(folder, {"seed": 0, **about}).get(name)


def test_every_flipped_bit_is_noticed(kept):
    folder, path = kept
    whole = path.read_bytes()
    assert find(folder) == b"habits" * 10
    store = FolderStore(folder, {"seed": 0})
    for number in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[number // 8] ^= 1 << number % 8
        path.write_bytes(damaged)
        assert store.get("models/1") is None


@pytest.mark.parametrize(
    "content", [b"", b"x", MAGIC, MAGIC + b"0" * 31, MAGIC + b"0" * 32, MAGIC + b"0" * 99]
)
def test_what_was_not_sealed_is_not_there(kept, content):
    kept[1].write_bytes(content)
    assert find(kept[0]) is None


def test_a_seal_fits_one_name_and_one_kind_of_work(kept):
    folder, path = kept
    (folder / "models" / "2").write_bytes(path.read_bytes())
    assert find(folder, "models/2") is None
    FolderStore(folder.parent / "other", {"seed": 1}).put("models/1", b"theirs")
    path.write_bytes((folder.parent / "other" / "models" / "1").read_bytes())
    assert find(folder) is None


def test_work_of_another_key_is_not_used(kept, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "else"))
    assert find(kept[0]) is None
    monkeypatch.undo()
    assert find(kept[0]) == b"habits" * 10


@pytest.mark.parametrize(
    "make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/etc/passwd")]
)
def test_what_is_no_plain_file_is_not_read(kept, make):
    kept[1].unlink()
    make(kept[1])
    assert find(kept[0]) is None


def test_the_key_is_for_its_owner_only(kept):
    path = key_path()
    assert len(path.read_bytes()) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_bytes() not in b"".join(
        file.read_bytes() for file in kept[0].rglob("*") if file.is_file()
    )


@pytest.mark.parametrize("damage", ["mode", "size", "link", "folder"])
def test_a_key_others_may_know_is_not_used(kept, tmp_path, monkeypatch, damage):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "state" / "trailprint").mkdir(parents=True)
    path = key_path()
    if damage == "folder":
        path.mkdir()
    elif damage == "link":
        (tmp_path / "theirs").write_bytes(b"k" * 32)
        (tmp_path / "theirs").chmod(0o600)
        path.symlink_to(tmp_path / "theirs")
    else:
        path.write_bytes(b"k" * (32 if damage == "mode" else 5))
        path.chmod(0o644 if damage == "mode" else 0o600)
    FolderStore(tmp_path / "new", {}).put("part", b"x")
    assert FolderStore(tmp_path / "new", {}).get("part") == b"x"
    if damage != "folder":
        assert path.read_bytes() != b"k" * 32
        assert not path.is_symlink()


def test_without_a_place_for_a_key_work_is_kept_for_this_run(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    FolderStore(tmp_path / "work", {}).put("part", b"x")
    assert FolderStore(tmp_path / "work", {}).get("part") == b"x"
    _passing_key.cache_clear()
    assert FolderStore(tmp_path / "work", {}).get("part") is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_others_can_write_to_is_refused(kept, mode):
    kept[0].chmod(mode)
    with pytest.raises(OptionError, match=r"must be writable by you only.*chmod go-w"):
        find(kept[0])
    kept[0].chmod(0o755)
    assert find(kept[0]) == b"habits" * 10


def test_an_empty_folder_becomes_private(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work").chmod(0o775)
    FolderStore(tmp_path / "work", {})
    assert stat.S_IMODE((tmp_path / "work").stat().st_mode) == 0o700


def test_a_folder_of_another_user_is_refused(kept, monkeypatch):
    uid = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: uid + 1)
    with pytest.raises(OptionError, match="must belong to you"):
        find(kept[0])


def test_a_link_to_a_folder_of_ones_own_is_used(kept, tmp_path):
    (tmp_path / "link").symlink_to(kept[0])
    assert find(tmp_path / "link") == b"habits" * 10
    kept[0].chmod(0o777)
    with pytest.raises(OptionError, match="must be writable by you only"):
        find(tmp_path / "link")
