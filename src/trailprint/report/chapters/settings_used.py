"""Settings, versions and run time: what is needed to repeat the audit."""

from __future__ import annotations

from typing import Any

from trailprint.audit.results.findings import Findings, TimeSpent
from trailprint.report.about import About
from trailprint.report.blocks import Block, Facts, Heading, Prose, Section, Table
from trailprint.report.wording import seconds, value

_NOT_GIVEN = {"protections": "default", "split": "default", "users": "all"}
"""What the absence of a setting stands for."""

_UNITS = {"s": "seconds", "m": "metres"}


def write_settings_used(found: Findings, about: About) -> Section:
    """Write what was audited and how: settings, versions and run time."""
    settings = {"seed": found.seed, **found.settings}
    settings.pop("title", None)
    if found.data.sides == "two":
        settings.pop("split", None)
    blocks: list[Block] = [
        Prose("The same data, settings and versions give the same figures, whatever the threads."),
        Heading("This report"),
        Facts(_name(found, about)),
        Heading("Settings"),
        Facts([(_spell(name), _describe(name, own)) for name, own in settings.items()]),
        Heading("Versions"),
        Facts([(name, value(version)) for name, version in found.versions.items()]),
    ]
    if found.seconds is not None:
        blocks += [Heading("Time"), _tabulate(found.seconds)]
    return Section("Settings and versions to run it again", blocks, "again")


def _spell(name: str) -> str:
    """Return a setting's name in words, its unit spelt out: ``time limit in seconds``."""
    *words, last = name.split("_")
    return " ".join([*words, f"in {_UNITS[last]}" if words and last in _UNITS else last])


def _describe(name: str, setting: Any) -> str:
    if name in _NOT_GIVEN and not setting:
        return _NOT_GIVEN[name]
    # A seed is a name, not an amount: without separators it can be copied.
    return value(str(setting) if name == "seed" and setting is not None else setting)


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
