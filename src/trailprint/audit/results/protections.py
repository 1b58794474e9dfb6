"""What protections cost, and the risk they leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trailprint.audit.results.attacks import Interval
from trailprint.audit.results.points import SharedPart
from trailprint.plain import OMITTED
from trailprint.values import Amount, Count, MaskedCount, OccupancyOf, Share

NONE = "none"
"""Name of the unprotected data, which protections are compared with."""


class _Named:
    """A point of the protections, by name."""

    __slots__ = ()
    name: str

    @property
    def is_unprotected(self) -> bool:
        """Whether this is the data as it is, which protections are compared with."""
        return self.name == NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudgedBy:
    """A family of attack that could not be tried on a protected release, and why."""

    attack: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredJudgement:
    """Exact result of one family against a protected release: not to be published."""

    attack: str
    variant: str
    people: int
    accuracy: float
    interval: Interval
    cluster_accuracy: float
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredGroups:
    """Exact number of people who share a released record: not to be published."""

    smallest: int
    people: int
    in_small: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredAlone:
    """
    Exact result for a release cut in two as its own audit would cut it: not to be published.

    ``people`` are on both sides of that cut; ``at_risk`` is the rate that must not exceed a target.
    """

    people: int
    attack: str
    accuracy: float
    interval: Interval
    at_risk: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """
    Utility of a release for some tasks; None if a task cannot be done with it.

    ``next_place`` is the share of moves whose destination is predicted, ``next_place_before`` the
    same in the unprotected data. ``occupancy_error`` is the error of visitors per place and hour
    (``occupancy_of`` says what is counted), ``flow_error`` that of moves between places.
    """

    next_place_before: Share | None
    next_place: Share | None
    occupancy_error: Share
    occupancy_of: OccupancyOf
    flow_error: Share | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredProtection(_Named):
    """
    A protection that was tried, with exact rates: not to be published.

    ``at_risk`` is the rate that must not exceed a target, ``judged_by_all`` whether every family
    that ran was tried; ``written`` is the protection as typed. ``left`` people still have records
    on both sides.
    """

    label: str
    name: str
    written: str = ""
    parameters: Mapping[str, Any]
    loss: float
    accuracy: float
    interval: Interval
    cluster_accuracy: float
    chance: float
    attack: str
    at_risk: float = 1.0
    left: int | None = None
    alone: MeasuredAlone | None = None
    judged: tuple[MeasuredJudgement, ...] = ()
    not_judged: tuple[NotJudgedBy, ...] = ()
    judged_by_all: bool = True
    groups: MeasuredGroups | None = None
    on_frontier: bool = False
    asked: bool = False
    singling_out: tuple[SharedPart, ...] = ()
    tasks: TaskFacts | None = field(default=None, metadata=OMITTED)
    people: int | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBy:
    """Publishable result of one family against a protected release, tried on ``people``."""

    attack: str
    variant: str
    people: Count
    accuracy: Share | None
    interval: Interval | None
    cluster_accuracy: Share | None
    chance: Share | None
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AloneFacts:
    """
    Publishable result of what an audit of the release itself will find.

    The whole dataset was protected and cut in two again. ``people`` are on both sides of that cut,
    and ``attack`` is the family that links most of them.
    """

    people: Count
    attack: str
    accuracy: Share | None
    interval: Interval | None
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFacts:
    """
    People whose released records are equal in everything but the id.

    Each person shares their record with at least ``smallest`` - 1 others; ``share_under_k`` is the
    share of people with fewer than ``k`` - 1 others.
    """

    smallest: Count
    k: Count
    people_under_k: MaskedCount
    share_under_k: Share | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionPoint(_Named):
    """
    Publishable result of a protection: its loss, and the risk that is left.

    ``attack`` is the family that links most; ``judged`` what each achieves, ``not_judged`` which
    cannot be tried; ``tasks`` the utility of the release, if measured. ``written`` is what
    ``trailprint protect --apply`` takes. ``left`` people still have records on both sides, and
    ``alone`` is what an audit of the release itself finds, if tried.
    """

    label: str
    name: str
    written: str = ""
    parameters: Mapping[str, Any]
    loss: Amount | None
    accuracy: Share | None
    interval: Interval | None
    cluster_accuracy: Share | None
    chance: Share | None
    attack: str | None
    judged: tuple[JudgedBy, ...] = ()
    not_judged: tuple[NotJudgedBy, ...] = ()
    judged_by_all: bool = True
    groups: GroupFacts | None = None
    on_frontier: bool
    asked: bool
    singling_out: tuple[SharedPart, ...] | None = field(default=None, metadata=OMITTED)
    tasks: TaskFacts | None = field(default=None, metadata=OMITTED)
    at_most: Share | None = field(default=None, metadata=OMITTED)
    people: Count | None = field(default=None, metadata=OMITTED)
    left: Count | None = field(default=None, metadata=OMITTED)
    alone: AloneFacts | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFacts:
    """
    How the least loss was searched for.

    Attributes
    ----------
    tried : int
        Number of releases that were made and attacked.
    judged_by_all : int
        How many of them every attack was tried on.
    combinations : tuple of str
        Chains of several protections that were tried.
    not_tried : tuple of str
        Combinations that were not tried for lack of time.
    stopped : bool
        Whether time ran out before the search was complete.
    """

    tried: Count
    judged_by_all: Count
    combinations: tuple[str, ...] = ()
    not_tried: tuple[str, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionLeftOut:
    """A protection that was not tried, and why."""

    label: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredProtections:
    """Every protection that was tried, with exact rates: not to be published."""

    points: tuple[MeasuredProtection, ...]
    target_risk: float | None
    target: MeasuredProtection | None
    left_out: tuple[ProtectionLeftOut, ...] = ()
    search: SearchFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Protections:
    """Publishable results of the protections, and which one reaches the target."""

    points: tuple[ProtectionPoint, ...]
    loss_meaning: str | None
    target_risk: Share | None
    target: ProtectionPoint | None
    left_out: tuple[ProtectionLeftOut, ...]
    target_reading: str | None
    search: SearchFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineProtection(_Named):
    """The protection named in the headline."""

    label: str
    name: str
    written: str = ""
    parameters: Mapping[str, Any]
    attack: str | None = None
    share: Share | None
    interval: Interval | None
    at_most: Share | None = None
    loss: Amount | None
    loss_meaning: str
