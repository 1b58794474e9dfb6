"""Shared by studies that change events: rebuild features for the same people and attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth, truth_from_ids, truth_from_pairs
from trailprint.events.events import Events
from trailprint.features.histograms import build_histogram_pair
from trailprint.studies.repeated import Prepare, PreparedAttack
from trailprint.studies.small_counts import MaskedRate, mask_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFound:
    """Result of one attack: number of people who could be found, and of those who were."""

    n_people: int
    n_found: int
    n_locations: int

    @property
    def rate(self) -> MaskedRate:
        """Accuracy with Wilson's 95 % interval, masked if few people were found."""
        interval = wilson(self.n_found, self.n_people) or (0.0, 1.0)
        accuracy = self.n_found / self.n_people
        return mask_rate(accuracy, interval, self.n_found, self.n_people)


class Ready(NamedTuple):
    """A prepared attack on two sides, and the true pairs of its rows."""

    prepared: PreparedAttack[Any]
    truth: Truth


def prepare_pair(
    prepare: Prepare, released: Events, auxiliary: Events, pairs: pa.Table | None
) -> Ready:
    """Prepare an attack on these events; true pairs are ``pairs`` of ids, or else equal ids."""
    prepared = prepare(released, auxiliary)
    return Ready(prepared, _know(*prepared.users, pairs))


def _know(released: pa.Array, auxiliary: pa.Array, pairs: pa.Table | None) -> Truth:
    """True pairs; empty if no pair is in the data, which may happen when little of it is left."""
    if pairs is None:
        return truth_from_ids(released, auxiliary)
    present = pc.and_(
        pc.is_in(pairs["released"], value_set=released),
        pc.is_in(pairs["auxiliary"], value_set=auxiliary),
    )
    if not pc.any(present).as_py():
        return Truth.from_partner(np.empty(0, dtype=np.int64), "none")
    return truth_from_pairs(pairs, released, auxiliary)


def attack_pair(ready: Ready) -> PeopleFound:
    """Run the attack and count the people linked correctly."""
    linkage = ready.prepared.run()
    return PeopleFound(
        n_people=ready.truth.n_common,
        n_found=int(np.count_nonzero(correct_links(linkage, ready.truth))),
        n_locations=ready.prepared.n_locations,
    )


def only_pairs(ready: Ready, ids: pa.Table) -> Ready:
    """Keep only the people whose ids are in a table with columns released and auxiliary."""
    truth = truth_from_pairs(ids, *ready.prepared.users)
    order = np.arange(truth.n_common)
    return Ready(
        ready.prepared.select(truth.released, truth.auxiliary),
        Truth(released=order, auxiliary=order, source=truth.source),
    )


def find_people(released: Events, auxiliary: Events, pairs: pa.Table | None) -> pa.Table:
    """Return the ids of people on both sides, in columns released and auxiliary."""
    first, second = (side.users for side in build_histogram_pair(released, auxiliary))
    truth = _know(first, second, pairs)
    return pa.table(
        {
            "released": first.take(pa.array(truth.released)),
            "auxiliary": second.take(pa.array(truth.auxiliary)),
        }
    )
