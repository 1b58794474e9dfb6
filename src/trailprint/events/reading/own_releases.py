"""A release that was written by us says how it is read: beside another dataset too."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from trailprint.events.options import ReadOptions

ABOUT = "release.json"
"""What lies beside the data of a release."""
_SCHEMAS = "trailprint.release/"


def find_released(source: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The data of a release whose folder is named; whatever else is named, that."""
    folder = Path(source)
    name = _name_data(folder)
    return source if name is None or not (folder / name).is_file() else folder / name


def is_release(source: str) -> bool:
    """Whether a file is the data of the release that is described beside it, or its folder."""
    path = Path(find_released(source))
    return _name_data(path.parent) == path.name


def _name_data(folder: Path) -> str | None:
    """What the data of the release in a folder is called; None where there is none."""
    try:
        told = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        name = str(told["data"]["name"])
        is_ours = str(told["schema"]).startswith(_SCHEMAS) and Path(name).name == name
    # The file may be anybody's.
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return name if is_ours else None


def read_as_written(source: str, options: ReadOptions) -> ReadOptions:
    """
    How to read one of two datasets.

    What is said of columns and forms is about the other one where this is a release: its own
    columns have our names.
    """
    if not is_release(source):
        return options
    return replace(
        options,
        layout=None,
        column_names={},
        header=(),
        delimiter=None,
        encoding=None,
        time_format=None,
        window=None,
        present_throughout=False,
    )
