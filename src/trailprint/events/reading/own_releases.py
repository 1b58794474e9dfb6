"""Recognition of releases written by Trailprint, and options for reading them with other data."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from trailprint.events.options import ReadOptions

ABOUT = "release.json"
"""File beside the data of a release that describes it."""
_SCHEMAS = "trailprint.release/"
SCHEMA = f"{_SCHEMAS}1"
"""Schema of the description that is written; those of other versions are recognised too."""


def find_released(source: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the data file of a release's folder; any other source is returned unchanged."""
    folder = Path(source)
    name = _name_data(folder)
    return source if name is None or not (folder / name).is_file() else folder / name


def is_release(source: str) -> bool:
    """Return whether a path is the data file of one of our releases, or its folder."""
    path = Path(find_released(source))
    return _name_data(path.parent) == path.name


def _name_data(folder: Path) -> str | None:
    """Return the name of the data file of the release in a folder; None if there is none."""
    try:
        told = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        name = str(told["data"]["name"])
        is_ours = str(told["schema"]).startswith(_SCHEMAS) and Path(name).name == name
    # The file may come from another program.
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return name if is_ours else None


def read_as_written(source: str, options: ReadOptions) -> ReadOptions:
    """
    Return the options for reading one of two datasets.

    If it is a release, the options on columns and formats apply only to the other dataset: a
    release has our column names.
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
