"""A folder for outputs is checked before any work is done."""

import pytest

from trailprint.audit.output_folder import check_folder, open_folder
from trailprint.errors import OptionError, OutputError


def test_a_folder_below_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="must be one that can be written to: Not a directory"):
        open_folder(tmp_path / "file" / "out")


def test_a_check_leaves_no_folder_behind(tmp_path):
    (tmp_path / "old" / "tables").mkdir(parents=True)
    check_folder(tmp_path / "new" / "out")
    check_folder(tmp_path / "old")
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="must be one that can be written to"):
        check_folder(tmp_path / "file" / "out")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "old", "tables"]


def test_an_audit_does_not_write_into_the_folder_it_reads(tmp_path):
    for folder in (tmp_path, tmp_path / "out"):
        with pytest.raises(OptionError, match="must be outside the folder the data is read from"):
            open_folder(folder, sources=[str(tmp_path)])
    assert not (tmp_path / "out").exists()
    other = tmp_path / "data"
    other.mkdir()
    assert open_folder(tmp_path / "out", sources=[str(other), "file.csv"]).is_dir()
