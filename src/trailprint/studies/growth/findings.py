"""Published results of the growth studies: rates with intervals, and a summary sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from trailprint.plain import OMITTED
from trailprint.values import Count, KnowledgeKind, MaskedCount, Share


class Banded(Protocol):
    """A rate with its interval, as every study measures it."""

    @property
    def x(self) -> float: ...

    @property
    def accuracy(self) -> float | None: ...

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...

    @property
    def at_most(self) -> float | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    x: float
    accuracy: Share | None
    low: Share | None
    high: Share | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersPoint(_Point):
    """Risk among ``x`` people drawn at random, over several runs."""

    runs: Count
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtrapolatedPoint(_Point):
    """Risk among ``x`` people by the fitted curve: not measured."""

    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePoint(_Point):
    """Risk after ``x`` days of observing each person."""

    at_most: Share | None = field(default=None, metadata=OMITTED)
    people: MaskedCount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionPoint:
    """Risk at one spatial resolution."""

    x: float
    label: str
    locations: Count
    accuracy: Share | None
    low: Share | None
    high: Share | None
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgePoint(_Point):
    """Risk where the adversary knows a share ``x`` of the people."""

    precision: Share | None
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountPoint(_Point):
    """
    Risk with limited knowledge about each person; ``x`` is the mean number of known events.

    ``people_with_less`` have fewer than ``amount``: everything about them is known.
    """

    kind: KnowledgeKind
    amount: Count | None
    label: str
    people_with_less: MaskedCount
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A curve fitted to the measurements, and its extrapolation."""

    formula: str
    extrapolation: tuple[ExtrapolatedPoint, ...]
    caution: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersGrowth:
    """Risk by the number of people."""

    title: str | None = field(default=None, metadata=OMITTED)
    points: tuple[UsersPoint, ...]
    fit: Fit | None
    reading: str
    people: Count | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeGrowth:
    """Risk by the length of observation."""

    points: tuple[TimePoint, ...]
    reading: str
    people: Count | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionGrowth:
    """Risk by spatial resolution."""

    points: tuple[ResolutionPoint, ...]
    reading: str
    people: Count | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeGrowth:
    """Risk by the share of people the adversary knows."""

    points: tuple[KnowledgePoint, ...]
    reading: str
    people: Count | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountGrowth:
    """Risk by how much is known about each person; ``attack`` is the attack family of an audit."""

    title: str
    attack: str | None = field(default=None, metadata=OMITTED)
    points: tuple[AmountPoint, ...]
    reading: str
    people: Count | None = field(default=None, metadata=OMITTED)


Study = UsersGrowth | TimeGrowth | ResolutionGrowth | KnowledgeGrowth | AmountGrowth
"""Result of any growth study."""
