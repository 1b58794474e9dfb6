"""The deciding view of each link: the one that favours it most over the next best candidate."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from trailprint.arrays import Floats, Ints
from trailprint.attacks.combined import join_views
from trailprint.attacks.matching import to_arrays
from trailprint.attacks.view_weights import ViewWeights
from trailprint.features.views import Views
from trailprint.kernels.matching.candidates import best_pairs
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.lookup import pair_gains
from trailprint.kernels.matching.metrics import METRICS, Metric
from trailprint.linkage import Linkage


def find_deciding_views(
    released: Views,
    auxiliary: Views,
    weights: ViewWeights,
    linkage: Linkage,
    *,
    metric: str = "jensen-shannon",
    n_threads: int | None = None,
) -> pa.Array:
    """
    Name for each link the view that favours it most over the next best candidate.

    A view's contribution is its weight times the difference between the gain of the link and that
    of the best other auxiliary person for the same released one. Ties go to the first view; a link
    that no view favours gets null.
    """
    kind = METRICS[metric]
    rivals = _find_rivals(released, auxiliary, weights, linkage, kind, n_threads)
    counted = [i for i, name in enumerate(released.names) if weights.shares.get(name, 0.0) > 0]
    contribution = np.empty((len(counted), linkage.n_links))
    for place, i in enumerate(counted):
        pair = released.matrices[i], auxiliary.matrices[i]
        join = build_join(to_arrays(pair[0]), to_arrays(pair[1]), pair[0].shape[1], kind)
        own = pair_gains(join, linkage.released, linkage.auxiliary, n_threads)
        other = pair_gains(join, linkage.released, rivals, n_threads)
        other[rivals == linkage.auxiliary] = 0.0
        contribution[place] = weights.shares[released.names[i]] * (own - other)
    return _name_largest(contribution, [released.names[i] for i in counted])


def _name_largest(contribution: Floats, names: list[str]) -> pa.Array:
    largest = contribution.argmax(axis=0)
    favours_none = contribution.max(axis=0) <= 0
    return pa.array(names).take(pa.array(largest, mask=favours_none))


def _find_rivals(
    released: Views,
    auxiliary: Views,
    weights: ViewWeights,
    linkage: Linkage,
    metric: Metric,
    n_threads: int | None,
) -> Ints:
    """Return for each link the best other auxiliary person, or the linked one if none exists."""
    columns = join_views(released, auxiliary, weights)
    n_columns = columns.released.shape[1]
    join = build_join(
        to_arrays(columns.released), to_arrays(columns.auxiliary), n_columns, metric, columns.gate
    )
    best = best_pairs(join, linkage.released, 2, n_threads=n_threads)
    rows = np.arange(linkage.n_links)
    is_rival = best.column != linkage.auxiliary[:, None]
    is_rival &= np.arange(2) < best.kept[:, None]
    gain = np.where(is_rival, best.gain, -1.0)
    place = gain.argmax(axis=1)
    rival = best.column[rows, place].astype(np.int64)
    return np.where(gain[rows, place] >= 0, rival, linkage.auxiliary)
