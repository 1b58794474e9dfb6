"""Matchings of two sides as they are, in one call."""

from __future__ import annotations

from typing import Any

from tests.oracles.shapes import Csr

from trailprint.kernels.matching.metrics import Metric
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.kernels.matching.solve import Solution, solve_reduced


def solve_sides(
    released: Csr,
    auxiliary: Csr,
    n_locations: int,
    metric: Metric,
    *,
    gate: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Solution:
    """Reduce the problem of two sides and solve it."""
    reduced = reduce_problem(released, auxiliary, n_locations, metric, seed, gate)
    return solve_reduced(reduced, seed=seed, **options)
