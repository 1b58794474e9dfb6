"""Judges of a protected release: attack families, and what each achieves against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from trailprint.display.discreet import Discreet
from trailprint.evaluation.intervals import wilson
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.protections.protection import Protection
from trailprint.studies.repeated import PreparedAttack

Ways = Sequence[PreparedAttack[Any]]
"""One or more fully configured attacks of a family; the strongest counts."""

HISTOGRAM = "histogram"
"""The family that judges every release: histograms can be counted from any release."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judge(Discreet):
    """
    An attack family used to judge protected releases.

    Attributes
    ----------
    name : str
        Name of the family.
    on_events : callable, optional
        Prepares the attack on protected events of both sides; it also gets the applied chain,
        which the adversary knows. Anything learnt is learnt again from the protected events.
    on_histograms : callable, optional
        The same for histograms of both sides; used if ``on_events`` is None.
    is_quick : bool
        Whether the judge runs on every value tried; other judges run only where it matters.
    people : pyarrow.Array, optional
        The released ids it is tried on (default: all).
    """

    name: str
    on_events: Callable[[Events, Events, Sequence[Protection]], Ways] | None = None
    on_histograms: Callable[[Histograms, Histograms], Ways] | None = None
    is_quick: bool = False
    people: pa.Array | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """
    What one attack achieves against a protected release.

    Attributes
    ----------
    attack : str
        Its name: the family, or for histograms the method and the metric.
    family : str
        The family it belongs to.
    people, is_whole : int, bool
        Number of people it was tried on, and whether that is all of them.
    left : int
        Number of them who still have records on both sides; only they can be linked.
    user_accuracy : float
        Share of them who are linked to their own record.
    cluster_accuracy : float
        Share who are linked to their own record or to one equal to it (2016 paper, V-B2).
    expected_user_accuracy : float
        The user-level accuracy averaged over all ways to break ties between equal records.
    accuracy_interval, cluster_interval : tuple of float
        Wilson's 95 % intervals.
    chance : float
        The user-level accuracy of as many links drawn at random.
    """

    attack: str
    family: str = HISTOGRAM
    people: int = 0
    left: int = 0
    is_whole: bool = True
    user_accuracy: float
    cluster_accuracy: float
    expected_user_accuracy: float
    accuracy_interval: tuple[float, float]
    cluster_interval: tuple[float, float]
    chance: float

    @property
    def at_risk(self) -> float:
        """
        Risk compared with the target: upper end of the 95 % interval among the people left.

        Ties between equal records count as drawn or on average, whichever is higher. Dropping a
        person makes nobody else safer. If only some people were tried, the rate itself counts:
        fewer people are easier to tell apart, so it is above the rate among all. With no people
        left the rate is unknown: assume 1.
        """
        rate = max(self.user_accuracy, self.expected_user_accuracy)
        n_linked = min(rate * self.people, self.left)
        if self.left and not self.is_whole:
            return n_linked / self.left
        return (wilson(n_linked, self.left) or (0.0, 1.0))[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """A family that could not be tried on a protected release, and why."""

    family: str
    why: str


def find_strongest(found: Iterable[Success]) -> Success:
    """Return the attack that links the largest share, preferring those tried on all people."""
    listed = list(found)
    whole = [one for one in listed if one.is_whole]
    return max(whole or listed, key=lambda one: one.expected_user_accuracy)


def find_by_family(found: Iterable[Success]) -> dict[str, Success]:
    """Return the strongest attack of each family."""
    best: dict[str, Success] = {}
    for one in found:
        known = best.get(one.family)
        if known is None or one.expected_user_accuracy > known.expected_user_accuracy:
            best[one.family] = one
    return best


def measure_at_risk(found: Iterable[Success]) -> float:
    """
    Return the risk compared with the target: the highest over all attacks.

    An attack tried on some people of whom nobody is left says nothing about the others.
    """
    known = (one.at_risk for one in found if one.left or one.is_whole)
    return max(known, default=1.0)
