"""An attack that studies run again and again: on fewer people, and on events that were changed."""

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
from trailprint.studies.people import Attack, Features, select_people

HistogramAttack = Callable[[Histograms, Histograms], Linkage]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedAttack(Discreet, Generic[Features]):
    """
    What an attack sees of two sides, and the attack with everything chosen.

    Attributes
    ----------
    released, auxiliary : Histograms, Views, Trails or Sequences
        Both sides.
    attack : callable
        Links them.
    records : scipy.sparse.csr_array
        Released people by what the attack sees of them: equal rows cannot be told apart.
    n_locations : int
        Locations that are told apart.
    """

    released: Features
    auxiliary: Features
    attack: Attack[Features]
    records: sparse.csr_array
    n_locations: int

    @property
    def users(self) -> tuple[pa.Array, pa.Array]:
        """Who the rows of both sides are."""
        return self.released.users, self.auxiliary.users

    def select(self, released: Ints, auxiliary: Ints) -> PreparedAttack[Features]:
        """Some of the people of both sides, in the order given."""
        return replace(
            self,
            released=select_people(self.released, released),
            auxiliary=select_people(self.auxiliary, auxiliary),
            records=self.records[released],
        )

    def run(self) -> Linkage:
        """Attack."""
        return self.attack(self.released, self.auxiliary)


Prepare = Callable[[Events, Events], PreparedAttack[Any]]
"""Makes an attack ready for two sides; what is learnt, is learnt from them."""


def prepare_histograms(
    attack: HistogramAttack, counting: HistogramOptions | None = None
) -> Prepare:
    """An attack on histograms, which are counted anew for each pair of sides."""

    def prepare(released: Events, auxiliary: Events) -> PreparedAttack[Histograms]:
        return look_at_histograms(attack, *build_histogram_pair(released, auxiliary, counting))

    return prepare


def look_at_histograms(
    attack: HistogramAttack, released: Histograms, auxiliary: Histograms
) -> PreparedAttack[Histograms]:
    """An attack on histograms that are there already."""
    return PreparedAttack(
        released=released,
        auxiliary=auxiliary,
        attack=attack,
        records=released.matrix,
        n_locations=len(released.locations),
    )
