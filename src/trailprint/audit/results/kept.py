"""
Results of single parts of an audit, from their stored plain values.

Parts are stored as JSON, in a store that is not trusted. Only here are they converted to types;
what does not fit raises a `ShapeError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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
    Study,
    TimeGrowth,
    UsersGrowth,
)

S = TypeVar("S", bound=Study)

STUDIES: Mapping[str, type[Study]] = {
    "users": UsersGrowth,
    "time": TimeGrowth,
    "resolution": ResolutionGrowth,
    "knowledge": KnowledgeGrowth,
    "amount-known": AmountGrowth,
}
"""What each study of growth finds, by the name of its part."""


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
class KeptStudy(Generic[S]):
    """How risk grows by one study, or why it was not measured."""

    study: S | None
    why_not: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlainStudy:
    """A stored study before its kind is known."""

    study: Mapping[str, Any] | None
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


def study_of(outcome: Outcome, kind: type[S]) -> KeptStudy[S]:
    """How risk grows by the study of this kind."""
    plain = from_plain(_PlainStudy, outcome.data)
    study = None if plain.study is None else from_plain(kind, plain.study)
    return KeptStudy(study=study, why_not=plain.why_not)


def why_of(outcome: Outcome) -> Why:
    """Which locations reveal people."""
    return from_plain(KeptWhy, outcome.data).why
