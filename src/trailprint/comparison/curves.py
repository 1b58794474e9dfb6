"""Growth curves of several audits, to be drawn in one chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from trailprint.comparison.opening import OpenedAudit
from trailprint.comparison.results import Curve, CurvePoint, GrowthCurves, Study
from trailprint.studies.growth.findings import Banded


def list_growth(audits: Sequence[OpenedAudit]) -> tuple[GrowthCurves, ...]:
    """List the curves of each growth study that at least two audits ran."""
    found = []
    for study in get_args(Study):
        curves = tuple(
            Curve(audit=audit.label, points=points)
            for audit in audits
            if (points := _list_points(audit, study))
        )
        if len(curves) > 1:
            found.append(GrowthCurves(study=study, curves=curves))
    return tuple(found)


def _list_points(audit: OpenedAudit, study: Study) -> tuple[CurvePoint, ...]:
    made = getattr(audit.findings.growth, study)
    return () if made is None else tuple(map(_describe, made.points))


def _describe(point: Banded) -> CurvePoint:
    return CurvePoint(
        x=point.x,
        label=getattr(point, "label", None),
        share=point.accuracy,
        low=point.low,
        high=point.high,
        at_most=point.at_most,
    )
