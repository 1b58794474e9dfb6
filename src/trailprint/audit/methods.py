"""Methods of one attack, and the choice of the one an adversary would use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.audit.attacks.choices import NoChoice
from trailprint.audit.wording import lower_first
from trailprint.display.discreet import Discreet
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateMethod(Discreet):
    """One method of an attack: its title, its links, and the family's choice of it."""

    title: str
    linkage: Linkage
    seconds: float
    chosen: object = NoChoice()

    def count_right(self, truth: Truth) -> int:
        """Return how many of its links are right."""
        return int(np.count_nonzero(correct_links(self.linkage, truth)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestMethod(Discreet):
    """The chosen method of an attack, and the other one to compare with, if any."""

    best: CandidateMethod
    other: CandidateMethod | None
    notes: tuple[str, ...] = ()


def choose_method(own: CandidateMethod, simple: CandidateMethod, truth: Truth) -> BestMethod:
    """
    Return the family's own method, or the simpler one if that links more people.

    An adversary uses what works best: the reported risk must not be below the highest measured.
    """
    if simple is own:
        return BestMethod(best=own, other=None)
    if simple.count_right(truth) <= own.count_right(truth):
        return BestMethod(best=own, other=simple)
    title = lower_first(simple.title)
    note = f"Here the simpler method links more people, so that it is the one shown: {title}."
    return BestMethod(best=simple, other=own, notes=(note,))
