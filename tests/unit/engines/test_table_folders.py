"""Folders that are tables are distinguished from folders of files."""

from __future__ import annotations

import pytest

import trailprint as tp
from trailprint.engines.table_folders import find_table_kind
from trailprint.errors import SourceError


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("_delta_log/00000000000000000000.json", "Delta"),
        ("metadata/v1.metadata.json", "Iceberg"),
        ("metadata/00000-5b1c.gz.metadata.json", "Iceberg"),
        ("metadata/README.json", None),
        ("_delta_log/visits.parquet", None),
    ],
)
def test_a_table_is_known_by_its_log(tmp_path, name, kind):
    folder = tmp_path / "visits[1]"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).touch()
    assert find_table_kind(str(folder)) == kind
    if kind is not None:
        with pytest.raises(SourceError, match=f"a table of {kind}, which keeps rows that were"):
            tp.read(folder)
