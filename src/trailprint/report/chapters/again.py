"""What is needed to run the audit again."""

from __future__ import annotations

from trailprint.audit.results.findings import Findings, Seconds
from trailprint.report.blocks import Block, Facts, Heading, Prose, Section, Table
from trailprint.report.wording import seconds, value


def write_again(found: Findings) -> Section:
    """Settings, versions and the time it took."""
    settings = {"seed": found.seed, **found.settings}
    blocks: list[Block] = [
        Prose("The same data, settings and versions give the same figures, whatever the threads."),
        Heading("Settings"),
        Facts([(name.replace("_", " "), value(setting)) for name, setting in settings.items()]),
        Heading("Versions"),
        Facts([(name, value(version)) for name, version in found.versions.items()]),
    ]
    if found.seconds is not None:
        blocks += [Heading("Time"), _tabulate(found.seconds)]
    return Section("Settings and versions to run it again", blocks, "again")


def _tabulate(spent: Seconds) -> Table:
    rows = [(part, seconds(took)) for part, took in spent.parts.items()]
    return Table(
        columns=("Part", "Time"),
        rows=[*rows, ("all together", seconds(spent.total))],
        caption="Time taken by each part",
    )
