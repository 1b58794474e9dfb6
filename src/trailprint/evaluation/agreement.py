"""Agreement of several attacks, and the worst case for each person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.arrays import Flags, Ints
from trailprint.errors import OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCounts:
    """How many people two attacks link: both of them, only one, or neither."""

    first: str
    second: str
    both: int
    only_first: int
    only_second: int
    neither: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedBy:
    """Number of people linked by exactly ``attacks`` attacks."""

    attacks: int
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyAttack:
    """
    People that at least one attack links.

    Attributes
    ----------
    attacks : tuple of str
        Attacks that were tried on at least one person.
    people, not_tried : int
        People on whom all of these attacks were tried, and the others.
    linked : int
        Of ``people``, those linked by at least one attack.
    share : float, optional
        ``linked / people``; None without people.
    interval : tuple of float, optional
        Wilson's 95 % interval of the share.
    by_attacks : tuple of LinkedBy
        Number of people linked by each number of attacks, starting at 0.
    """

    attacks: tuple[str, ...]
    people: int
    not_tried: int
    linked: int
    share: float | None
    interval: tuple[float, float] | None
    by_attacks: tuple[LinkedBy, ...]


def linked_people(linkage: Linkage, truth: Truth, users: pa.Array) -> pa.Array:
    """Return ids of the released ``users`` whose record is linked to their own counterpart."""
    rows = np.unique(linkage.released[correct_links(linkage, truth)])
    return users.take(pa.array(rows))


def align_people(people: pa.Array, linked: Mapping[str, pa.Array]) -> dict[str, Flags]:
    """
    Flag for each attack which of ``people`` it links correctly.

    Attacks may use different users in different rows, so people are matched by id. A person on
    whom an attack was not tried counts as not linked by it; `find_worst_case` leaves them out.
    """
    return {
        attack: pc.is_in(people, value_set=ids.cast(people.type)).to_numpy(zero_copy_only=False)
        for attack, ids in linked.items()
    }


def compare_attacks(linked: Mapping[str, Flags]) -> list[PairCounts]:
    """Count, for each pair of attacks, the people linked by both, by only one, or by neither."""
    _check_lengths(linked)
    return [
        PairCounts(
            first=first,
            second=second,
            both=int(np.count_nonzero(linked[first] & linked[second])),
            only_first=int(np.count_nonzero(linked[first] & ~linked[second])),
            only_second=int(np.count_nonzero(~linked[first] & linked[second])),
            neither=int(np.count_nonzero(~linked[first] & ~linked[second])),
        )
        for first, second in combinations(linked, 2)
    ]


def tried_by_all(tried: Mapping[str, Flags]) -> Flags:
    """Flag people on whom all attacks were tried, ignoring attacks that were tried on no one."""
    _check_lengths(tried)
    used = [flags for flags in tried.values() if flags.any()]
    everybody = np.ones(len(next(iter(tried.values()))), dtype=bool)
    shared: Flags = np.logical_and.reduce([everybody, *used])
    return shared if used else ~everybody


def find_worst_case(
    linked: Mapping[str, Flags], tried: Mapping[str, Flags] | None = None
) -> AnyAttack:
    """
    Count the people linked by at least one attack, and by each number of attacks.

    Only people on whom every attack was ``tried`` count (default: all), because it is unknown
    whether an attack would link the others. An attack that was tried on no one is ignored.
    No single attack links more of these people than all together.
    """
    tried = tried or {name: np.ones_like(flags) for name, flags in linked.items()}
    shared = tried_by_all(tried)
    attacks = [name for name, flags in tried.items() if flags.any()]
    counts = count_attacks({name: linked[name][shared] for name in attacks or linked})
    n_linked = int(np.count_nonzero(counts))
    people = np.bincount(counts, minlength=len(attacks) + 1)
    return AnyAttack(
        attacks=tuple(attacks),
        people=len(counts),
        not_tried=len(shared) - len(counts),
        linked=n_linked,
        share=n_linked / len(counts) if len(counts) else None,
        interval=wilson(n_linked, len(counts)),
        by_attacks=tuple(LinkedBy(attacks=k, people=int(n)) for k, n in enumerate(people)),
    )


def count_attacks(linked: Mapping[str, Flags]) -> Ints:
    """Count, for each person, the attacks that link them correctly."""
    _check_lengths(linked)
    counts: Ints = np.sum(np.stack(list(linked.values())), axis=0, dtype=np.int64)
    return counts


def _check_lengths(linked: Mapping[str, Flags]) -> None:
    lengths = sorted({len(flags) for flags in linked.values()})
    if len(lengths) != 1:
        raise OptionError(
            "Attacks must be compared over the same people, got lists of "
            f"{', '.join(map(str, lengths)) or 'none'} people. Use align_people first."
        )
