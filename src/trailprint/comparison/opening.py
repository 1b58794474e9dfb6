"""Audits to compare: from a folder, from a ``result.json``, or as an `AuditResult`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trailprint.audit.outcomes import PersonOutcomes, find_outcomes
from trailprint.audit.result import AuditResult
from trailprint.audit.results.findings import Findings
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError, SourceError, reason_of
from trailprint.plain import ShapeError, from_plain
from trailprint.system.addresses import readable_path

AuditSource = str | os.PathLike[str] | AuditResult
"""An audit's folder, its ``result.json``, or what `trailprint.audit` returned."""

_RESULT, _MANIFEST = "result.json", "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A dataset that an audit read, as its manifest describes it."""

    sha256: str
    bytes: int
    files: int
    release_loss: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an audit's manifest adds to its result."""

    inputs: tuple[Input, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenedAudit(Discreet):
    """An audit with everything known about it; ``outcomes`` if people can be paired."""

    label: str
    findings: Findings
    manifest: Manifest = Manifest()
    outcomes: PersonOutcomes | None = None


def check_source(source: object) -> None:
    """Raise an error for what is no audit, such as a list of them."""
    if isinstance(source, str | os.PathLike | AuditResult):
        return
    is_list = isinstance(source, list | tuple)
    raise OptionError(
        "An audit must be a path or what trailprint.audit returned, got "
        f"{type(source).__name__} instead."
        + (" Give the audits one after another, not as a list." if is_list else "")
    )


def open_audits(sources: Sequence[AuditSource]) -> list[OpenedAudit]:
    """Open every audit and give each its own label."""
    opened = [_open(source) for source in sources]
    labels = [audit.label for audit in opened]
    return [
        replace(audit, label=f"{audit.label} ({place})") if labels.count(audit.label) > 1 else audit
        for place, audit in enumerate(opened, 1)
    ]


def _open(source: AuditSource) -> OpenedAudit:
    if isinstance(source, AuditResult):
        return OpenedAudit(label="audit", findings=source.findings, outcomes=source.outcomes())
    path = Path(readable_path(source))
    folder = path if path.is_dir() else path.parent
    plain = _load(path / _RESULT if path.is_dir() else path, os.fspath(source))
    try:
        findings = Findings.from_dict(plain)
    except ShapeError:
        raise _not_an_audit(os.fspath(source), "it is of another form") from None
    return OpenedAudit(
        label=path.resolve().name if path.is_dir() else path.resolve().parent.name,
        findings=findings,
        manifest=_read_manifest(folder / _MANIFEST),
        outcomes=find_outcomes(folder, plain),
    )


def _load(path: Path, typed: str) -> Mapping[str, Any]:
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _not_an_audit(typed, reason_of(error)) from None
    except (ValueError, RecursionError):
        raise _not_an_audit(typed, "it is not JSON") from None
    if not isinstance(plain, dict):
        raise _not_an_audit(typed, "it is of another form")
    return plain


def _not_an_audit(typed: str, why: str) -> SourceError:
    return SourceError(
        f"An audit must be the folder that trailprint audit wrote, or its {_RESULT}, but "
        f"{typed!r} cannot be read as one: {why}."
    )


def _read_manifest(path: Path) -> Manifest:
    """Read a manifest; return an empty one if it is missing or invalid."""
    try:
        return from_plain(Manifest, json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return Manifest()
