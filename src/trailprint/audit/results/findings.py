"""The whole result of an audit: ``result.json`` as types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from trailprint.audit.results.attacks import (
    Agreement,
    AttackFinding,
    Interval,
    WorstCase,
)
from trailprint.audit.results.data import DataFacts
from trailprint.audit.results.growth import Growth
from trailprint.audit.results.points import PointsFinding
from trailprint.audit.results.protections import HeadlineProtection, Protections
from trailprint.evaluation.per_user import RiskSpread
from trailprint.plain import OMITTED, ShapeError, from_plain, to_plain
from trailprint.studies.findings import ControlFinding, Why
from trailprint.values import Amount, Count, MaskedCount, Position, Rule, Share

SCHEMA = "trailprint.result/1"
"""Schema of ``result.json`` that these types describe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """Threshold below which people are not counted exactly, and whether locations are named."""

    small_count_threshold: Position
    locations_named: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The headline of the report."""

    people: Count | None
    linked: MaskedCount | None
    share: Share | None
    interval: Interval | None
    at_most: Share | None = None
    chance: Share | None
    times_chance: float | None
    attack: str | None
    attack_title: str | None
    assumption: str | None
    protection: HeadlineProtection | None
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpent:
    """How long the audit took, each of its parts, and how long those should have taken."""

    total: Amount
    parts: Mapping[str, Amount]
    estimated: Mapping[str, Amount] | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShownSettings:
    """Those of the settings that a report shows by themselves; others are options."""

    title: str | None = None
    data_notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """
    Everything an audit may publish, without identifiers.

    ``to_dict()`` returns ``result.json``; ``from_dict()`` reads it.
    """

    schema: Annotated[str, Rule("const", SCHEMA)] = SCHEMA
    version: str
    seed: int
    privacy: Privacy
    data: DataFacts
    headline: Headline
    attacks: tuple[AttackFinding, ...]
    worst_case: WorstCase | None
    agreement: tuple[Agreement, ...]
    controls: tuple[ControlFinding, ...]
    growth: Growth
    protections: Protections | None
    why: Why | None
    per_user: RiskSpread | None
    points: PointsFinding | None = field(default=None, metadata=OMITTED)
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    seconds: TimeSpent | None = field(default=None, metadata=OMITTED)

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain values, ready for JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Findings:
        """Return the findings of a ``result.json``; raise `ShapeError` if it is not one."""
        found = from_plain(cls, plain)
        if plain.get("schema") != SCHEMA:
            raise ShapeError(f"the schema must be {SCHEMA}")
        # Settings of a wrong type are refused here, and not only where they are shown.
        from_plain(_ShownSettings, found.settings)
        return found

    @property
    def attack_titles(self) -> dict[str, str]:
        """The attacks' titles by their names."""
        return {attack.name: attack.title for attack in self.attacks}

    @property
    def strongest(self) -> AttackFinding | None:
        """The attack the headline is about."""
        own = (a for a in self.attacks if a.ran and a.name == self.headline.attack)
        return next(own, None)

    @property
    def title(self) -> str:
        """Title of the report; empty if none was given."""
        return self._shown.title or ""

    @property
    def data_notes(self) -> list[str]:
        """Notes on how the data was prepared and on oddities in it."""
        return list(self._shown.data_notes)

    @property
    def _shown(self) -> _ShownSettings:
        return from_plain(_ShownSettings, self.settings)
