"""Methods of one attack, and which of them counts: the one an adversary would take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trailprint.audit.wording import lower_first
from trailprint.display.discreet import Discreet
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateMethod(Discreet):
    """One method of an attack: what it is called, what it found, and how to run it again."""

    title: str
    linkage: Linkage
    seconds: float
    chosen: Mapping[str, Any] = field(default_factory=dict)

    def count_right(self, truth: Truth) -> int:
        """How many of its links are right."""
        return int(np.count_nonzero(correct_links(self.linkage, truth)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestMethod(Discreet):
    """The method of an attack that counts, and the other one, if there is one to compare with."""

    best: CandidateMethod
    other: CandidateMethod | None
    notes: tuple[str, ...] = ()


def choose_method(own: CandidateMethod, simple: CandidateMethod, truth: Truth) -> BestMethod:
    """
    The family's own method, or the simpler one where that links more people.

    An adversary takes what works best: nobody may be told a smaller risk than was measured.
    """
    if simple is own:
        return BestMethod(best=own, other=None)
    if simple.count_right(truth) <= own.count_right(truth):
        return BestMethod(best=own, other=simple)
    title = lower_first(simple.title)
    note = f"Here the simpler method links more people, so that it is the one shown: {title}."
    return BestMethod(best=simple, other=own, notes=(note,))
