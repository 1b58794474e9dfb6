from __future__ import annotations

import stat

import pytest

from trailprint.errors import OptionError, OutputError
from trailprint.store import FolderStore, MemoryStore


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


@pytest.mark.parametrize("content", ["[1", "[]", "null"])
def test_a_spoilt_manifest_is_another_manifest(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(OptionError, match="seed differ"):
        FolderStore(tmp_path, {"seed": 0})


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
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


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    store = FolderStore(tmp_path / "work", {})
    (tmp_path / "work" / "part" / "inside").mkdir(parents=True)
    with pytest.raises(OutputError):
        store.put("part", b"x")
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["manifest.json", "part"]


def test_a_run_stopped_while_it_claimed_a_folder_can_go_on(tmp_path, monkeypatch):
    with monkeypatch.context() as stopping:
        stopping.setattr("os.replace", lambda *paths: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            FolderStore(tmp_path, {"seed": 0})
    assert list(tmp_path.iterdir()) == []
    (tmp_path / ".unfinished-1").write_text("what a killed run leaves")
    FolderStore(tmp_path, {"seed": 0}).put("models/1", b"habits")
    assert FolderStore(tmp_path, {"seed": 0}).get("models/1") == b"habits"


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
