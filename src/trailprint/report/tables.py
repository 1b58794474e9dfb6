"""The result's figures as tables: one row each, ready for CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Row = dict[str, Any]
Result = Mapping[str, Any]

_ATTACK = ("name", "ran", "people", "matched", "correct", "accuracy", "chance", "precision")


def _interval(row: Mapping[str, Any]) -> Row:
    low, high = row["interval"] or (None, None)
    return {"low": low, "high": high}


def _attacks(result: Result) -> Iterator[Row]:
    for attack in result["attacks"]:
        simple = attack["baseline"] or {}
        yield {
            **{key: attack[key] for key in _ATTACK},
            **_interval(attack),
            "baseline": simple.get("title"),
            "baseline_accuracy": simple.get("accuracy"),
            "why_not": attack["why_not"],
        }


def _coverage(result: Result) -> Iterator[Row]:
    for attack in result["attacks"]:
        for point in attack["coverage"]:
            yield {"attack": attack["name"], **point}


def _ranks(result: Result) -> Iterator[Row]:
    for attack in result["attacks"]:
        for point in (attack["ranks"] or {"curve": []})["curve"]:
            yield {"attack": attack["name"], **point}


def _worst_case(result: Result) -> Iterator[Row]:
    yield from (dict(row) for row in result["worst_case"]["by_attacks"])


def _agreement(result: Result) -> Iterator[Row]:
    yield from (dict(row) for row in result["agreement"])


def _controls(result: Result) -> Iterator[Row]:
    for control in result["controls"]:
        plain = {key: value for key, value in control.items() if key != "interval"}
        yield {**plain, **_interval(control)}


def _growth(study: str) -> Callable[[Result], Iterator[Row]]:
    def rows(result: Result) -> Iterator[Row]:
        found = result["growth"][study]
        if found is not None:
            yield from (dict(point) for point in found["points"])

    return rows


def _extrapolation(result: Result) -> Iterator[Row]:
    found = result["growth"]["users"]
    if found is not None and found["fit"] is not None:
        yield from (dict(point) for point in found["fit"]["extrapolation"])


def _protections(result: Result) -> Iterator[Row]:
    for point in result["protections"]["points"]:
        plain = {key: value for key, value in point.items() if key != "interval"}
        written = ",".join(f"{key}={value}" for key, value in point["parameters"].items())
        yield {**plain, "parameters": written, **_interval(point)}


def _locations(result: Result) -> Iterator[Row]:
    yield from (dict(row) for row in result["why"]["locations"])


def _risk(result: Result) -> Iterator[Row]:
    yield from (dict(row) for row in result["per_user"]["bins"])


TABLES: Mapping[str, Callable[[Result], Iterator[Row]]] = {
    "attacks": _attacks,
    "coverage": _coverage,
    "ranks": _ranks,
    "worst_case": _worst_case,
    "agreement": _agreement,
    "controls": _controls,
    "growth_users": _growth("users"),
    "growth_users_extrapolation": _extrapolation,
    "growth_time": _growth("time"),
    "growth_resolution": _growth("resolution"),
    "growth_knowledge": _growth("knowledge"),
    "protections": _protections,
    "locations": _locations,
    "risk": _risk,
}
"""Every table by the name of its file."""
