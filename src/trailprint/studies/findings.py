"""Published results of controls and driving locations: types only, importing no attack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from trailprint.plain import OMITTED
from trailprint.values import Count, MaskedCount, MaskedText, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlFinding:
    """Published result of a control: an attack whose outcome is known beforehand."""

    attack: str
    kind: Literal["absent", "permuted"]
    title: str
    people: MaskedCount | None
    links: MaskedCount | None
    share: Share | None
    interval: tuple[Share, Share] | None
    expected: Share | None
    passed: bool
    reading: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationFinding:
    """A location, its contribution to correct links, and the change when it is left out."""

    label: str
    users: MaskedCount | None
    contribution: float
    leave_one_out: float | MaskedText | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RareLocation:
    """People who can be found by one rare location alone."""

    people: MaskedCount
    share: Share | None
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPlace:
    """Position of a location in degrees, its people, and its contribution to correct links."""

    lat: float
    lon: float
    people: Count
    contribution: float | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationMap:
    """Places with enough people to be shown; ``left_out`` counts those with too few."""

    places: tuple[MapPlace, ...]
    cell_m: float | None
    left_out: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """
    Locations that drive re-identification; ``map`` is set only if they may be named.

    ``leave_one_out_attack`` is the attack whose links change when a location is left out.
    """

    locations: tuple[LocationFinding, ...]
    one_rare_location: RareLocation | None
    reading: str | None
    leave_one_out_attack: str | None = field(default=None, metadata=OMITTED)
    map: LocationMap | None = field(default=None, metadata=OMITTED)
