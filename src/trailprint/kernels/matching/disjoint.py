"""Pricing of pairs that share no location, where their gain depends on the totals.

With a metric whose base depends on the totals, a pair without overlap gains ``base(m, n)``. Users
are grouped by total: a price violated by such a pair is violated by the cheapest column of its
total, so pricing costs (distinct totals)^2, not users^2. Shared locations only add to the base,
so every violation found here is a real one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.candidates import BestPairs
from trailprint.kernels.matching.join import Join
from trailprint.kernels.matching.lookup import pair_gains
from trailprint.kernels.threads import run_parallel, split_evenly

MOST_TOTALS = 256
"""Most distinct row totals used when guessing prices; if there are more, as many quantiles."""


PRICE_SHARE = 0.15
"""Share of a column's average unshared gain taken as first price; low, as matched pairs overlap."""


class Totals(NamedTuple):
    """Columns by distinct total, cheapest first; group g owns ``start[g]:start[g + 1]``.

    ``n_cheapest[g]`` columns share the group's least price ``price[g]``.
    """

    value: Floats
    start: Ints
    column: Ints
    price: Floats
    n_cheapest: Ints


def group_totals(total: Floats, price: Floats) -> Totals:
    """Group columns by total and sort each group by price."""
    order = np.lexsort((price, total))
    value, start = np.unique(total[order], return_index=True)
    least = price[order][start]
    ends = np.append(start, order.size)
    cheap = price[order] <= np.repeat(least, np.diff(ends))
    n_cheapest = np.add.reduceat(cheap.astype(np.int64), start) if start.size else start
    return Totals(value, ends.astype(np.int64), order.astype(np.int64), least, n_cheapest)


@njit(cache=True, nogil=True)
def _rank_totals(
    constant: float,
    m: Floats,
    low: int,
    high: int,
    n: Floats,
    price: Floats,
    group: Indices,
    key: Floats,
) -> None:
    """Find the totals of greatest ``base(m, n) - price`` for each m of low:high.

    Meaning: ``group[a]``, ``key[a]`` in descending order of key. Shapes: (distinct m) x k.
    Cost: one logarithm per pair of distinct totals.
    """
    k = key.shape[1]
    n_log = n * np.log(n)
    for a in range(low, high):
        m_log = m[a] * math.log(m[a])
        for g in range(n.size):
            s = m[a] + n[g]
            here = max(0.0, constant - (s * math.log(s) - m_log - n_log[g])) - price[g]
            if here <= key[a, k - 1]:
                continue
            b = k - 1
            while b > 0 and key[a, b - 1] < here:
                key[a, b] = key[a, b - 1]
                group[a, b] = group[a, b - 1]
                b -= 1
            key[a, b] = here
            group[a, b] = g


def unshared_pairs(
    join: Join, v: Floats, k: int, n_threads: int | None = None
) -> tuple[BestPairs, Floats]:
    """Return k columns per row chosen by base alone, and each row's greatest ``base - v``.

    Rows take equally cheap columns in turn, so that they do not all compete for the same one.
    """
    totals = group_totals(join.col_total, v)
    m, which = np.unique(join.row_total, return_inverse=True)
    k = min(k, totals.value.size)
    group = np.zeros((m.size, k), np.int32)
    key = np.full((m.size, k), -np.inf)
    chunks = split_evenly(np.ones(m.size))
    tasks = [
        (join.constant, m, low, high, totals.value, totals.price, group, key)
        for low, high in chunks
    ]
    run_parallel(_rank_totals, tasks, n_threads)
    chosen = group[which]
    turn = np.arange(join.n_rows)[:, None] % totals.n_cheapest[chosen]
    column = totals.column[totals.start[chosen] + turn]
    rows = np.repeat(np.arange(join.n_rows), k)
    gain = pair_gains(join, rows, column.ravel(), n_threads).reshape(column.shape)
    pairs = BestPairs(
        column=column.astype(np.int32),
        gain=gain,
        kept=np.full(join.n_rows, k, np.int32),
        bound=np.full(join.n_rows, -np.inf),
        overlap=np.zeros(join.n_rows, np.int64),
    )
    return pairs, key[which, 0]


def fair_prices(join: Join) -> Floats:
    """Return first column prices guessed from the totals: a column's gain for the average row.

    Without them every row would first compete for the columns of least total.
    """
    if join.row_total.size == 0 or join.col_total.size == 0:
        return np.zeros(join.n_cols)
    m, count = np.unique(join.row_total, return_counts=True)
    if m.size > MOST_TOTALS:
        m = np.quantile(join.row_total, np.linspace(0.0, 1.0, MOST_TOTALS))
        count = np.ones(m.size, np.int64)
    n, which = np.unique(join.col_total, return_inverse=True)
    gain = np.zeros(n.size)
    for total, times in zip(m, count, strict=True):
        s = total + n
        c = s * np.log(s) - total * np.log(total) - n * np.log(n)
        gain += times * (join.constant - c)
    gain /= count.sum()
    prices: Floats = PRICE_SHARE * (gain - gain.min())[which]
    return prices
