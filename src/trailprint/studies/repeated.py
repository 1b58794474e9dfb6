"""Attacks that studies run repeatedly: on fewer people, or on changed events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic

import pyarrow as pa
from scipy import sparse

from trailprint.arrays import Ints
from trailprint.display.discreet import Discreet
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.features.options import HistogramOptions
from trailprint.linkage import Linkage
from trailprint.studies.people import Attack, Features

HistogramAttack = Callable[[Histograms, Histograms], Linkage]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedAttack(Discreet, Generic[Features]):
    """
    A fully configured attack, with the features it sees of both sides.

    Attributes
    ----------
    released, auxiliary : Histograms, Views, Trails or Sequences
        Both sides.
    attack : callable
        Links them.
    records : scipy.sparse.csr_array
        Released people by the features the attack sees; it cannot distinguish equal rows.
    n_locations : int
        Number of distinct locations.
    """

    released: Features
    auxiliary: Features
    attack: Attack[Features]
    records: sparse.csr_array
    n_locations: int

    @property
    def users(self) -> tuple[pa.Array, pa.Array]:
        """Ids of the rows of both sides."""
        return self.released.users, self.auxiliary.users

    def select(self, released: Ints, auxiliary: Ints) -> PreparedAttack[Features]:
        """Return the attack on some of the people of both sides, in the given order."""
        return replace(
            self,
            released=self.released.select(released),
            auxiliary=self.auxiliary.select(auxiliary),
            records=self.records[released],
        )

    def run(self) -> Linkage:
        """Run the attack."""
        return self.attack(self.released, self.auxiliary)


Prepare = Callable[[Events, Events], PreparedAttack[Any]]
"""Prepares an attack on two sides; anything it learns is learnt from them."""


def prepare_histograms(
    attack: HistogramAttack, counting: HistogramOptions | None = None
) -> Prepare:
    """Return a function that counts the histograms of two sides and prepares an attack on them."""

    def prepare(released: Events, auxiliary: Events) -> PreparedAttack[Histograms]:
        return look_at_histograms(attack, *build_histogram_pair(released, auxiliary, counting))

    return prepare


def look_at_histograms(
    attack: HistogramAttack, released: Histograms, auxiliary: Histograms
) -> PreparedAttack[Histograms]:
    """Prepare an attack on existing histograms."""
    return PreparedAttack(
        released=released,
        auxiliary=auxiliary,
        attack=attack,
        records=released.matrix,
        n_locations=len(released.locations),
    )
