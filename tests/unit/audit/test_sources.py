"""Datasets are described by name, size and hash."""

import hashlib

from trailprint.audit.sources import describe_source


def test_a_source_of_one_file_has_its_own_hash(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"user,location\na,b\n")
    found = describe_source(str(path))
    assert (found.name, found.files, found.bytes) == ("data.csv", 1, 18)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_folder_is_hashed_file_by_file_without_names(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for name in ("SECRETa.csv", "SECRETb.csv"):
        (folder / name).write_text(f"user,location\n{name},b\n")
    found = describe_source(f"{folder}/")
    assert (found.name, found.files) == ("many", 2)
    (folder / "SECRETb.csv").write_text("user,location\nc,b\n")
    assert describe_source(str(folder)).sha256 != found.sha256
