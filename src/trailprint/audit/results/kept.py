"""
Results of single parts of an audit, from their stored plain values.

Parts are stored as JSON, in a store that is not trusted. Only here are they converted to types;
what does not fit raises a `ShapeError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trailprint.audit.parts import Outcome
from trailprint.audit.results.attacks import MeasuredAttack
from trailprint.audit.results.protections import (
    MeasuredProtection,
    ProtectionLeftOut,
    SearchFacts,
)
from trailprint.plain import from_plain
from trailprint.studies.findings import ControlFinding, Why
from trailprint.studies.growth.findings import (
    AmountGrowth,
    KnowledgeGrowth,
    ResolutionGrowth,
    TimeGrowth,
    UsersGrowth,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAttack:
    """What an attack found, and how to run its best method again."""

    entry: MeasuredAttack
    chosen: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptControls:
    """The controls of one attack."""

    controls: tuple[ControlFinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProtections:
    """Protections that were tried or refused, and facts about the search."""

    points: tuple[MeasuredProtection, ...]
    left_out: tuple[ProtectionLeftOut, ...] = ()
    search: SearchFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptUsers:
    """Risk by the number of people, or why it was not measured."""

    study: UsersGrowth | None
    why_not: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTime:
    """Risk by the length of observation, or why it was not measured."""

    study: TimeGrowth | None
    why_not: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResolution:
    """Risk by the size of places, or why it was not measured."""

    study: ResolutionGrowth | None
    why_not: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptKnowledge:
    """Risk by the share of people known, or why it was not measured."""

    study: KnowledgeGrowth | None
    why_not: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAmount:
    """Risk by how much is known of each person, or why it was not measured."""

    study: AmountGrowth | None
    why_not: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptWhy:
    """Which locations reveal people."""

    why: Why


def attack_of(outcome: Outcome) -> KeptAttack:
    """What an attack found."""
    return from_plain(KeptAttack, outcome.data)


def controls_of(outcome: Outcome) -> tuple[ControlFinding, ...]:
    """The controls of one attack."""
    return from_plain(KeptControls, outcome.data).controls


def protections_of(outcome: Outcome) -> KeptProtections:
    """What one family of protections costs, and the risk it leaves."""
    return from_plain(KeptProtections, outcome.data)


def users_of(outcome: Outcome) -> KeptUsers:
    """Risk by the number of people."""
    return from_plain(KeptUsers, outcome.data)


def time_of(outcome: Outcome) -> KeptTime:
    """Risk by the length of observation."""
    return from_plain(KeptTime, outcome.data)


def resolution_of(outcome: Outcome) -> KeptResolution:
    """Risk by the size of places."""
    return from_plain(KeptResolution, outcome.data)


def knowledge_of(outcome: Outcome) -> KeptKnowledge:
    """Risk by the share of people known."""
    return from_plain(KeptKnowledge, outcome.data)


def amount_of(outcome: Outcome) -> KeptAmount:
    """Risk by how much is known of each person."""
    return from_plain(KeptAmount, outcome.data)


def why_of(outcome: Outcome) -> Why:
    """Which locations reveal people."""
    return from_plain(KeptWhy, outcome.data).why
