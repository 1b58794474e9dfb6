"""The result of a comparison: ``comparison.json`` as types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from trailprint.audit.results.attacks import Interval
from trailprint.audit.results.points import SharedPart, UnicityPoint, WorstPoint
from trailprint.plain import OMITTED, from_plain, to_plain
from trailprint.values import Amount, Count, KnownPointKind, MaskedCount, Rule, Share

SCHEMA = "trailprint.comparison/1"
"""Version of ``comparison.json`` that these types describe."""

Study = Literal["users", "time", "resolution", "knowledge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """
    How many people one attack of one audit links; only an upper bound if they are few.

    ``of`` is set if the attack was tried on only some of the audit's people, and counts all of
    them: with fewer people to confuse, more are linked.
    """

    attack: str
    people: Count
    of: Count | None = field(default=None, metadata=OMITTED)
    linked: MaskedCount
    share: Share | None
    interval: Interval | None
    at_most: Share | None = field(default=None, metadata=OMITTED)
    chance: Share | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """
    The same people in two audits: linked in both, in one of them, in neither.

    ``p_value`` is that of McNemar's exact test. If small counts are masked, it is the largest one
    that the totals allow.
    """

    people: Count
    both: MaskedCount
    only_first: MaskedCount
    only_second: MaskedCount
    neither: MaskedCount
    p_value: Share | None
    p_value_is: Literal["exact", "at most", "not shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyDifference:
    """One attack in two audits: the second rate minus the first, with a 95 % interval."""

    attack: str
    title: str
    first: Rate
    second: Rate
    difference: float | None
    interval: tuple[float, float]
    method: Literal["Tango, paired", "Newcombe, unpaired"]
    pairs: Pairs | None
    reading: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus:
    """One audit compared with the first, or the reason why it cannot be."""

    audit: str
    why_not: str | None
    cautions: tuple[str, ...] = ()
    why_unpaired: str | None = None
    strongest: FamilyDifference | None = None
    families: tuple[FamilyDifference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedAudit:
    """
    One audit: its headline result and the cost of protecting people.

    ``release_loss`` is the information loss of the audited release, if its ``release.json``
    gives it; ``protection_loss`` is that of the cheapest protection the audit found.
    """

    label: str
    version: str
    people: Count
    sentence: str
    strongest: Rate
    attack_title: str
    release_loss: Amount | None
    protection: str | None
    protection_loss: Amount | None
    protection_share: Share | None
    protection_at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that differs between audits: its value in each, as text."""

    part: Literal["data", "settings", "versions"]
    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """A rate measured at one point of a curve."""

    x: float
    label: str | None
    share: Share | None
    low: Share | None
    high: Share | None
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One audit's curve in a growth study."""

    audit: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthCurves:
    """A growth study in every audit that ran it."""

    study: Study
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPoints:
    """What a few known points reveal in the release of one audit, as that audit reports it."""

    audit: str
    people: Count
    knowledge: KnownPointKind | None
    time_resolution: str | None
    cell_m: Amount | None
    draws: Count
    unicity: tuple[UnicityPoint, ...]
    worst_case: tuple[WorstPoint, ...]
    singling_out: tuple[SharedPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSinglingOut:
    """Singling out in every audit that measured it; ``cautions`` say what else differs."""

    audits: tuple[ComparedPoints, ...]
    cautions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditComparison:
    """Everything a comparison may publish, without identifiers."""

    schema: Annotated[str, Rule("const", SCHEMA)] = SCHEMA
    version: str
    sentence: str
    audits: tuple[ComparedAudit, ...]
    versus: tuple[Versus, ...]
    changes: tuple[Change, ...]
    growth: tuple[GrowthCurves, ...]
    points: ComparedSinglingOut | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> AuditComparison:
        """Build the comparison from the content of a ``comparison.json``."""
        return from_plain(cls, plain)
