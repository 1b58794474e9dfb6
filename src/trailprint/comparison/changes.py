"""Differences between audits in their data, their settings and the versions they ran with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from trailprint.comparison.opening import OpenedAudit
from trailprint.comparison.results import Change
from trailprint.display.numbers import format_number
from trailprint.plain import to_plain

_PARTS: tuple[Literal["data", "settings", "versions"], ...] = ("data", "settings", "versions")
_DIGITS = 12
"""Number of digits of a fingerprint: enough to distinguish files."""
_LEFT_OUT = frozenset({"settings.data_notes", "settings.title", "data.split.description"})


def list_changes(audits: Sequence[OpenedAudit]) -> tuple[Change, ...]:
    """List everything that differs, in a fixed order."""
    found = []
    for part in _PARTS:
        told = [_flatten(_describe(audit)[part]) for audit in audits]
        for name in dict.fromkeys(name for one in told for name in one):
            values = tuple(one.get(name, "none") for one in told)
            if len(set(values)) > 1 and f"{part}.{name}" not in _LEFT_OUT:
                found.append(Change(part=part, name=name, values=values))
    return tuple(found)


def _describe(audit: OpenedAudit) -> dict[str, Mapping[str, Any]]:
    found, manifest = audit.findings, audit.manifest
    inputs = {
        f"input {place}": one.sha256[:_DIGITS] for place, one in enumerate(manifest.inputs, 1)
    }
    return {
        "data": {**inputs, **to_plain(found.data)},
        "settings": {**manifest.options, **found.settings, "seed": found.seed},
        "versions": found.versions,
    }


def _flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    return dict(_walk(values, prefix))


def _walk(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _walk(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", _show(value)


def _show(value: Any) -> str:
    if value is None or value == [] or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format_number(value)
    return ", ".join(map(_show, value)) if isinstance(value, list | tuple) else str(value)
