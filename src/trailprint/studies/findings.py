"""What controls and causes may tell: types alone, so that whoever reads them loads no attack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from trailprint.plain import OMITTED
from trailprint.studies.small_counts import MaskedCount


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlFinding:
    """An attack whose outcome is known beforehand."""

    attack: str
    kind: Literal["absent", "permuted"]
    title: str
    people: MaskedCount | None
    links: MaskedCount | None
    share: float | None
    interval: tuple[float, float] | None
    expected: float | None
    passed: bool
    reading: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationFinding:
    """A location, what correct links owe to it, and what leaving it out changes."""

    label: str
    users: MaskedCount | None
    contribution: float
    leave_one_out: float | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RareLocation:
    """People whom one rare location alone gives away."""

    people: MaskedCount
    share: float | None
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPlace:
    """Where a location lies, in degrees, its people, and what correct links owe to it."""

    lat: float
    lon: float
    people: int
    contribution: float | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationMap:
    """Places with enough people; ``left_out`` more have fewer people than those shown."""

    places: tuple[MapPlace, ...]
    cell_m: float | None
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Which locations give people away; ``map`` only where they may be named."""

    locations: tuple[LocationFinding, ...]
    one_rare_location: RareLocation | None
    reading: str | None
    map: LocationMap | None = field(default=None, metadata=OMITTED)
