"""Features of any kind, without ids, and the truth among some of their people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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


def hide_ids(features: Features) -> Features:
    """Return the same features with ids replaced by row numbers."""
    numbers = pa.array(np.arange(len(features.users))).cast(pa.string())
    return replace(features, users=numbers)


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
