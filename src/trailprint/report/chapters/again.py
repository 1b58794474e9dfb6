"""What is needed to repeat the audit."""

from __future__ import annotations

from trailprint.audit.results.findings import Findings, TimeSpent
from trailprint.report.about import About
from trailprint.report.blocks import Block, Facts, Heading, Prose, Section, Table
from trailprint.report.wording import seconds, value


def write_again(found: Findings, about: About) -> Section:
    """Write what was audited and how: settings, versions and run time."""
    settings = {"seed": found.seed, **found.settings}
    settings.pop("title", None)
    blocks: list[Block] = [
        Prose("The same data, settings and versions give the same figures, whatever the threads."),
        Heading("This report"),
        Facts(_name(found, about)),
        Heading("Settings"),
        Facts([(name.replace("_", " "), value(setting)) for name, setting in settings.items()]),
        Heading("Versions"),
        Facts([(name, value(version)) for name, version in found.versions.items()]),
    ]
    if found.seconds is not None:
        blocks += [Heading("Time"), _tabulate(found.seconds)]
    return Section("Settings and versions to run it again", blocks, "again")


def _name(found: Findings, about: About) -> list[tuple[str, str]]:
    """Facts that identify this report; unknown ones are left out."""
    data = found.data
    told = [
        ("Title", found.title),
        ("Written by", f"Trailprint {found.version}"),
        ("Written on", about.written or ""),
        ("Command", about.command or ""),
        *(("Read from", source.describe(whole=True)) for source in about.sources),
        ("Columns", ", ".join(data.columns or ())),
        ("Time zone", data.timezone or ""),
    ]
    return [(name, text) for name, text in told if text]


def _tabulate(spent: TimeSpent) -> Table:
    rows = [(part, seconds(took)) for part, took in spent.parts.items()]
    return Table(
        columns=("Part", "Time"),
        rows=[*rows, ("all together", seconds(spent.total))],
        caption="Time taken by each part",
    )
