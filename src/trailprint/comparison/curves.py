"""Growth curves of several audits, to be drawn in one chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from trailprint.audit.results.growth import Growth
from trailprint.comparison.opening import OpenedAudit
from trailprint.comparison.results import Curve, CurvePoint, GrowthCurves, Study
from trailprint.studies.growth.findings import (
    Banded,
    KnowledgeGrowth,
    ResolutionGrowth,
    ResolutionPoint,
    TimeGrowth,
    UsersGrowth,
)

_Grown = UsersGrowth | TimeGrowth | ResolutionGrowth | KnowledgeGrowth


def list_growth(audits: Sequence[OpenedAudit]) -> tuple[GrowthCurves, ...]:
    """List the curves of each growth study that at least two audits ran."""
    found = []
    for study in get_args(Study):
        curves = tuple(
            Curve(audit=audit.label, points=points)
            for audit in audits
            if (points := _list_points(audit.findings.growth, study))
        )
        if len(curves) > 1:
            found.append(GrowthCurves(study=study, curves=curves))
    return tuple(found)


def _list_points(growth: Growth, study: Study) -> tuple[CurvePoint, ...]:
    studies: dict[Study, _Grown | None] = {
        "users": growth.users,
        "time": growth.time,
        "resolution": growth.resolution,
        "knowledge": growth.knowledge,
    }
    made = studies[study]
    return () if made is None else tuple(map(_describe, made.points))


def _describe(point: Banded) -> CurvePoint:
    return CurvePoint(
        x=point.x,
        label=point.label if isinstance(point, ResolutionPoint) else None,
        share=point.accuracy,
        low=point.low,
        high=point.high,
        at_most=point.at_most,
    )
