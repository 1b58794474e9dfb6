"""The folder of an audit or a comparison: checked before any work, then created."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from trailprint.errors import OptionError, OutputError, reason_of
from trailprint.events.reading.on_spark import is_at_address
from trailprint.system.addresses import check_writable, readable_path


def check_folder(folder: str | os.PathLike[str], *, sources: Sequence[str] = ()) -> None:
    """Raise, before any work is done, if `open_folder` would; leave no folder behind."""
    check_writable(folder)
    path = Path(folder) / "tables"
    missing = [place for place in (path, *path.parents) if not os.path.lexists(place)]
    try:
        open_folder(folder, sources=sources)
    finally:
        for place in missing:
            with contextlib.suppress(OSError):
                place.rmdir()


def open_folder(folder: str | os.PathLike[str], *, sources: Sequence[str] = ()) -> Path:
    """
    Create the folder of an audit, or raise before any work is done.

    It must not be inside one of ``sources``: the next audit would read what this one writes.
    """
    check_writable(folder)
    path = Path(folder)
    here = [readable_path(source) for source in sources if not is_at_address(source)]
    for source in filter(os.path.isdir, here):
        if path.resolve().is_relative_to(Path(source).resolve()):
            raise OptionError(
                f"--out must be outside the folder the data is read from, got {str(folder)!r}. "
                "Name another folder.",
                option="out",
            )
    try:
        (path / "tables").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder {str(folder)!r} must be one that can be written to: {reason_of(error)}."
        ) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise OutputError(f"The folder {str(folder)!r} must be one that can be written to.")
    return path
