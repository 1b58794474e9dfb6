"""Folders that are lakehouse tables: only the table's log says which of its files are current."""

from __future__ import annotations

import glob
import os

#: From Spark's name of a kind of table to a pattern of files that only such tables have.
TABLE_FILES = {"delta": "_delta_log/*.json", "iceberg": "metadata/*.metadata.json*"}


def find_table_kind(folder: str) -> str | None:
    """Return Delta or Iceberg if a local folder is such a table, else None."""
    place = glob.escape(folder)
    found = (kind for kind, files in TABLE_FILES.items() if glob.glob(os.path.join(place, files)))
    kind = next(found, None)
    return None if kind is None else kind.capitalize()
