"""Which released record really belongs to which auxiliary record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.errors import InputError

Source = Literal["same-ids", "file", "none"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """True pairs, as row numbers; ``partner[i]`` is released row i's auxiliary row, or -1."""

    partner: NDArray[np.int64]
    source: Source

    @property
    def n_common(self) -> int:
        """How many released records have a true counterpart among the auxiliary ones."""
        return int(np.count_nonzero(self.partner >= 0))

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both ends of every true pair."""
        rows = np.flatnonzero(self.partner >= 0)
        return rows, self.partner[rows]


def truth_from_ids(released: pa.Array, auxiliary: pa.Array) -> Truth:
    """Take equal ids for equal people; where none are equal there is no truth."""
    partner = _places(released, auxiliary)
    found = bool((partner >= 0).any())
    return Truth(partner=partner, source="same-ids" if found else "none")


def truth_from_pairs(pairs: pa.Table, released: pa.Array, auxiliary: pa.Array) -> Truth:
    """
    Take the pairs of a table with columns ``released`` and ``auxiliary`` (ids as text).

    Ids that are in neither dataset do not matter; a record in two pairs is an error.
    """
    rows = _places(pairs["released"].combine_chunks(), released)
    columns = _places(pairs["auxiliary"].combine_chunks(), auxiliary)
    known = (rows >= 0) & (columns >= 0)
    rows, columns = rows[known], columns[known]
    if len(np.unique(rows)) < len(rows) or len(np.unique(columns)) < len(columns):
        raise InputError(
            "A truth must name every record at most once, but some are in several pairs. "
            "Keep one pair for each."
        )
    if not len(rows):
        raise InputError(
            "A truth must hold pairs of ids that are in the data, but none is. "
            "Are its columns released and auxiliary the right way round?"
        )
    partner = np.full(len(released), -1, dtype=np.int64)
    partner[rows] = columns
    return Truth(partner=partner, source="file")


def _places(ids: pa.Array, among: pa.Array) -> NDArray[np.int64]:
    places = pc.fill_null(pc.index_in(ids, value_set=among), -1)
    found: NDArray[np.int64] = places.to_numpy(zero_copy_only=False).astype(np.int64)
    return found
