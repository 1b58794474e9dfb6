"""Select people of a dataset for any kind of features: rows are chosen, nothing is rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from trailprint.arrays import Ints
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.features.sequences import Sequences
from trailprint.features.trails import Trails
from trailprint.features.views import Views
from trailprint.linkage import Linkage

Features = TypeVar("Features", Histograms, Views, Trails, Sequences)
Attack = Callable[[Features, Features], Linkage]


def select_people(features: Features, rows: Ints) -> Features:
    """Return some of the users, in the given order, over the same locations."""
    if isinstance(features, Histograms | Views | Trails):
        return features.select(rows)
    return _select_sequences(features, rows)


def hide_ids(features: Features) -> Features:
    """Return the same features with ids replaced by row numbers."""
    numbers = pa.array(np.arange(len(features.users))).cast(pa.string())
    return replace(features, users=numbers)


def _select_sequences(sequences: Sequences, rows: Ints) -> Sequences:
    # Visits are sorted by user, so each user's visits are contiguous.
    bounds = np.searchsorted(sequences.user, np.arange(len(sequences.users) + 1))
    visits, counts = _places_of(bounds, rows)
    whole = ("user", "users", "locations")
    names = [item.name for item in fields(sequences) if item.name not in whole]
    kept = {name: getattr(sequences, name)[visits] for name in names}
    return replace(
        sequences,
        user=np.repeat(np.arange(len(rows), dtype=np.int64), counts),
        users=sequences.users.take(pa.array(rows)),
        **kept,
    )


def _places_of(bounds: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the indices of the entries of some rows, row by row, and their number per row."""
    counts = np.diff(bounds)[rows]
    ends = np.cumsum(counts)
    shift = np.repeat(bounds[rows] - (ends - counts), counts)
    return np.arange(int(counts.sum())) + shift, counts


def restrict_truth(truth: Truth, released: Ints, auxiliary: Ints) -> Truth:
    """Return the truth among chosen rows of both sides, renumbered by position in the choice."""
    place = _places(released, truth.released), _places(auxiliary, truth.auxiliary)
    both = (place[0] >= 0) & (place[1] >= 0)
    return replace(truth, released=place[0][both], auxiliary=place[1][both])


def _places(chosen: Ints, rows: Ints) -> Ints:
    """Return the position of each of ``rows`` among the chosen; -1 if it is not chosen."""
    size = int(max(chosen.max(initial=-1), rows.max(initial=-1))) + 1
    place = np.full(size, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    found: Ints = place[rows]
    return found
