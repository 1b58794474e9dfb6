"""Dense matrices and Python sets in the shapes that kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Flags, Floats, Indices, Ints
from trailprint.kernels.matching.metrics import Metric

Dense = npt.NDArray[Any]
Csr = tuple[Ints, Indices, Floats]


def to_csr(dense: Dense) -> Csr:
    """A dense matrix as (ptr, column, value), zeros left out."""
    row, col = np.nonzero(dense)
    ptr = np.searchsorted(row, np.arange(dense.shape[0] + 1)).astype(np.int64)
    return ptr, col.astype(np.int32), np.asarray(dense, float)[row, col]


def scale(counts: Dense, metric: Metric) -> Floats:
    """Rows scaled as a metric asks; empty rows stay empty."""
    if metric.scaling == "none":
        return counts.astype(float)
    size = counts.sum(1) if metric.scaling == "sum" else np.sqrt((counts**2).sum(1))
    return counts / np.where(size > 0, size, 1.0)[:, None]


def scaled_csr(counts: Dense, metric: Metric) -> Csr:
    """Counts scaled as a metric asks, as (ptr, column, value)."""
    return to_csr(scale(counts, metric))


def are_equal(counts: Dense) -> Flags:
    """Rows × rows: which are equal."""
    return np.asarray((counts[:, None] == counts[None]).all(-1))


def to_pattern(sets: Sequence[frozenset[int]]) -> tuple[Ints, Indices]:
    """Sets of locations as (ptr, ascending locations)."""
    ptr = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    return ptr, np.array([k for s in sets for k in sorted(s)], np.int32)
