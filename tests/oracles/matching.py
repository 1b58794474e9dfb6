"""Weights and gains by their definitions; matchings by trying all or by SciPy's dense solver."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations

import numpy as np
from scipy.optimize import linear_sum_assignment
from tests.oracles.shapes import Dense

from trailprint.arrays import Floats, Ints


def kullback_leibler(p: Dense, q: Dense) -> Floats:
    """Sum over locations of p ln(p / q), with 0 ln 0 = 0."""
    there = p > 0
    ratio = np.divide(p, q, out=np.ones(np.broadcast_shapes(p.shape, q.shape)), where=there)
    return np.asarray((p * np.log(ratio)).sum(-1))


def pair_weights(metric: str, released: Dense, auxiliary: Dense) -> Floats:
    """
    The textbook weights of all pairs of rows of counts, never the identity that kernels use.

    An empty row is a histogram of zeros.
    """
    a, b = released[:, None, :].astype(float), auxiliary[None, :, :].astype(float)
    m, n = a.sum(-1, keepdims=True), b.sum(-1, keepdims=True)
    p, q = a / np.maximum(m, 1e-300), b / np.maximum(n, 1e-300)
    if metric == "jensen-shannon":
        return kullback_leibler(p, (p + q) / 2) + kullback_leibler(q, (p + q) / 2)
    if metric == "l1":
        return np.asarray(np.abs(p - q).sum(-1))
    if metric == "likelihood":
        pooled = (a + b) / (m + n)
        return np.asarray(
            m[..., 0] * kullback_leibler(p, pooled) + n[..., 0] * kullback_leibler(q, pooled)
        )
    if metric == "cosine":
        p, q = _unit(p), _unit(q)
    # Half for each side that has data; where both have, one.
    return np.asarray(((m > 0)[..., 0] / 2 + (n > 0)[..., 0] / 2) - (p * q).sum(-1))


def pair_weights_of_many(metric: str, released: Dense, auxiliary: Dense) -> Floats:
    """
    The same for many locations, row by row.

    Locations where a row has nothing are one to it: only what others have there in total counts.
    """
    power = 2.0 if metric == "cosine" else 1.0
    whole = (auxiliary.astype(float) ** power).sum(1)
    rows = []
    for row in released:
        there = row > 0
        elsewhere = np.maximum(whole - (auxiliary[:, there] ** power).sum(1), 0.0) ** (1 / power)
        few = np.column_stack([auxiliary[:, there], elsewhere])
        rows.append(pair_weights(metric, np.append(row[there], 0.0)[None], few)[0])
    return np.array(rows)


def _unit(rows: Floats) -> Floats:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-300)


def slot_weights(metric: str, released: Dense, auxiliary: Dense) -> Floats:
    """Weights of users × slots × locations: those of the slots added up."""
    n_slots = released.shape[1]
    each = [pair_weights(metric, released[:, s], auxiliary[:, s]) for s in range(n_slots)]
    return np.asarray(np.sum(each, axis=0))


def x_log_x(x: Dense) -> Floats:
    """``x ln x`` with ``0 ln 0 = 0``."""
    return np.where(x > 0, x * np.log(np.where(x > 0, x, 1)), 0.0)


def gain_terms(metric: str, p: Dense, q: Dense) -> Floats:
    """What each location adds to the gain of scaled rows; nothing where one of them has none."""
    if metric in ("jensen-shannon", "likelihood"):
        terms = x_log_x(p + q) - x_log_x(p) - x_log_x(q)
    else:
        terms = 2 * np.minimum(p, q) if metric == "l1" else p * q
    return np.where((p > 0) & (q > 0), terms, 0.0)


def location_contributions(
    metric: str, p: Dense, q: Dense, links: Sequence[tuple[int, int]], n_locations: int
) -> Floats:
    """Each location's share of the gain of some links, its columns of all slots added up."""
    total = np.zeros(p.shape[1])
    for i, j in links:
        total += gain_terms(metric, p[i], q[j])
    by_location = total.reshape(-1, n_locations).sum(axis=0)
    return np.asarray(by_location / by_location.sum())


def jensen_shannon_gains(released: Dense, auxiliary: Dense) -> Floats:
    """Gains of all pairs of rows: the terms of the locations both have."""
    terms = gain_terms("jensen-shannon", released[:, None, :], auxiliary[None, :, :])
    return np.asarray(terms.sum(-1))


def gated_gains(released: Dense, auxiliary: Dense, gate: int) -> Floats:
    """Jensen–Shannon gains where columns from ``gate`` on count only beside an earlier one."""
    place = jensen_shannon_gains(released[:, :gate], auxiliary[:, :gate])
    rhythm = jensen_shannon_gains(released[:, gate:], auxiliary[:, gate:])
    return np.where(place > 0, place + rhythm, 0.0)


def bid_one_by_one(
    gains: Dense, capacity: Ints, floor: Floats, n_bids: int
) -> tuple[list[int], Floats, Floats]:
    """
    A round of the auction by its rules: each row's column or -1, and the prices of both sides.

    Of columns that are worth the same to a row, it takes the one with the greatest gain.
    """
    n, m = gains.shape
    column, u, v = [-1] * n, np.maximum(gains.max(axis=1, initial=0.0), floor), np.zeros(m)
    for first in range(n):
        bidder = first
        while bidder >= 0 and column[bidder] < 0 and n_bids > 0:
            n_bids -= 1
            bidder = _bid(gains, capacity, floor[bidder], column, (u, v), bidder)
    return column, u, v


def _bid(
    gains: Dense,
    capacity: Ints,
    floor: float,
    column: list[int],
    prices: tuple[Floats, Floats],
    i: int,
) -> int:
    """One bid; the row that lost its column by it, or -1."""
    u, v = prices
    candidates = [j for j in np.argsort(-gains[i], kind="stable") if gains[i, j] > 0]
    profits = [floor, floor, *(gains[i, j] - v[j] for j in candidates)]
    second, u[i] = sorted(profits)[-2:]
    if u[i] <= floor + 1e-9:
        return -1
    j = next(j for j in candidates if gains[i, j] - v[j] == u[i])
    holders = [row for row in range(len(column)) if column[row] == j]
    loser = -1
    if len(holders) == capacity[j]:
        if len(holders) > 1 or u[i] - second <= 1e-9:
            return -1
        loser = holders[0]
        column[loser] = -1
    elif capacity[j] > 1:
        second = u[i]
    column[i] = j
    v[j] += u[i] - second
    u[i] = second
    return loser


def profits_of_violating_rows(gains: Dense, u: Floats, v: Floats, n: int) -> dict[int, list[float]]:
    """Rows with a pair that gains more than its prices: the profits of their ``n`` best pairs."""
    profit = np.where(gains > 0, gains - v, -np.inf)
    rows = np.flatnonzero(profit.max(axis=1, initial=-np.inf) > u)
    best = {int(i): sorted(profit[i], reverse=True)[:n] for i in rows}
    return {i: [float(one) for one in ones if one > -np.inf] for i, ones in best.items()}


def keep_best(
    gains: Dense, v: Floats, floor: Floats, k: int
) -> list[tuple[list[float], float, int]]:
    """For each row, profits of its k best pairs above a floor, of the next, and how many it has."""
    found = []
    for own, least in zip(gains, floor, strict=True):
        profits = sorted((own - v)[own > 0], reverse=True)
        kept = [float(one) for one in profits if one > least][:k]
        rest = profits[len(kept) :]
        found.append((kept, float(rest[0]) if rest else -np.inf, len(profits)))
    return found


def count_better_and_tied(gains: Dense, gain: float) -> tuple[int, int]:
    """Of the gains of a row: how many are above an amount, and how many equal it."""
    better = gains > gain * (1 + 1e-12)
    return int(better.sum()), int(((gains >= gain * (1 - 1e-12)) & ~better).sum())


def shortest_ways(direct: Floats, slack: Dense, partner: Ints) -> Floats:
    """Distances of columns by Bellman and Ford: directly, or on from another column's partner."""
    found = direct.copy()
    for _ in direct:
        for j, row in enumerate(partner):
            found = np.minimum(found, found[j] + slack[row])
    return found


def best_pairs_of_size(gains: Dense, size: int) -> tuple[Ints, Ints]:
    """The matching of exactly ``size`` pairs that gains most: the others take a stand-in."""
    n, m = gains.shape
    padded = np.full((n + m - size, n + m - size), -1e6)
    padded[:n, :m] = gains
    padded[n:, :m] = 0.0
    padded[:n, m:] = 0.0
    rows, cols = linear_sum_assignment(padded, maximize=True)
    real = (rows < n) & (cols < m)
    return rows[real], cols[real]


@cache
def all_matchings(n_rows: int, n_cols: int, size: int) -> Ints:
    """All matchings with this number of pairs, as a column (or -1) per row."""
    columns = np.array(list(permutations(range(n_cols), size)), np.int64).reshape(-1, size)
    found = []
    for rows in combinations(range(n_rows), size):
        out = np.full((columns.shape[0], n_rows), -1)
        out[:, rows] = columns
        found.append(out)
    return np.concatenate(found)


def total_gains(matchings: Ints, gains: Dense) -> Floats:
    """The total gain of every matching."""
    padded = np.column_stack([gains, np.zeros(gains.shape[0])])
    return np.asarray(padded[np.arange(gains.shape[0]), matchings].sum(1))


def margins_by_trying_all(gains: Dense, column: Ints) -> tuple[Floats, float]:
    """Margins of a best matching and the loss of the second best, by looking at all its size."""
    matchings = all_matchings(*gains.shape, int((column >= 0).sum()))
    totals = total_gains(matchings, gains)
    best = total_gains(column[None, :], gains)[0]
    margin = np.full(column.size, np.nan)
    for i in np.flatnonzero(column >= 0):
        without = totals[matchings[:, i] != column[i]]
        margin[i] = best - without.max() if without.size else np.inf
    others = totals[(matchings != column).any(1)]
    return margin, float(best - others.max()) if others.size else np.inf
