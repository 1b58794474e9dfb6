"""Protections that no other beats, that have an effect, and that reach a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trailprint.audit.results.protections import MeasuredProtection

#: Without a target, a protection is called effective when it leaves at most this share of the risk.
EFFECTIVE = 0.5


def mark_frontier(points: Sequence[MeasuredProtection]) -> tuple[MeasuredProtection, ...]:
    """
    Mark the points on the Pareto frontier: no other costs less and protects at least as well.

    Only points that every family judged on all people are compared. A protection without a
    measurable effect is never on the frontier, whatever it costs.
    """
    plain = next((point for point in points if point.is_unprotected), None)
    able = [point for point in points if is_whole(point) and has_effect(point, plain)]
    return tuple(
        replace(point, on_frontier=point in able and not _is_beaten(point, able))
        for point in points
    )


def find_target(
    points: Sequence[MeasuredProtection], target_risk: float
) -> MeasuredProtection | None:
    """Return the least loss among points judged by all whose upper bound is within the target."""
    plain = next((point for point in points if point.is_unprotected), None)
    if not is_comparable(plain):
        return None
    enough = [
        point
        for point in points
        if is_whole(point)
        and point.at_risk <= target_risk
        and (plain is None or point.is_unprotected or point.accuracy < plain.accuracy)
    ]
    return min(enough, key=lambda point: point.loss, default=None)


def is_whole(point: MeasuredProtection) -> bool:
    """Return whether every family has judged it, on all people."""
    return point.judged_by_all and point.people is None


def is_comparable(plain: MeasuredProtection | None) -> bool:
    """
    Return whether the risk after a protection can be compared with that of the data as it is.

    Not if an attack ran that cannot even judge the unprotected data: what it would still link after
    a protection is not known.
    """
    return plain is None or not plain.not_judged


def has_effect(point: MeasuredProtection, plain: MeasuredProtection | None) -> bool:
    """Return whether fewer people are linked than before, by the upper end of the interval."""
    if plain is None or point.is_unprotected:
        return True
    return point.interval[1] < plain.accuracy


def _is_beaten(point: MeasuredProtection, points: Sequence[MeasuredProtection]) -> bool:
    own = point.loss, point.accuracy
    return any(
        other.loss <= own[0] and other.accuracy <= own[1] and (other.loss, other.accuracy) != own
        for other in points
    )
