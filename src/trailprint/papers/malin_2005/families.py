"""The 2005 paper's people: trails of people and households, simulated or the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from trailprint.arrays import Ints
from trailprint.errors import SourceError
from trailprint.evaluation.truth import Truth
from trailprint.events.households import to_households
from trailprint.features.trails import Trails, build_trail_pair
from trailprint.papers.experiment import Context
from trailprint.simulate.households import HouseholdOptions, simulate_families

SOURCE = "clickstreams-2005"
_PARTS = ("visits", "purchases", "households")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shoppers:
    """
    People, and the sites where they visited and bought.

    Attributes
    ----------
    visits, purchases : Trails
        Trails of people, both over the same people and sites.
    household : ndarray
        Each person's household, as a number.
    """

    visits: Trails
    purchases: Trails
    household: Ints

    def at_shops(self) -> Shoppers:
        """Keep only sites with a purchase."""
        return self._at(self.purchases.visitors > 0)

    def at_visited(self) -> Shoppers:
        """Keep only sites with a visit."""
        return self._at(self.visits.visitors > 0)

    def _at(self, sites: NDArray[np.bool_]) -> Shoppers:
        return Shoppers(
            visits=_only(self.visits, sites),
            purchases=_only(self.purchases, sites),
            household=self.household,
        )

    def of_households(self, trails: Trails) -> Trails:
        """Return the trails of households: the union of their members' trails."""
        n_homes = int(self.household.max(initial=-1)) + 1
        people = np.arange(len(self.household))
        lives_in = sparse.csr_array(
            (np.ones(len(people), dtype=np.int32), (self.household, people)),
            shape=(n_homes, len(people)),
        )
        together = lives_in @ trails.to_matrix().astype(np.int32)
        return _as_trails(together, trails.locations)

    def home_truth(self) -> Truth:
        """Return the truth that links each identified person to their de-identified household."""
        people = np.arange(len(self.household), dtype=np.int64)
        return Truth(released=self.household, auxiliary=people, source="file")


def same_rows(trails: Trails) -> Truth:
    """Return the truth that row i is the same on both sides."""
    rows = np.arange(trails.n_users, dtype=np.int64)
    return Truth(released=rows, auxiliary=rows, source="same-ids")


def load_shoppers(context: Context) -> Shoppers:
    """Return the user's own people, or simulated ones; shared by all experiments of a run."""
    own = context.own(SOURCE)

    def make() -> Shoppers:
        made = simulate_shoppers(context.seed) if own is None else _read_shoppers(own, context)
        return made.at_visited()

    return context.share("2005 shoppers", make)


def simulate_shoppers(seed: int, *, n_sites: int = 5000) -> Shoppers:
    """Simulate the paper's 86 households; shopping does not depend on the number of sites."""
    families = simulate_families(HouseholdOptions(n_sites=n_sites, seed=seed))
    shape = (len(families.household), families.n_sites)
    locations = pa.array([f"{n}" for n in range(families.n_sites)])
    trails = [
        _as_trails(
            sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=shape),
            locations,
        )
        for pairs in (families.visits, families.purchases)
    ]
    return Shoppers(visits=trails[0], purchases=trails[1], household=families.household)


def _as_trails(matrix: sparse.sparray, locations: pa.Array) -> Trails:
    rows = sparse.csr_array(matrix)
    rows.sum_duplicates()
    return Trails(
        indptr=rows.indptr.astype(np.int64),
        indices=rows.indices.astype(np.int32),
        users=pa.array([f"{n}" for n in range(rows.shape[0])]),
        locations=locations,
    )


def _only(trails: Trails, kept: NDArray[np.bool_]) -> Trails:
    """Keep only these locations, and renumber them."""
    left = trails.at(kept)
    number = np.cumsum(kept) - 1
    return Trails(
        indptr=left.indptr,
        indices=number[left.indices].astype(np.int32),
        users=left.users,
        locations=pc.filter(left.locations, pa.array(kept)),
    )


def _read_shoppers(folder: Path, context: Context) -> Shoppers:
    """Read visits and purchases (user, location) and households (user, household)."""
    paths = [_find(folder, part) for part in _PARTS]
    visits, bought = (context.read(SOURCE, path) for path in paths[:2])
    members = to_households(visits, paths[2])[1]
    seen, bought_at = build_trail_pair(visits, bought)
    people = members["auxiliary"].combine_chunks()
    homes = members["released"].combine_chunks().dictionary_encode()
    place = pc.index_in(seen.users, value_set=people)
    household = homes.indices.take(place).to_numpy(zero_copy_only=False).astype(np.int64)
    return Shoppers(visits=seen, purchases=_as_rows_of(seen, bought_at), household=household)


def _as_rows_of(people: Trails, trails: Trails) -> Trails:
    """Return the trails in the order of ``people``; people without one get a null trail."""
    place = pc.index_in(trails.users, value_set=people.users)
    if place.null_count:
        raise SourceError(
            f"Everybody in purchases must be in visits too, but {place.null_count} are not. "
            "A purchase is a visit."
        )
    rows = np.repeat(place.to_numpy(zero_copy_only=False).astype(np.int64), trails.lengths)
    shape = (people.n_users, len(trails.locations))
    matrix = sparse.coo_array((np.ones(len(rows)), (rows, trails.indices)), shape=shape)
    return _as_trails(matrix, trails.locations)


def _find(folder: Path, part: str) -> Path:
    found = sorted(folder.glob(f"{part}*")) if folder.is_dir() else []
    if not found:
        raise SourceError(
            f"The 2005 experiments need a folder with files named {', '.join(_PARTS)} (CSV or "
            f"Parquet), but {part} is missing. See docs/papers/trails-2005.md."
        )
    return found[0]
