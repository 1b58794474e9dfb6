"""How many records of a release are equal: people who cannot be told apart by what is released."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Ints
from trailprint.events.engine import quote_name
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.protections.microaggregate import equal_rows

GROUP = 5
"""Records shared by fewer people than this are counted; the usual k of micro-aggregation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordGroups:
    """
    RecordGroups of people whose released records are equal in everything but the id.

    Attributes
    ----------
    smallest : int
        The k of k-anonymity: everybody shares their record with at least k - 1 others.
    n_people : int
        People with a record.
    n_in_small : int
        How many of them are in groups of fewer than `GROUP`.
    """

    smallest: int
    n_people: int
    n_in_small: int


def group_histograms(histograms: Histograms) -> RecordGroups:
    """RecordGroups of equal rows, of people who have anything at all."""
    kept = np.flatnonzero(np.diff(histograms.matrix.indptr) > 0)
    return _count(np.bincount(equal_rows(histograms.matrix[kept])))


def group_events(events: Events) -> RecordGroups:
    """RecordGroups of people with the same events at the same times."""
    told = ", ".join(quote_name(name) for name in sorted(events.columns - {"user"}))
    # Hashes of rows are added up, so that the order of rows does not matter.
    sizes = events.engine.arrow(
        "SELECT count(*) AS n FROM (SELECT count(*) AS rows, bit_xor(h) AS mixed, "
        f'sum(h::HUGEINT) AS total FROM (SELECT "user", hash({told}) AS h FROM ({events.query})) '
        'GROUP BY "user") GROUP BY rows, mixed, total'
    )["n"]
    return _count(sizes.to_numpy())


def _count(sizes: Ints) -> RecordGroups:
    return RecordGroups(
        smallest=int(sizes.min(initial=int(sizes.sum()))),
        n_people=int(sizes.sum()),
        n_in_small=int(sizes[sizes < GROUP].sum()),
    )
