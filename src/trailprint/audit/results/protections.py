"""What protecting people costs and leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trailprint.audit.results.attacks import Interval
from trailprint.audit.results.plain import OMITTED


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredProtection:
    """A protection that was tried, with exact rates: not to be told."""

    label: str
    name: str
    parameters: Mapping[str, Any]
    loss: float
    accuracy: float
    interval: Interval
    cluster_accuracy: float
    chance: float
    attack: str
    on_frontier: bool = False
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionPoint:
    """What may be told of a protection: its loss, and what is left of the risk."""

    label: str
    name: str
    parameters: Mapping[str, Any]
    loss: float | None
    accuracy: float | None
    interval: Interval | None
    cluster_accuracy: float | None
    chance: float | None
    attack: str | None
    on_frontier: bool
    asked: bool
    at_most: float | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionLeftOut:
    """A protection that was not tried, and why."""

    label: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredProtections:
    """Every protection that was tried, with exact rates: not to be told."""

    points: tuple[MeasuredProtection, ...]
    target_risk: float | None
    target: MeasuredProtection | None
    left_out: tuple[ProtectionLeftOut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Protections:
    """What may be told of the protections, and which reaches the target."""

    points: tuple[ProtectionPoint, ...]
    loss_meaning: str | None
    target_risk: float | None
    target: ProtectionPoint | None
    left_out: tuple[ProtectionLeftOut, ...]
    target_reading: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineProtection:
    """The protection the headline names."""

    label: str
    name: str
    parameters: Mapping[str, Any]
    share: float | None
    interval: Interval | None
    at_most: float | None = None
    loss: float | None
    loss_meaning: str
