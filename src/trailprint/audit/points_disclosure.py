"""Disclosure control of singling out: masks counts of a few people and shares that reveal them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from trailprint.audit.results.attacks import Interval
from trailprint.audit.results.points import GridCell, SharedPart, UnicityPoint, WorstPoint
from trailprint.evaluation.unicity import Sharing, Unicity, WorstPoints
from trailprint.studies.known_points import GridShare
from trailprint.studies.small_counts import hide_small, highest_share, is_small
from trailprint.workflows.points_result import show_resolution

_ALONE = 2
"""With fewer candidates than this, the person is alone."""

SHARED = {
    "trace": "Whole trace",
    "places": "Set of places",
    "top-1": "Most visited place",
    "top-2": "Two most visited places",
    "top-3": "Three most visited places",
}
"""Labels of what people may share in a release."""


class _Disclosed(TypedDict):
    share: float | None
    interval: Interval | None
    at_most: float | None


def disclose_unicity(found: Unicity) -> UnicityPoint:
    """Return what randomly drawn points reveal, small counts masked."""
    return UnicityPoint(
        points=found.points,
        **_disclose_share(found.share, found.interval, found.people),
        candidates_mean=found.candidates_mean,
        candidates_median=found.candidates_median,
        fewer_than=_disclose_few(found.fewer_than, found.people),
        shorter=hide_small(found.shorter),
    )


def disclose_worst(found: WorstPoints, n_people: int) -> WorstPoint:
    """Return what the most identifying points reveal, small counts masked."""
    told = _disclose_share(found.share_at_one, found.interval, n_people)
    return WorstPoint(
        k=found.k,
        **told,
        mean_risk=None if told["share"] is None else found.mean_risk,
        candidates_median=found.candidates_median,
        fewer_than=_disclose_few(found.fewer_than, n_people),
    )


def disclose_sharing(found: Sharing) -> SharedPart:
    """Return how many people share something, small counts masked."""
    return SharedPart(
        what=found.what,
        label=SHARED[found.what],
        **_disclose_share(found.unique_share, found.interval, found.people),
        sharing_median=found.sharing_median,
        fewer_than=_disclose_few(found.fewer_than, found.people),
    )


def disclose_cell(found: GridShare, n_people: int) -> GridCell:
    """Return one cell of the grid, small counts masked."""
    told = _disclose_share(found.share, None, n_people)
    return GridCell(
        points=found.points,
        place=found.place,
        cell_m=found.cell_m,
        time=show_resolution(found.time_s),
        time_s=found.time_s,
        share=told["share"],
        candidates_median=found.candidates_median,
        at_most=told["at_most"],
    )


def _disclose_share(share: float, interval: Interval | None, n_people: int) -> _Disclosed:
    if is_small(_count(share, n_people)):
        return {"share": None, "interval": None, "at_most": highest_share(n_people)}
    return {"share": share, "interval": interval, "at_most": None}


def _disclose_few(shares: Mapping[int, float], n_people: int) -> dict[str, float]:
    """Keep shares with few candidates so that between any two are zero or at least ten people."""
    told, last = {}, 0.0
    for few, share in sorted(shares.items()):
        count = _count(share, n_people)
        # How many are alone is masked separately, and the complement follows from that.
        rest = 0 if few == _ALONE else n_people - count
        if not is_small(count - last) and not is_small(rest):
            told[str(few)] = share
            last = count
    return told


def _count(share: float, n_people: int) -> float:
    """Return how many people a share stands for; of a mean over draws, it may be a fraction."""
    return round(share * n_people, 6)
