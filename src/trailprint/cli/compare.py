"""``trailprint compare``: audits side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trailprint.cli.groups import Panel, takes_options
from trailprint.cli.memory import require_address_space
from trailprint.cli.present import print_json, print_rows, print_table
from trailprint.cli.progress import showing
from trailprint.cli.running import Running

if TYPE_CHECKING:
    from trailprint.comparison.results import (
        AuditComparison,
        ComparedSinglingOut,
        FamilyDifference,
        Versus,
    )

EXAMPLE = "trailprint compare before after --out compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """
    Where a comparison is written, and how people are paired.

    Attributes
    ----------
    out : str
        Output folder.
    keys : str, optional
        Key file of a release, to pair people by.
    """

    out: str
    keys: str | None = None


@takes_options
def run(
    audits: Annotated[
        list[str],
        typer.Argument(
            metavar="AUDIT…",
            help="Folders of audits, or their result.json; each is compared with the first.",
            show_default=False,
        ),
    ],
    comparing: Annotated[CompareOptions, Panel("Comparison")],
    running: Running,
) -> None:
    """Compare audits: risk with paired tests, loss, what changed, growth."""
    from trailprint.audit.output_folder import check_folder
    from trailprint.comparison import compare

    require_address_space()
    check_folder(comparing.out)
    with showing(what="Comparing"):
        result = compare(*audits, keys=comparing.keys)
        paths = result.save(comparing.out)
    if running.json:
        print_json(result.to_dict())
    else:
        _print(result.comparison, paths[0])


def _print(found: AuditComparison, page: Path) -> None:
    for versus in found.versus:
        if versus.why_not is None:
            _print_risk(found.audits[0].label, versus)
    if found.points is not None:
        _print_points(found.points)
    notes = [
        text
        for versus in found.versus
        for text in (versus.why_not, *versus.cautions, versus.why_unpaired)
        if text is not None
    ]
    notes += [] if found.points is None else found.points.cautions
    notes.append(f"{len(found.changes):,} facts and settings differ; the page lists them.")
    print_table(found.sentence, [], [*notes, f"The comparison: {page}"])


def _print_risk(reference: str, versus: Versus) -> None:
    rows = [_line(row) for row in versus.families]
    print_rows(f"{versus.audit}, compared with {reference}", rows, most=len(rows))


def _print_points(found: ComparedSinglingOut) -> None:
    """Print a row for each number of points and a column for each audit."""
    from trailprint.comparison.wording import list_singled_out

    labels = [audit.audit for audit in found.audits]
    rows: list[dict[str, object]] = [
        {"known": name, **dict(zip(labels, shares, strict=True))}
        for name, shares in list_singled_out(found)
    ]
    print_rows("Singled out by a few known points: nothing is linked", rows, most=len(rows))


def _line(row: FamilyDifference) -> dict[str, object]:
    from trailprint.comparison.wording import (
        describe_interval,
        describe_points,
        describe_rate,
        describe_test,
    )

    return {
        "attack": row.title,
        "first": describe_rate(row.first),
        "this one": describe_rate(row.second),
        "difference": describe_points(row.difference),
        "95 % interval": describe_interval(row.interval),
        "test": describe_test(row.pairs),
    }
