"""Singling out: what a few known points reveal in one release, separate from rates of links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from trailprint.audit.results.attacks import Interval
from trailprint.audit.results.growth import StudyLeftOut
from trailprint.plain import OMITTED
from trailprint.values import Amount, Count, KnownPointKind, MaskedCount, Rule, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class UnicityPoint:
    """
    What ``points`` randomly drawn points reveal.

    ``share`` is the share of people and draws where nobody else agrees; ``fewer_than`` the share
    with fewer than 2, 5, 10 and 20 candidates, including the person; ``shorter`` counts people
    with fewer points, all of which are known.
    """

    points: Count
    share: Share | None
    interval: Interval | None
    candidates_mean: Amount
    candidates_median: Amount
    fewer_than: Mapping[str, Share]
    shorter: MaskedCount
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstPoint:
    """
    What the most identifying ``k`` points reveal, over all choices of points.

    ``share`` of the people are singled out by some choice; ``mean_risk`` is the mean of
    1 / fewest candidates, None if ``share`` is masked.
    """

    k: Count
    share: Share | None
    interval: Interval | None
    mean_risk: Share | None
    candidates_median: Amount
    fewer_than: Mapping[str, Share]
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPart:
    """How many people share each person's whole trace, set of places, or most visited places."""

    what: str
    label: str
    share: Share | None
    interval: Interval | None
    sharing_median: Amount
    fewer_than: Mapping[str, Share]
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """Unicity at a coarser resolution of places and times; ``time_s`` is None without times."""

    points: Count
    place: str
    cell_m: Amount | None
    time: str
    time_s: Count | None
    share: Share | None
    candidates_median: Amount
    at_most: Share | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsFinding:
    """
    What a few known points reveal.

    Attributes
    ----------
    name, title, question, assumptions : str
        Those of the family.
    ran, why_not : bool, str
        Whether anything was measured, and if not, why.
    people, places : int
        Number in the release: on the released side, whether or not they are on the other.
    knowledge : str
        What one point consists of: ``place-time`` or ``place``.
    time_resolution : str, optional
        Length of a time bin; None where points have no time.
    draws : int
        How often points were drawn for each person.
    quoted : int, optional
        Number of points that sentences and the grid refer to.
    sentence : str
        The result as a sentence.
    """

    name: Annotated[str, Rule("const", "points")]
    title: str
    question: str
    assumptions: tuple[str, ...]
    ran: bool
    why_not: str | None
    people: Count = 0
    places: Count = 0
    knowledge: KnownPointKind | None = None
    time_resolution: str | None = None
    cell_m: Amount | None = None
    draws: Count = 0
    quoted: Count | None = None
    unicity: tuple[UnicityPoint, ...] = ()
    grid: tuple[GridCell, ...] = ()
    worst_case: tuple[WorstPoint, ...] = ()
    singling_out: tuple[SharedPart, ...] = ()
    left_out: tuple[StudyLeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    sentence: str = ""

    @property
    def quoted_point(self) -> UnicityPoint | None:
        """Result for the number of points that is quoted."""
        return next((one for one in self.unicity if one.points == self.quoted), None)

    @property
    def worst(self) -> WorstPoint | None:
        """The worst case for two points, or the nearest number below."""
        return next(iter([*[one for one in self.worst_case if one.k <= 2][-1:]]), None)
