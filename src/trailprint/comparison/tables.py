"""A comparison as tables: one row each, ready for CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from trailprint.comparison.results import Comparison, FamilyDifference, Pairs
from trailprint.plain import to_plain

Row = dict[str, Any]


def _risk(found: Comparison) -> Iterator[Row]:
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
    names = ("people", "both", "only_first", "only_second", "neither")
    told = {f"paired_{name}": None if pairs is None else getattr(pairs, name) for name in names}
    return {
        **told,
        "p_value": None if pairs is None else pairs.p_value,
        "p_value_is": None if pairs is None else pairs.p_value_is,
    }


def _loss(found: Comparison) -> Iterator[Row]:
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


def _changes(found: Comparison) -> Iterator[Row]:
    for change in found.changes:
        for audit, value in zip(found.audits, change.values, strict=True):
            yield {
                "part": change.part,
                "name": change.name,
                "audit": audit.label,
                "value": value,
            }


def _growth(found: Comparison) -> Iterator[Row]:
    for study in found.growth:
        for curve in study.curves:
            for point in curve.points:
                yield {"study": study.study, "audit": curve.audit, **to_plain(point)}


TABLES: Mapping[str, Callable[[Comparison], Iterator[Row]]] = {
    "risk": _risk,
    "loss": _loss,
    "changes": _changes,
    "growth": _growth,
}
"""Every table by the name of its file."""
