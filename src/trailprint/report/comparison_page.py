"""The page of a comparison, rendered from the comparison alone."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.wording import lower_first
from trailprint.comparison.results import (
    AuditComparison,
    Change,
    ComparedAudit,
    CurvePoint,
    FamilyDifference,
    GrowthCurves,
    Pairs,
    Versus,
)
from trailprint.comparison.wording import (
    describe_interval,
    describe_loss,
    describe_points,
    describe_rate,
    describe_test,
)
from trailprint.report.blocks import (
    Block,
    Bullets,
    Figure,
    Heading,
    Key,
    Note,
    Prose,
    Section,
    Table,
    Tile,
    Tiles,
)
from trailprint.report.charts import draw_bars, draw_lines
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import BarRow, LineRow
from trailprint.report.charts.style import SERIES
from trailprint.report.comparison_points import write_singling_out
from trailprint.report.page_layout import render_page
from trailprint.report.wording import count, interval, percent, share_or_most

_STUDIES = {
    "users": ("Risk by number of people", Axis("People in the data", kind="log")),
    "time": (
        "Risk by length of observation",
        Axis("Days of each person observed, on each side", is_from_zero=False),
    ),
    "resolution": ("Risk by resolution", Axis("Resolution")),
    "knowledge": (
        "Risk by what the adversary knows",
        Axis("Share of people the adversary knows", unit="percent", high=1.0),
    ),
}
_LINKED = Axis("People linked", unit="percent")
_PARTS = {"data": "Data", "settings": "Settings", "versions": "Versions"}
_HOW = (
    "Each audit is compared with the first. Where the same people are in both, the test is "
    "McNemar's exact one and the interval Tango's; elsewhere it is Newcombe's for different "
    "people. Tests of several attacks are not independent, and none is corrected for the number "
    "of them. Tables with a count of 1 to 9 people are not shown; the p-value is then the largest "
    "one the totals allow."
)


def render_comparison(found: AuditComparison) -> str:
    """Render a comparison as a self-contained HTML page: no script, nothing loaded."""
    sections = [
        *(_write_risk(found.audits[0], versus) for versus in found.versus),
        _write_loss(found.audits),
        *([_write_growth(found)] if found.growth else []),
        *([] if found.points is None else [write_singling_out(found.points)]),
        _write_changes(found),
    ]
    return render_page(
        f"{len(found.audits)} audits compared",
        sections,
        lead=_write_lead(found),
        eyebrow="Re-identification risk, compared",
        footer=f"Written by Trailprint {found.version}. This page loads and sends nothing.",
    )


def _write_lead(found: AuditComparison) -> list[Block]:
    tiles = [
        Tile(
            audit.label,
            describe_rate(audit.strongest),
            f"linked by {lower_first(audit.attack_title)}",
        )
        for audit in found.audits
    ]
    return [Prose(found.sentence), Tiles(tiles), _draw_strongest(found.audits)]


def _draw_strongest(audits: Sequence[ComparedAudit]) -> Figure:
    return Figure(
        title="The strongest attack of each audit",
        summary="; ".join(f"{audit.label}: {describe_rate(audit.strongest)}" for audit in audits)
        + ".",
        drawing=draw_bars([_bar(audit, s) for audit, s in _in_series(audits)], _LINKED),
        reading="Bars are the people linked, whiskers the 95 % interval, ticks what chance gives.",
        table=Table(
            columns=("Audit", "People", "Linked", "95 % interval", "By chance"),
            rows=[
                (
                    audit.label,
                    count(audit.strongest.people),
                    describe_rate(audit.strongest),
                    interval(audit.strongest.interval),
                    percent(audit.strongest.chance),
                )
                for audit in audits
            ],
        ),
    )


def _in_series(audits: Sequence[ComparedAudit]) -> list[tuple[ComparedAudit, str]]:
    return list(zip(audits, SERIES, strict=False))


def _bar(audit: ComparedAudit, series: str) -> BarRow:
    rate = audit.strongest
    low, high = rate.interval or (None, None)
    return {
        "label": audit.label,
        "value": rate.at_most if rate.share is None else rate.share,
        "low": low,
        "high": high,
        "text": describe_rate(rate),
        "mark": rate.chance,
        "series": series,
    }


def _write_risk(reference: ComparedAudit, versus: Versus) -> Section:
    title = f"{versus.audit}, compared with {reference.label}"
    if versus.why_not is not None:
        return Section(title, [Note(versus.why_not, kind="caution", title="Cannot be compared")])
    rows = [] if versus.strongest is None else [versus.strongest]
    rows += versus.families
    blocks: list[Block] = [
        _tabulate_rates(reference.label, versus.audit, rows),
        Bullets([row.reading for row in versus.families]),
    ]
    paired = [row for row in rows if row.pairs is not None]
    if paired:
        blocks += [Heading("The same people, one by one"), _tabulate_pairs(paired)]
    told = [*versus.cautions, *([versus.why_unpaired] if versus.why_unpaired else [])]
    blocks += [Note(text, kind="caution") for text in told]
    return Section(title, [*blocks, Note(_HOW, title="How it was compared")])


def _tabulate_rates(first: str, second: str, rows: Sequence[FamilyDifference]) -> Table:
    return Table(
        columns=("Attack", first, second, "Difference", "95 % interval", "Test"),
        rows=[
            (
                "Strongest attack" if row.attack == "strongest" else row.title,
                describe_rate(row.first),
                describe_rate(row.second),
                describe_points(row.difference),
                describe_interval(row.interval),
                describe_test(row.pairs),
            )
            for row in rows
        ],
        caption="People linked by each attack",
    )


def _tabulate_pairs(rows: Sequence[FamilyDifference]) -> Table:
    return Table(
        columns=(
            "Attack",
            "People",
            "In both",
            "Only in the first",
            "Only in this one",
            "In neither",
        ),
        rows=[
            ("Strongest attack" if row.attack == "strongest" else row.title, *_cells(row.pairs))
            for row in rows
        ],
        caption="People linked in both audits, in one of them, in neither",
    )


def _cells(pairs: Pairs | None) -> list[str]:
    names = ("people", "both", "only_first", "only_second", "neither")
    return [count(None if pairs is None else getattr(pairs, name)) for name in names]


def _write_loss(audits: Sequence[ComparedAudit]) -> Section:
    table = Table(
        columns=(
            "Audit",
            "Loss of the release",
            "Cheapest protection found",
            "Its loss",
            "Still linked",
        ),
        rows=[
            (
                audit.label,
                describe_loss(audit.release_loss),
                audit.protection or "none",
                describe_loss(audit.protection_loss),
                share_or_most(audit.protection_share, audit.protection_at_most),
            )
            for audit in audits
        ],
        caption="What protecting people costs",
    )
    note = (
        "The loss of a release is known where its release.json lies beside it and fits the file. "
        "Protections are those each audit tried on its own data."
    )
    return Section("What it costs", [table, Prose(note)], "loss")


def _write_growth(found: AuditComparison) -> Section:
    labels = [audit.label for audit in found.audits]
    return Section(
        "How risk grows and shrinks",
        [_draw_growth(study, labels) for study in found.growth],
        "growth",
    )


def _draw_growth(study: GrowthCurves, labels: Sequence[str]) -> Figure:
    title, axis = _STUDIES[study.study]
    series = dict(zip(labels, SERIES, strict=False))
    rows: list[LineRow] = [
        {
            "x": point.x,
            "y": point.at_most if point.share is None else point.share,
            "low": point.low,
            "high": point.high,
            "series": series[curve.audit],
        }
        for curve in study.curves
        for point in curve.points
    ]
    return Figure(
        title=title,
        summary="; ".join(_summarise(curve.audit, curve.points) for curve in study.curves) + ".",
        drawing=draw_lines(rows, axis, _LINKED),
        reading="One line for each audit; bands are 95 % intervals.",
        table=Table(
            columns=("Audit", axis.title, "People linked", "95 % interval"),
            rows=[
                (curve.audit, *_describe_point(point))
                for curve in study.curves
                for point in curve.points
            ],
            text_columns=2,
        ),
        legend=[Key(series[curve.audit], curve.audit) for curve in study.curves],
    )


def _summarise(audit: str, points: Sequence[CurvePoint]) -> str:
    first, last = (share_or_most(point.share, point.at_most) for point in (points[0], points[-1]))
    return f"{audit}: from {first} to {last}"


def _describe_point(point: CurvePoint) -> tuple[str, str, str]:
    ends = None if point.low is None or point.high is None else (point.low, point.high)
    return (
        point.label or count(point.x),
        share_or_most(point.share, point.at_most),
        interval(ends),
    )


def _write_changes(found: AuditComparison) -> Section:
    blocks: list[Block] = []
    for part, title in _PARTS.items():
        own = [change for change in found.changes if change.part == part]
        blocks.append(Heading(title))
        blocks.append(_tabulate_changes(found, own) if own else Prose("The same in all of them."))
    return Section("What changed", blocks, "changes")


def _tabulate_changes(found: AuditComparison, changes: Sequence[Change]) -> Table:
    labels = [audit.label for audit in found.audits]
    return Table(
        columns=("", *labels),
        rows=[(_name(change.name), *change.values) for change in changes],
        text_columns=len(labels) + 1,
    )


def _name(name: str) -> str:
    return name.replace("_", " ").replace(".", ", ")
