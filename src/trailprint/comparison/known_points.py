"""What a few known points reveal in each audit, side by side and independent of linking."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.results.points import PointsFinding
from trailprint.comparison.opening import OpenedAudit
from trailprint.comparison.results import ComparedPoints, ComparedSinglingOut

_MANY_MORE = 1.1
"""From this ratio on, the difference in the number of people alone changes who is singled out."""


def compare_points(audits: Sequence[OpenedAudit]) -> ComparedSinglingOut | None:
    """Compare singling out in the audits that measured it; None if fewer than two did."""
    measured = [
        (audit.label, audit.findings.points)
        for audit in audits
        if audit.findings.points is not None and audit.findings.points.ran
    ]
    if len(measured) < 2:
        return None
    return ComparedSinglingOut(
        audits=tuple(_describe(label, found) for label, found in measured),
        cautions=tuple(_list_cautions([found for _, found in measured])),
    )


def _describe(label: str, found: PointsFinding) -> ComparedPoints:
    return ComparedPoints(
        audit=label,
        people=found.people,
        knowledge=found.knowledge,
        time_resolution=found.time_resolution,
        cell_m=found.cell_m,
        draws=found.draws,
        unicity=found.unicity,
        worst_case=found.worst_case,
        singling_out=found.singling_out,
    )


def _list_cautions(found: Sequence[PointsFinding]) -> list[str]:
    """Causes of a difference that have nothing to do with protection."""
    told = []
    if len({(one.knowledge, one.time_resolution) for one in found}) > 1:
        told.append("A known point is not the same in all of them: some know times, or finer ones.")
    if len({one.cell_m for one in found}) > 1:
        told.append("Places are cells of different sizes: the larger they are, the less they tell.")
    few, many = min(one.people for one in found), max(one.people for one in found)
    if many >= _MANY_MORE * max(few, 1):
        told.append(
            f"The releases are of {few:,} to {many:,} people: among fewer people, more are "
            "singled out."
        )
    return told
