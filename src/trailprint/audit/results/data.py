"""The audited data: both sides, and how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from trailprint.plain import OMITTED
from trailprint.values import Amount, Count, KnowledgeKind, MaskedCount


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFacts:
    """Size and period of one side."""

    users: Count
    locations: Count
    events: Amount
    first: str | None
    last: str | None
    days: float | None
    active_days_median: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitFacts:
    """How one dataset was cut in two."""

    kind: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A random sample of the people on both sides."""

    users: Count
    of: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """How much of the auxiliary side was known of each person, if not everything."""

    kind: KnowledgeKind
    amount: Count | None
    people_with_less: MaskedCount
    mean_points: float | None
    note: str | None
    reading: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Has:
    """What both sides record of each event besides user and place."""

    times: bool
    durations: bool
    positions: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """People in the data whom no rate covers; ``of`` is the number of all people."""

    people: Count
    of: Count
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFacts:
    """Publishable facts about the data."""

    sides: Literal["split", "two"]
    split: SplitFacts | None
    released: SideFacts
    auxiliary: SideFacts
    common_users: Count | None
    locations: Count
    sampled: Sampled | None
    has: Has
    rows_skipped: Count
    rows_left_out: Mapping[str, Count]
    periods_overlap: bool | None
    truth: Literal["same-ids", "file", "none"]
    knows: KnownFacts | None = field(default=None, metadata=OMITTED)
    columns: tuple[str, ...] | None = field(default=None, metadata=OMITTED)
    timezone: str | None = field(default=None, metadata=OMITTED)
    outside: Outside | None = field(default=None, metadata=OMITTED)
