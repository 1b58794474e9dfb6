"""Singling out in several audits: one curve for each, the worst case, and shared traces."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.results.points import UnicityPoint
from trailprint.comparison.results import ComparedPoints, ComparedSinglingOut
from trailprint.comparison.wording import list_singled_out
from trailprint.report.blocks import Block, Figure, Key, Note, Section, Table
from trailprint.report.charts import draw_lines
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import LineRow
from trailprint.report.charts.style import SERIES
from trailprint.report.wording import rate_interval, share_or_most

_APART = (
    "The adversary here knows points of the very trace that is released, and asks who else agrees "
    "with them. Nothing is linked across two periods: do not compare these shares with those of "
    "the attacks above, and do not add them. No test is made: the same draws are not made of two "
    "releases."
)


def write_singling_out(found: ComparedSinglingOut) -> Section:
    """Write a chart of all curves, and a table of everything measured."""
    blocks: list[Block] = [Note(_APART, title="A different question from linking")]
    if all(audit.unicity for audit in found.audits):
        blocks.append(_draw_curves(found.audits))
    blocks.append(_tabulate(found))
    blocks += [Note(text, kind="caution") for text in found.cautions]
    return Section("Singling out: what a few points reveal", blocks, "points")


def _draw_curves(audits: Sequence[ComparedPoints]) -> Figure:
    series = {audit.audit: name for audit, name in zip(audits, SERIES, strict=False)}
    rows: list[LineRow] = [
        {
            "x": point.points,
            "y": point.at_most if point.share is None else point.share,
            "low": None if point.interval is None else point.interval[0],
            "high": None if point.interval is None else point.interval[1],
            "series": series[audit.audit],
        }
        for audit in audits
        for point in audit.unicity
    ]
    numbers = tuple(sorted({point.points for audit in audits for point in audit.unicity}))
    return Figure(
        title="People singled out by points drawn at random",
        summary="; ".join(map(_summarise, audits)) + ".",
        drawing=draw_lines(
            rows,
            Axis(
                "Points known, drawn at random",
                low=numbers[0] - 0.5,
                high=numbers[-1] + 0.5,
                ticks=numbers,
                labels=tuple(map(str, numbers)),
            ),
            Axis("People with whom nobody else agrees", unit="percent"),
        ),
        reading="One line for each audit; bands are 95 % intervals over people.",
        table=Table(
            columns=("Audit", "Points", "Singled out", "95 % interval"),
            rows=[
                (audit.audit, str(point.points), _describe(point), _describe_ends(point))
                for audit in audits
                for point in audit.unicity
            ],
        ),
        legend=[Key(series[audit.audit], audit.audit) for audit in audits],
    )


def _summarise(audit: ComparedPoints) -> str:
    first, last = audit.unicity[0], audit.unicity[-1]
    few, many = (f"{_describe(point)} with {point.points}" for point in (first, last))
    return f"{audit.audit}: {few}, {many}"


def _describe(point: UnicityPoint) -> str:
    return share_or_most(point.share, point.at_most)


def _describe_ends(point: UnicityPoint) -> str:
    return rate_interval(point.interval, point.at_most)


def _tabulate(found: ComparedSinglingOut) -> Table:
    return Table(
        columns=("Known of a person", *(audit.audit for audit in found.audits)),
        rows=[(name, *shares) for name, shares in list_singled_out(found)],
        caption="People singled out: nobody else in the release agrees",
    )
