"""Groups of equal records in a release: people who cannot be distinguished by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Ints
from trailprint.events.engine import quote_name
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.protections.microaggregate import equal_rows

GROUP = 5
"""People in groups smaller than this are counted; the usual k of micro-aggregation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordGroups:
    """
    Groups of people whose released records are equal except for the id.

    Attributes
    ----------
    smallest : int
        The k of k-anonymity: each person shares their record with at least k - 1 others.
    n_people : int
        Number of people with a record.
    n_in_small : int
        Number of them in groups of fewer than `GROUP`.
    """

    smallest: int
    n_people: int
    n_in_small: int


def group_histograms(histograms: Histograms) -> RecordGroups:
    """Group people with equal histograms, leaving out empty rows."""
    kept = np.flatnonzero(np.diff(histograms.matrix.indptr) > 0)
    return _count(np.bincount(equal_rows(histograms.matrix[kept])))


def group_events(events: Events) -> RecordGroups:
    """Group people with the same events at the same times."""
    told = ", ".join(quote_name(name) for name in sorted(events.columns - {"user"}))
    # Row hashes are combined by sum and xor, so the order of rows does not matter.
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
