"""Who judges a protected release: families of attack, and what each achieves against it."""

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
"""One attack with everything chosen, or several of a family: the strongest counts."""

HISTOGRAM = "histogram"
"""The family that judges every release: of whatever is released, histograms can be counted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judge(Discreet):
    """
    One family of attack as it judges protected releases.

    Attributes
    ----------
    name : str
        Of the family.
    on_events : callable, optional
        Makes the attack ready for protected events of both sides and the chain that was applied,
        which the adversary knows; whatever it learns, it learns again.
    on_histograms : callable, optional
        The same for histograms of both sides; used for events where ``on_events`` is None.
    is_quick : bool
        Asked about every value that is tried; others are asked where it matters.
    people : pyarrow.Array, optional
        The released ids it is tried on; None: everybody.
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
        Its name: the family, or of histograms the method and the weight.
    family : str
        The family it belongs to.
    people, is_whole : int, bool
        How many people it was tried on, and whether that is everybody.
    left : int
        How many of them still have records on both sides: nobody else can be linked.
    user_accuracy : float
        Share of them who are linked to their own record.
    cluster_accuracy : float
        Share who are linked to their own record or to one equal to it (2016 paper, V-B2).
    expected_user_accuracy : float
        The user-level accuracy over all ways to break ties between equal records.
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
        What must not exceed a target: the upper end of the 95 % interval among those left.

        Ties between equal records count as they were drawn or on average, whichever is more. Who
        was dropped makes nobody else safer. Where only some people were tried, the rate counts:
        fewer people are easier to tell apart, so that it is above the rate among all.
        """
        rate = max(self.user_accuracy, self.expected_user_accuracy)
        n_linked = min(rate * self.people, self.left)
        if not self.is_whole:
            return n_linked / max(self.left, 1)
        # Of nobody nothing is known.
        return (wilson(n_linked, self.left) or (0.0, 1.0))[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """A family that could not be tried on a protected release, and why."""

    family: str
    why: str


def find_strongest(found: Iterable[Success]) -> Success:
    """What links the largest share, of attacks tried on everybody; of others if there is none."""
    listed = list(found)
    whole = [one for one in listed if one.is_whole]
    return max(whole or listed, key=lambda one: one.expected_user_accuracy)


def find_by_family(found: Iterable[Success]) -> dict[str, Success]:
    """The strongest attack of each family."""
    best: dict[str, Success] = {}
    for one in found:
        known = best.get(one.family)
        if known is None or one.expected_user_accuracy > known.expected_user_accuracy:
            best[one.family] = one
    return best


def measure_at_risk(found: Iterable[Success]) -> float:
    """What must not exceed a target, by whichever attack it is highest."""
    return max(one.at_risk for one in found)
