"""Which released record really belongs to which auxiliary record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.arrays import Ints
from trailprint.display.discreet import Discreet, Words
from trailprint.errors import ColumnError, InputError

Source = Literal["same-ids", "file", "none"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth(Discreet):
    """True pairs of released and auxiliary rows, as row numbers."""

    released: Ints
    auxiliary: Ints
    source: Source

    def _shown(self) -> dict[str, object]:
        return {"common": self.n_common, "source": Words(self.source)}

    @classmethod
    def from_partner(cls, partner: Ints, source: Source) -> Truth:
        """Build from ``partner[i]``, the auxiliary row of released row i, or -1 if it has none."""
        rows = np.flatnonzero(partner >= 0).astype(np.int64)
        return cls(released=rows, auxiliary=partner[rows], source=source)

    @property
    def n_common(self) -> int:
        """Number of records with a true counterpart: those that can be re-identified at all."""
        return len(self.released)

    def holds(self, released: Ints, auxiliary: Ints) -> NDArray[np.bool_]:
        """Flag which of the given pairs are true."""
        width = int(max(self.auxiliary.max(initial=0), auxiliary.max(initial=0))) + 1
        right: NDArray[np.bool_] = np.isin(
            released * width + auxiliary, self.released * width + self.auxiliary
        )
        return right


def find_truth(
    released: pa.Array, auxiliary: pa.Array, pairs: pa.Table | None, *, one_to_one: bool = True
) -> Truth:
    """Return the truth from the given pairs, or from equal ids if ``pairs`` is None."""
    if pairs is None:
        return truth_from_ids(released, auxiliary)
    return truth_from_pairs(pairs, released, auxiliary, one_to_one=one_to_one)


def truth_from_ids(released: pa.Array, auxiliary: pa.Array) -> Truth:
    """Treat equal ids as the same person; if no ids are equal, there is no truth."""
    partner = _places(released, auxiliary)
    return Truth.from_partner(partner, "same-ids" if (partner >= 0).any() else "none")


def truth_from_pairs(
    pairs: pa.Table,
    released: pa.Array,
    auxiliary: pa.Array,
    *,
    one_to_one: bool = True,
    what: str = "A truth",
) -> Truth:
    """
    Take the pairs of a table with columns ``released`` and ``auxiliary`` (ids as text).

    Pairs with an id that is not in its dataset are ignored; with ``one_to_one``, a record in two
    pairs is an error. Errors name ``what`` the table is.
    """
    rows = _places(_ids(pairs, "released", what), released)
    columns = _places(_ids(pairs, "auxiliary", what), auxiliary)
    known = np.unique(np.column_stack([rows, columns])[(rows >= 0) & (columns >= 0)], axis=0)
    rows, columns = known[:, 0], known[:, 1]
    if one_to_one and min(len(np.unique(rows)), len(np.unique(columns))) < len(rows):
        raise InputError(
            f"{what} must name every record at most once, but some are in several pairs. "
            "Keep one pair for each."
        )
    if not len(rows):
        raise InputError(
            f"{what} must hold pairs of ids that are in the data, but none is. "
            "Are its columns released and auxiliary the right way round?"
        )
    return Truth(released=rows, auxiliary=columns, source="file")


def _ids(pairs: pa.Table, name: str, what: str) -> pa.Array:
    """One side's ids as text."""
    if pairs.column_names.count(name) != 1:
        raise ColumnError(
            f"{what} must have one column released and one auxiliary, but "
            f"{pairs.column_names.count(name)} are named {name}."
        )
    try:
        return pc.cast(pairs[name], pa.string()).combine_chunks()
    except pa.ArrowException:
        raise InputError(
            f"{what} must hold ids as text or numbers, but {name} holds another type."
        ) from None


def _places(ids: pa.Array, among: pa.Array) -> Ints:
    places = pc.fill_null(pc.index_in(ids, value_set=among), -1)
    found: Ints = places.to_numpy(zero_copy_only=False).astype(np.int64)
    return found
