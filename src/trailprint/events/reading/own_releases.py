"""A release that was written by us says how it is read: beside another dataset too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from trailprint.events.options import ReadOptions

ABOUT = "release.json"
"""What lies beside the data of a release."""
_SCHEMAS = "trailprint.release/"


def is_release(source: str) -> bool:
    """Whether a file is the data of the release that is described beside it."""
    path = Path(source)
    try:
        told = json.loads((path.parent / ABOUT).read_text(encoding="utf-8"))
        return str(told["schema"]).startswith(_SCHEMAS) and told["data"]["name"] == path.name
    # The file may be anybody's.
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return False


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
