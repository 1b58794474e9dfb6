"""A comparison as tables of plain rows, ready for CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from trailprint.audit.results.points import SharedPart, UnicityPoint, WorstPoint
from trailprint.comparison.results import AuditComparison, ComparedPoints, FamilyDifference, Pairs
from trailprint.plain import to_plain

Row = dict[str, Any]


def _risk(found: AuditComparison) -> Iterator[Row]:
    for versus in found.versus:
        rows = (
            [*versus.families]
            if versus.strongest is None
            else [
                versus.strongest,
                *versus.families,
            ]
        )
        for row in rows:
            yield {"first": found.audits[0].label, "second": versus.audit, **_difference(row)}


def _difference(row: FamilyDifference) -> Row:
    low, high = row.interval
    return {
        "attack": row.attack,
        "first_people": row.first.people,
        "first_share": row.first.share,
        "second_people": row.second.people,
        "second_share": row.second.share,
        "difference": row.difference,
        "low": low,
        "high": high,
        "method": row.method,
        **_pairs(row.pairs),
    }


def _pairs(pairs: Pairs | None) -> Row:
    told = {f"paired_{name}": None if pairs is None else getattr(pairs, name) for name in _PAIRED}
    return {
        **told,
        "p_value": None if pairs is None else pairs.p_value,
        "p_value_is": None if pairs is None else pairs.p_value_is,
    }


def _loss(found: AuditComparison) -> Iterator[Row]:
    for audit in found.audits:
        yield {
            "audit": audit.label,
            "people": audit.people,
            "strongest": audit.strongest.attack,
            "share": audit.strongest.share,
            "release_loss": audit.release_loss,
            "protection": audit.protection,
            "protection_loss": audit.protection_loss,
            "protection_share": audit.protection_share,
        }


def _changes(found: AuditComparison) -> Iterator[Row]:
    for change in found.changes:
        for audit, value in zip(found.audits, change.values, strict=True):
            yield {
                "part": change.part,
                "name": change.name,
                "audit": audit.label,
                "value": value,
            }


def _growth(found: AuditComparison) -> Iterator[Row]:
    for study in found.growth:
        for curve in study.curves:
            for point in curve.points:
                yield {"study": study.study, "audit": curve.audit, **to_plain(point)}


def _points(found: AuditComparison) -> Iterator[Row]:
    """Points drawn at random, the most revealing points, and traces that no one else shares."""
    for audit in () if found.points is None else found.points.audits:
        for drawn in audit.unicity:
            yield _single_out(audit, "drawn at random", drawn.points, drawn)
        for worst in audit.worst_case:
            yield _single_out(audit, "most revealing", worst.k, worst)
        for part in audit.singling_out:
            yield _single_out(audit, f"shared {part.what}", None, part)


def _single_out(
    audit: ComparedPoints,
    measure: str,
    points: int | None,
    found: UnicityPoint | WorstPoint | SharedPart,
) -> Row:
    low, high = found.interval or (None, None)
    return {
        "audit": audit.audit,
        "people": audit.people,
        "measure": measure,
        "points": points,
        "share": found.share,
        "low": low,
        "high": high,
        "at_most": found.at_most,
    }


TABLES: Mapping[str, Callable[[AuditComparison], Iterator[Row]]] = {
    "risk": _risk,
    "loss": _loss,
    "changes": _changes,
    "growth": _growth,
    "points": _points,
}
"""Functions that make the rows of each table, by file name."""

_PAIRED = ("people", "both", "only_first", "only_second", "neither")
COLUMNS: Mapping[str, Sequence[str]] = {
    "risk": (
        *("first", "second", "attack", "first_people", "first_share", "second_people"),
        *("second_share", "difference", "low", "high", "method"),
        *(*(f"paired_{name}" for name in _PAIRED), "p_value", "p_value_is"),
    ),
    "changes": ("part", "name", "audit", "value"),
    "growth": ("study", "audit", "x", "label", "share", "low", "high"),
    "points": ("audit", "people", "measure", "points", "share", "low", "high", "at_most"),
}
"""Columns of tables without rows; with rows, a table may have more."""
