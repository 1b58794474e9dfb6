"""
The same people in two audits: how many were linked in both, in one, in neither.

The whole 2 x 2 table follows from its totals and one cell. If any cell counts only a few people,
the whole table is therefore suppressed, as in an audit; what is then reported about the test
follows from the totals, which both audits publish.
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
    Exact counts of people tried in both audits; not to be published.

    ``alone`` counts people tried in only one of the audits: linked and not linked by the first,
    linked and not linked by the second.
    """

    counts: PairedCounts
    alone: tuple[int, int, int, int]

    @property
    def is_shown(self) -> bool:
        """Whether no small group of people can be derived from the table and the totals."""
        found = self.counts
        cells = (found.both, found.only_first, found.only_second, found.neither)
        return not any(is_small(n) for n in (*cells, *self.alone))

    @property
    def is_everybody(self) -> bool:
        """Whether both audits tried exactly the same people."""
        return not any(self.alone)


def pair_people(
    first: PersonOutcomes, second: PersonOutcomes, attacks: tuple[str, str]
) -> Paired | None:
    """Count the people on whom both attacks were tried; None if there are none."""
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
    """The people on whom an attack was tried, and whether it linked them."""
    own = found.linked[attack]
    is_tried = own != NOT_TRIED
    return found.people[is_tried], own[is_tried] == 1


def _alone(linked: Flags, common: NDArray[np.intp]) -> tuple[int, int]:
    """Number of people in only one audit: those linked, and those not linked."""
    n_linked = int(linked.sum() - linked[common].sum())
    return n_linked, len(linked) - len(common) - n_linked


def disclose_pairs(paired: Paired) -> Pairs:
    """The table with its exact test, or only what follows from the totals if it is hidden."""
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
    """The largest p-value consistent with the totals that both audits publish."""
    firsts = _possible(found.both + found.only_first, found.people)
    seconds = _possible(found.both + found.only_second, found.people)
    return max(highest_p_value(a, b, found.people) for a in firsts for b in seconds)


def _possible(total: int, people: int) -> range:
    """Values of a total that its published form allows: itself, or any small count if masked."""
    return range(1, min(SMALL, people + 1)) if is_small(total) else range(total, total + 1)
