"""How risk grows with people, time, resolution and what the adversary knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from trailprint.plain import OMITTED
from trailprint.studies.growth.findings import (
    AmountGrowth,
    KnowledgeGrowth,
    ResolutionGrowth,
    TimeGrowth,
    UsersGrowth,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyLeftOut:
    """A study that was not run, and why."""

    study: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Every study that was run, and why others were not."""

    users: UsersGrowth | None
    time: TimeGrowth | None
    resolution: ResolutionGrowth | None
    knowledge: KnowledgeGrowth | None
    amount_known: AmountGrowth | None = field(default=None, metadata=OMITTED)
    left_out: tuple[StudyLeftOut, ...]
