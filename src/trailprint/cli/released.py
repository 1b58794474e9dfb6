"""Messages after a release was written: where it is, and how to audit it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trailprint.cli.inputs import SideInputs
from trailprint.cli.present import print_command, print_table
from trailprint.cli.settings import spell_flag

_FOLDER = "audit-of-release"
"""Proposed output folder for an audit of a release."""


def spell_typed(sides: SideInputs) -> list[str]:
    """The typed flags for reading and shaping the data, as words of a command."""
    typed = {**sides.reading.typed(), **sides.shaping.typed()}
    flags = {name.replace("_", "-"): value for name, value in typed.items()}
    return [word for flag, value in flags.items() for word in spell_flag(flag, value)]


def print_release(
    told: Mapping[str, Any], release: str, keys: str | None, data: str, sides: SideInputs
) -> None:
    """Print which files were written, and the command that audits them."""
    name = str(told["data"]["name"])
    folder = Path(release).parent if Path(release).name == name else Path(release)
    notes = [f"The release: {folder / name}, with release.json beside it."]
    if keys is not None:
        notes.append(f"Which id is whose: {keys}, readable by you only.")
    of_averages = told["released"] == "histograms"
    if of_averages and keys is None:
        notes.append(
            "Shares can be audited only against the data they are from: write them again with "
            "--keys FILE for that."
        )
    print_table("", [], notes)
    if not of_averages or keys is not None:
        against = [data, *spell_typed(sides), "--truth", str(keys)] if of_averages else []
        words = ["trailprint", "audit", str(folder / name), *against, "--out", _FOLDER]
        print_command("To audit it:", shlex.join(words))
