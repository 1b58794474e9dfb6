"""Independent check of a claimed optimum: nothing that the solver computed is trusted.

Any prices bound the gain of any matching once the row prices are raised until no pair gains more
than the sum of its two prices. The gap is this upper bound minus the gain of the matching.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.kernels.matching.candidates import best_pairs
from trailprint.kernels.matching.disjoint import unshared_pairs
from trailprint.kernels.matching.join import Join
from trailprint.kernels.matching.lookup import pair_gains


class Certificate(NamedTuple):
    """What the prices prove about a matching.

    ``gap = upper_bound - total_gain`` is zero, up to rounding, if and only if the matching is
    optimal and the prices prove it; ``max_violation`` is the largest excess of a pair's gain over
    its prices, or of zero over a price; ``is_matching`` says that no column is used twice.
    """

    total_gain: float
    upper_bound: float
    gap: float
    max_violation: float
    is_matching: bool
    size: int


def check_matching(
    join: Join,
    column: Ints,
    u: Floats,
    v: Floats,
    multiplier: float = 0.0,
    n_threads: int | None = None,
) -> Certificate:
    """Compute from all pairs what prices ``u``, ``v`` prove about a matching of the join.

    ``column[i]`` is row i's column or -1. ``multiplier`` is the price per pair if the size was
    fixed; the bound then holds for matchings of the same size. Users without data must have price
    zero; they need not be matched.
    """
    rows = np.flatnonzero(column >= 0)
    cols = column[rows]
    total = float(pair_gains(join, rows, cols, n_threads).sum())
    col_price = np.maximum(v, 0.0)
    feasible = _feasible_prices(join, col_price, n_threads) - multiplier
    row_price = np.maximum(np.maximum(u, 0.0), feasible)
    upper = float(row_price.sum() + col_price.sum() + rows.size * multiplier)
    below_zero = max(0.0, -float(u.min(initial=0.0)), -float(v.min(initial=0.0)), -multiplier)
    return Certificate(
        total_gain=total,
        upper_bound=upper,
        gap=upper - total,
        max_violation=max(below_zero, float((feasible - u).max(initial=0.0))),
        is_matching=bool(np.unique(cols).size == cols.size and (cols < join.n_cols).all()),
        size=int(rows.size),
    )


def _feasible_prices(join: Join, v: Floats, n_threads: int | None) -> Floats:
    """Return the least row prices that are feasible for all pairs."""
    best = best_pairs(join, np.arange(join.n_rows), 1, v=v, n_threads=n_threads)
    shared = np.where(best.kept > 0, best.gain[:, 0] - v[best.column[:, 0]], 0.0)
    feasible = np.maximum(shared, 0.0)
    if join.row_total.size and join.n_cols:
        feasible = np.maximum(feasible, unshared_pairs(join, v, 1, n_threads)[1])
    return feasible
