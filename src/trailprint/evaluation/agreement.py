"""Whom several attacks find: where they agree, and the worst case for each person."""

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
    """How many people exactly ``attacks`` attacks link."""

    attacks: int
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyAttack:
    """
    People that at least one attack links.

    Attributes
    ----------
    attacks : tuple of str
        Attacks that were tried on anybody.
    people, not_tried : int
        People whom each of them was tried on, and the others.
    linked : int
        Of these people, those whom at least one links.
    share : float, optional
        The same as a share; None of nobody.
    interval : tuple of float, optional
        Wilson's 95 % interval of the share.
    by_attacks : tuple of LinkedBy
        How many people each number of attacks links, from none on.
    """

    attacks: tuple[str, ...]
    people: int
    not_tried: int
    linked: int
    share: float | None
    interval: tuple[float, float] | None
    by_attacks: tuple[LinkedBy, ...]


def linked_people(linkage: Linkage, truth: Truth, users: pa.Array) -> pa.Array:
    """Ids of the released ``users`` whose record is linked to their own counterpart."""
    rows = np.unique(linkage.released[correct_links(linkage, truth)])
    return users.take(pa.array(rows))


def align_people(people: pa.Array, linked: Mapping[str, pa.Array]) -> dict[str, Flags]:
    """
    Say for each attack which of ``people`` it links correctly.

    Attacks may see different users, in different rows; ids bring them together. A person an
    attack was not tried on counts as not linked by it: `find_worst_case` leaves them out.
    """
    return {
        attack: pc.is_in(people, value_set=ids.cast(people.type)).to_numpy(zero_copy_only=False)
        for attack, ids in linked.items()
    }


def compare_attacks(linked: Mapping[str, Flags]) -> list[PairCounts]:
    """For every two attacks: how many people both link, only one of them, or neither."""
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
    """Who was tried by every attack that was tried on anybody."""
    _check_lengths(tried)
    used = [flags for flags in tried.values() if flags.any()]
    everybody = np.ones(len(next(iter(tried.values()))), dtype=bool)
    shared: Flags = np.logical_and.reduce([everybody, *used])
    return shared if used else ~everybody


def find_worst_case(
    linked: Mapping[str, Flags], tried: Mapping[str, Flags] | None = None
) -> AnyAttack:
    """
    How many people at least one attack links, and how many each number of attacks links.

    Only people whom every attack was ``tried`` on count, all by default: of the others it is not
    known whether an attack would link them. An attack that was tried on nobody does not count.
    Among the same people no single attack links more.
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
    """For each person, how many attacks link them correctly."""
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
