"""Whom several attacks find: where they agree, and the worst case for each person."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.arrays import Flags, Ints
from trailprint.errors import OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage


def linked_people(linkage: Linkage, truth: Truth, users: pa.Array) -> pa.Array:
    """Ids of the released ``users`` whose record is linked to their own counterpart."""
    rows = np.unique(linkage.released[correct_links(linkage, truth)])
    return users.take(pa.array(rows))


def align_people(people: pa.Array, linked: Mapping[str, pa.Array]) -> dict[str, Flags]:
    """
    Say for each attack which of ``people`` it links correctly.

    Attacks may see different users, in different rows; ids bring them together. Somebody an
    attack knows nothing of is not linked by it.
    """
    return {
        attack: pc.is_in(people, value_set=ids.cast(people.type)).to_numpy(zero_copy_only=False)
        for attack, ids in linked.items()
    }


def compare_attacks(linked: Mapping[str, Flags]) -> list[dict[str, Any]]:
    """For every two attacks: how many people both link, only one of them, or neither."""
    _check_lengths(linked)
    return [
        {
            "first": first,
            "second": second,
            "both": int(np.count_nonzero(linked[first] & linked[second])),
            "only_first": int(np.count_nonzero(linked[first] & ~linked[second])),
            "only_second": int(np.count_nonzero(~linked[first] & linked[second])),
            "neither": int(np.count_nonzero(~linked[first] & ~linked[second])),
        }
        for first, second in combinations(linked, 2)
    ]


def find_worst_case(linked: Mapping[str, Flags]) -> dict[str, Any]:
    """How many people at least one attack links, and how many so many attacks link."""
    counts = count_attacks(linked)
    n_linked = int(np.count_nonzero(counts))
    interval = wilson(n_linked, len(counts))
    people = np.bincount(counts, minlength=len(linked) + 1)
    return {
        "people": len(counts),
        "linked": n_linked,
        "share": n_linked / len(counts) if len(counts) else None,
        "interval": None if interval is None else list(interval),
        "by_attacks": [{"attacks": k, "people": int(n)} for k, n in enumerate(people)],
    }


def count_attacks(linked: Mapping[str, Flags]) -> Ints:
    """For each person, how many attacks link her correctly."""
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
