"""What an audit may tell of people: no small count, nor a rate or a curve that gives one away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trailprint.studies.small_counts import (
    hide_small,
    is_small,
    join_bins,
    keep_steps,
    veil_rate,
)

_RATES = ("accuracy", "interval", "precision")


def veil_attack(attack: Mapping[str, Any]) -> dict[str, Any]:
    """
    An attack without what would tell a few people.

    How many it links is told from ten people on. Curves keep the points between which at least
    ten people lie, or nobody.
    """
    if not attack["ran"]:
        return dict(attack)
    n_people, n_right = attack["people"], attack["correct"]
    found = veil_rate({**attack, "correct": hide_small(n_right)}, n_right, n_people, *_RATES)
    other = attack["baseline"]
    n_other = None if other is None else round((other["accuracy"] or 0.0) * n_people)
    return {
        **found,
        "baseline": None
        if other is None
        else veil_rate(other, n_other or 0, n_people, "accuracy", "interval"),
        "ranks": _veil_ranks(attack["ranks"], n_people, [n for n in (n_right, n_other) if n]),
        "coverage": _veil_coverage(attack["coverage"]),
    }


def _veil_ranks(
    ranks: Mapping[str, Any] | None, n_people: int, n_linked: Sequence[int]
) -> dict[str, Any] | None:
    """The curve of ranks; its first point is close to what attacks one by one link."""
    if ranks is None:
        return None
    curve = ranks["curve"]
    counts = [round(point["share"] * n_people) for point in curve]
    safe = [
        place
        for place, (point, n) in enumerate(zip(curve, counts, strict=True))
        if point["k"] > 1 or not any(is_small(abs(n - other)) for other in n_linked)
    ]
    kept = keep_steps([[counts[place] for place in safe]])
    return {**ranks, "curve": [curve[safe[place]] for place in kept]} if kept else None


def _veil_coverage(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The curve of precision: neither right nor wrong links may be few between two points."""
    n_right = [round(point["precision"] * point["links"]) for point in points]
    n_wrong = [point["links"] - n for point, n in zip(points, n_right, strict=True)]
    return [dict(points[place]) for place in keep_steps([n_right, n_wrong])]


def veil_point(point: Mapping[str, Any], n_people: int) -> dict[str, Any]:
    """A protection without rates that would tell a few people."""
    n_found = round(point["accuracy"] * n_people)
    n_alike = round(point["cluster_accuracy"] * n_people)
    found = veil_rate(point, n_found, n_people, "accuracy", "interval")
    return {**found, "cluster_accuracy": None} if is_small(n_alike) else found


def veil_bins(bins: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Bins of risk, joined to ones of nobody or of at least ten people."""
    counts = [row["people"] for row in bins]
    return [
        {
            "low": bins[first]["low"],
            "high": bins[last]["high"],
            "people": sum(counts[first : last + 1]),
        }
        for first, last in join_bins(counts)
    ]
