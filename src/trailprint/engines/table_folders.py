"""Folders that are tables of a lakehouse: which of their files count, only a log of theirs says."""

from __future__ import annotations

import glob
import os

#: By what Spark calls a table: files that no other folder has.
TABLE_FILES = {"delta": "_delta_log/*.json", "iceberg": "metadata/*.metadata.json*"}


def find_table_kind(folder: str) -> str | None:
    """Delta or Iceberg, if a folder of this machine is such a table."""
    place = glob.escape(folder)
    found = (kind for kind, files in TABLE_FILES.items() if glob.glob(os.path.join(place, files)))
    kind = next(found, None)
    return None if kind is None else kind.capitalize()
