"""What is needed to run the audit again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trailprint.report.blocks import Block, Facts, Heading, Prose, Section, Table
from trailprint.report.wording import seconds, value


def write_again(result: Mapping[str, Any]) -> Section:
    """Settings, versions and the time it took."""
    settings = {"seed": result["seed"], **result["settings"]}
    blocks: list[Block] = [
        Prose("The same data, settings and versions give the same figures, whatever the threads."),
        Heading("Settings"),
        Facts([(name.replace("_", " "), value(setting)) for name, setting in settings.items()]),
        Heading("Versions"),
        Facts([(name, value(version)) for name, version in result["versions"].items()]),
    ]
    spent = result.get("seconds")
    if spent:
        blocks += [Heading("Time"), _tabulate(spent)]
    return Section("Settings and versions to run it again", blocks, "again")


def _tabulate(spent: Mapping[str, Any]) -> Table:
    rows = [(part, seconds(took)) for part, took in spent["parts"].items()]
    return Table(
        columns=("Part", "Time"),
        rows=[*rows, ("all together", seconds(spent["total"]))],
        caption="Time taken by each part",
    )
