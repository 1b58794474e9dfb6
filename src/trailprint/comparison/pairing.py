"""
The same people in two audits: who was linked in both, in one, in neither.

A table of two attacks on the same people follows from its totals and one cell. So where a cell
holds a few people the whole table stays hidden, as in an audit; what is said of the test then
follows from the totals, which both audits tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trailprint.audit.outcomes import NOT_TRIED, PersonOutcomes
from trailprint.comparison.results import Pairs
from trailprint.display.discreet import Discreet
from trailprint.evaluation.differences import PairedCounts, highest_p_value, mcnemar_exact
from trailprint.studies.small_counts import HIDDEN, SMALL, is_small

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paired(Discreet):
    """
    Exact counts of people tried in both audits: not to be told.

    ``alone`` counts people tried in one of the audits only: linked and not linked by the first,
    linked and not linked by the second.
    """

    counts: PairedCounts
    alone: tuple[int, int, int, int]

    @property
    def is_shown(self) -> bool:
        """Whether no group of a few people can be worked out from the table and the totals."""
        found = self.counts
        cells = (found.both, found.only_first, found.only_second, found.neither)
        return not any(is_small(n) for n in (*cells, *self.alone))

    @property
    def is_everybody(self) -> bool:
        """Whether both audits tried the very same people."""
        return not any(self.alone)


def pair_people(
    first: PersonOutcomes, second: PersonOutcomes, attacks: tuple[str, str]
) -> Paired | None:
    """Count the people whom both attacks were tried on; None where there is nobody."""
    people_1, linked_1 = _tried(first, attacks[0])
    people_2, linked_2 = _tried(second, attacks[1])
    common, at_1, at_2 = np.intersect1d(people_1, people_2, return_indices=True)
    if not len(common):
        return None
    a, b = linked_1[at_1], linked_2[at_2]
    counts = PairedCounts(
        both=int((a & b).sum()),
        only_first=int((a & ~b).sum()),
        only_second=int((~a & b).sum()),
        neither=int((~a & ~b).sum()),
    )
    return Paired(counts=counts, alone=(*_alone(linked_1, at_1), *_alone(linked_2, at_2)))


def _tried(found: PersonOutcomes, attack: str) -> tuple[NDArray[np.bytes_], Flags]:
    """The people an attack was tried on, and whether it linked them."""
    own = found.linked[attack]
    is_tried = own != NOT_TRIED
    return found.people[is_tried], own[is_tried] == 1


def _alone(linked: Flags, common: NDArray[np.intp]) -> tuple[int, int]:
    """People who are on one side only: how many of them are linked, and how many are not."""
    n_linked = int(linked.sum() - linked[common].sum())
    return n_linked, len(linked) - len(common) - n_linked


def disclose_pairs(paired: Paired) -> Pairs:
    """The table with its test, or what the totals say of it."""
    found = paired.counts
    if paired.is_shown:
        return Pairs(
            people=found.people,
            both=found.both,
            only_first=found.only_first,
            only_second=found.only_second,
            neither=found.neither,
            p_value=mcnemar_exact(found.only_first, found.only_second),
            p_value_is="exact",
        )
    p_value = _highest_p_value(found) if paired.is_everybody else None
    return Pairs(
        people=found.people,
        both=HIDDEN,
        only_first=HIDDEN,
        only_second=HIDDEN,
        neither=HIDDEN,
        p_value=p_value,
        p_value_is="not shown" if p_value is None else "at most",
    )


def _highest_p_value(found: PairedCounts) -> float:
    """The largest p-value that what both audits tell of their totals allows."""
    firsts = _possible(found.both + found.only_first, found.people)
    seconds = _possible(found.both + found.only_second, found.people)
    return max(highest_p_value(a, b, found.people) for a in firsts for b in seconds)


def _possible(total: int, people: int) -> range:
    """What a total may be for somebody who reads an audit: itself, or any small count."""
    return range(1, min(SMALL, people + 1)) if is_small(total) else range(total, total + 1)
