"""What studies of changed events share: the same people, counted anew and attacked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth, truth_from_ids, truth_from_pairs
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.features.options import HistogramOptions
from trailprint.linkage import Linkage
from trailprint.studies.small_counts import veil_rate

HistogramAttack = Callable[[Histograms, Histograms], Linkage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an attack achieved once: people who could be found, and those who were."""

    n_people: int
    n_found: int
    n_locations: int

    def to_dict(self) -> dict[str, Any]:
        """Accuracy with Wilson's 95 % interval; of a few people found only that they are few."""
        low, high = wilson(self.n_found, self.n_people) or (0.0, 1.0)
        point = {"accuracy": self.n_found / self.n_people, "low": low, "high": high}
        return veil_rate(point, self.n_found, self.n_people, *point)


def count_pair(
    released: Events,
    auxiliary: Events,
    counting: HistogramOptions,
    pairs: pa.Table | None,
) -> tuple[Histograms, Histograms, Truth]:
    """Histograms of both sides and who is who; ``pairs`` of ids, or equal ids."""
    sides = build_histogram_pair(released, auxiliary, counting)
    return *sides, _know(sides[0].users, sides[1].users, pairs)


def _know(released: pa.Array, auxiliary: pa.Array, pairs: pa.Table | None) -> Truth:
    """Who is who; nobody where no pair is in the data, as may happen when little of it is left."""
    if pairs is None:
        return truth_from_ids(released, auxiliary)
    present = pc.and_(
        pc.is_in(pairs["released"], value_set=released),
        pc.is_in(pairs["auxiliary"], value_set=auxiliary),
    )
    if not pc.any(present).as_py():
        return Truth.from_partner(np.empty(0, dtype=np.int64), "none")
    return truth_from_pairs(pairs, released, auxiliary)


def attack_pair(attack: HistogramAttack, sides: tuple[Histograms, Histograms, Truth]) -> Outcome:
    """Attack everybody, and count those found."""
    released, auxiliary, truth = sides
    linkage = attack(released, auxiliary)
    return Outcome(
        n_people=truth.n_common,
        n_found=int(np.count_nonzero(correct_links(linkage, truth))),
        n_locations=len(released.locations),
    )


def only_pairs(
    sides: tuple[Histograms, Histograms, Truth], ids: pa.Table
) -> tuple[Histograms, Histograms, Truth]:
    """Only the people whose ids are in a table with columns released and auxiliary."""
    released, auxiliary, _ = sides
    truth = truth_from_pairs(ids, released.users, auxiliary.users)
    order = np.arange(truth.n_common)
    return (
        released.select(truth.released),
        auxiliary.select(truth.auxiliary),
        Truth(released=order, auxiliary=order, source=truth.source),
    )


def ids_of(sides: tuple[Histograms, Histograms, Truth]) -> pa.Table:
    """The ids of people on both sides, in columns released and auxiliary."""
    released, auxiliary, truth = sides
    return pa.table(
        {
            "released": released.users.take(pa.array(truth.released)),
            "auxiliary": auxiliary.users.take(pa.array(truth.auxiliary)),
        }
    )
