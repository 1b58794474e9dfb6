"""
Results of an attack.

A `MeasuredAttack` has exact counts and stays inside the audit; an `AttackFinding` is what may be
published of it. Only `audit.disclosure` makes one from the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trailprint.plain import OMITTED
from trailprint.values import (
    Amount,
    Count,
    MaskedCount,
    MaskedText,
    Position,
    Share,
    WeightsFrom,
)

Interval = tuple[Share, Share]
"""Ends of a 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPoint:
    """Share of the people whose own record is among the ``k`` best candidates."""

    k: Position
    share: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class RanksFinding:
    """Ranks of the right counterparts."""

    median: float | None
    curve: tuple[RankPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageFinding:
    """Precision if only the most confident links are kept."""

    coverage: Share
    precision: Share | None
    links: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The other method of the same attack: the one that links fewer people."""

    title: str
    accuracy: Share | None
    interval: Interval | None
    chance: Share | None
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How far a matching may be from the optimal one, if known."""

    optimality_gap: float | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewFinding:
    """
    Contribution of one view to an attack that combines several.

    ``accuracy_alone`` is the share it links on its own, ``leave_one_out`` how the share linked
    changes without it: a text in place of a change of a few people, None if the view has no
    weight.
    """

    name: str
    title: str
    weight: Share
    keys: Count
    accuracy_alone: Share | None
    leave_one_out: float | MaskedText | None
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewLeftOut:
    """A view that the data does not allow, and why."""

    name: str
    title: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewsFinding:
    """
    What each view adds, measured on ``people``: all, or a sample of many.

    ``accuracy`` is the share of them that all views together link; ``learnt_from`` is the number
    of auxiliary people the weights were learnt from.
    """

    weights_from: WeightsFrom
    note: str
    learnt_from: Count
    people: Count
    accuracy: Share | None
    views: tuple[ViewFinding, ...]
    left_out: tuple[ViewLeftOut, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredAttack:
    """An attack that ran, with exact counts: not to be published."""

    name: str
    people: int
    matched: int
    correct: int
    accuracy: float | None
    interval: Interval | None
    chance: float | None
    precision: float | None
    variant: str
    baseline: Baseline | None
    ranks: RanksFinding | None
    coverage: tuple[CoverageFinding, ...] = ()
    notes: tuple[str, ...] = ()
    proof: Proof = Proof()
    seconds: float = 0.0
    views: ViewsFinding | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackFinding:
    """Publishable results of an attack; one that did not run says why."""

    name: str
    title: str
    question: str
    assumptions: tuple[str, ...] = ()
    ran: bool
    why_not: str | None
    people: Count | None = 0
    matched: Count | None = None
    correct: MaskedCount | None = None
    accuracy: Share | None = None
    interval: Interval | None = None
    chance: Share | None = None
    precision: Share | None = None
    variant: str | None = ""
    baseline: Baseline | None = None
    ranks: RanksFinding | None = None
    coverage: tuple[CoverageFinding, ...] = ()
    notes: tuple[str, ...] = ()
    proof: Proof = Proof()
    seconds: Amount | None = 0.0
    at_most: Share | None = field(default=None, metadata=OMITTED)
    views: ViewsFinding | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedByFinding:
    """How many people are linked by exactly this many attacks."""

    attacks: Count
    people: MaskedCount


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """People linked by at least one attack, of those every attack was tried on."""

    attacks: tuple[str, ...]
    people: Count | None
    not_tried: Count
    linked: MaskedCount | None
    share: Share | None
    interval: Interval | None
    by_attacks: tuple[LinkedByFinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Whether two attacks link the same people."""

    first: str
    second: str
    both: MaskedCount
    only_first: MaskedCount
    only_second: MaskedCount
    neither: MaskedCount
    people: Count
