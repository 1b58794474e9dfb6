"""Questions about single rows and pairs: best column, rank of a column, gain of a pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.matching.join import Join, fill_all, row_chunks, row_work
from trailprint.kernels.matching.metrics import pair_base, term_value
from trailprint.kernels.passes import Pass, run_pass
from trailprint.kernels.threads import run_parallel, split_evenly

TIED = 1e-12
"""Gains this close, relatively, count as equal."""


class RowChoice(NamedTuple):
    """Each row's best column, its gain, and how many columns tie for it."""

    column: Ints
    gain: Floats
    n_tied: Ints


class Ranks(NamedTuple):
    """Where given pairs stand: columns with a greater gain, and columns tied (itself included)."""

    n_better: Ints
    n_tied: Ints
    gain: Floats


@njit(cache=True, nogil=True)
def _mix(x: int) -> int:
    """Scramble 64 bits (splitmix64): a random number that depends on nothing but x."""
    z = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return int((z ^ (z >> np.uint64(31))) >> np.uint64(1))


@njit(cache=True, nogil=True)
def _pick_tied(n: int, scratch: Floats, touched: Indices, least: float, ticket: int) -> int:
    """Return the touched column that is number ``ticket`` among those with at least this gain."""
    for t in range(n):
        if scratch[touched[t]] >= least:
            if ticket == 0:
                return int(touched[t])
            ticket -= 1
    return -1


@njit(cache=True, nogil=True)
def _choose_rows(join: Join, seed: int, low: int, high: int, out: RowChoice) -> None:
    """Choose the best column of rows low:high.

    Meaning: ties are drawn by a number made from the seed and the row. Cost: a bare pass.
    """
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    for i in range(low, high):
        n = fill_all(join, i, scratch, touched)
        best = 0.0
        for t in range(n):
            best = max(best, scratch[touched[t]])
        least = best * (1.0 - TIED)
        tied = 0
        for t in range(n):
            tied += scratch[touched[t]] >= least
        draw = _mix(_mix(seed) ^ i)
        out.gain[i] = best
        if n == 0:
            out.n_tied[i] = join.n_cols
            out.column[i] = draw % join.n_cols if join.n_cols > 0 else -1
        else:
            out.n_tied[i] = tied
            out.column[i] = _pick_tied(n, scratch, touched, least, draw % tied)
        for t in range(n):
            scratch[touched[t]] = 0.0


def choose_columns(join: Join, seed: int, n_threads: int | None = None) -> RowChoice:
    """Choose each row's best column on its own; ties are broken at random with the seed."""
    n = join.n_rows
    out = RowChoice(np.zeros(n, np.int64), np.zeros(n), np.zeros(n, np.int64))
    run_pass(Pass(_choose_rows, (join,), (seed,), row_work(join), out), n_threads)
    return out


@njit(cache=True, nogil=True)
def _rank_rows(join: Join, rows: Ints, cols: Ints, low: int, high: int, out: Ranks) -> None:
    """Rank pairs low:high.

    Meaning: gains within `TIED` of the pair's count as tied. Cost: one row's pass per pair.
    """
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    for r in range(low, high):
        n = fill_all(join, rows[r], scratch, touched)
        gain = scratch[cols[r]]
        better = 0
        tied = 0
        for t in range(n):
            g = scratch[touched[t]]
            if g > gain * (1.0 + TIED):
                better += 1
            elif g >= gain * (1.0 - TIED):
                tied += 1
            scratch[touched[t]] = 0.0
        if gain == 0.0:
            # The columns never touched all have gain zero, like this pair.
            tied += join.n_cols - n
        out.n_better[r] = better
        out.n_tied[r] = tied
        out.gain[r] = gain


def rank_pairs(join: Join, rows: Ints, cols: Ints, n_threads: int | None = None) -> Ranks:
    """Say for each pair (rows[r], cols[r]) how its column stands among all of the row's."""
    n = rows.size
    out = Ranks(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n))
    wanted = rows.astype(np.int64), cols.astype(np.int64)
    work = row_work(join)[wanted[0]]
    run_pass(Pass(_rank_rows, (join,), wanted, work, out), n_threads)
    return out


@njit(cache=True, nogil=True)
def _find_user(join: Join, c: int, j: int) -> int:
    """Find user j's entry at location c by bisection; -1 if there is none."""
    low = join.loc_ptr[c]
    high = join.loc_ptr[c + 1]
    while low < high:
        mid = (low + high) >> 1
        if join.loc_user[mid] < j:
            low = mid + 1
        else:
            high = mid
    if low < join.loc_ptr[c + 1] and join.loc_user[low] == j:
        return int(low)
    return -1


@njit(cache=True, nogil=True)
def pair_gain(join: Join, i: int, j: int) -> float:
    """Return the gain of one pair.

    Meaning: as the passes compute it, up to the order of the sum. Cost: O(nnz of row i, log).
    """
    gain = 0.0
    for e in range(join.row_ptr[i], join.row_ptr[i + 1]):
        if join.row_loc[e] >= join.gate and gain == 0.0:
            break
        f = _find_user(join, join.row_loc[e], j)
        if f < 0:
            continue
        p, q = join.row_val[e], join.loc_val[f]
        gain += term_value(join.term, p, q, join.row_log[e], join.loc_log[f])
    if join.row_total.size > 0:
        gain += pair_base(join.constant, join.row_total[i], join.col_total[j])
    return gain


@njit(cache=True, nogil=True)
def _pair_gains(join: Join, rows: Ints, cols: Ints, low: int, high: int, out: Floats) -> None:
    """Fill the gains of pairs low:high."""
    for r in range(low, high):
        out[r] = pair_gain(join, rows[r], cols[r])


def pair_gains(join: Join, rows: Ints, cols: Ints, n_threads: int | None = None) -> Floats:
    """Return the gains of the pairs (rows[r], cols[r])."""
    out = np.zeros(rows.size)
    wanted = rows.astype(np.int64), cols.astype(np.int64)
    chunks = split_evenly(np.ones(rows.size))
    run_parallel(_pair_gains, [(join, *wanted, low, high, out) for low, high in chunks], n_threads)
    return out


@njit(cache=True, nogil=True)
def _dense_rows(join: Join, low: int, high: int, out: Floats) -> None:
    """Fill rows low:high of the matrix of gains."""
    touched = np.empty(join.n_cols + 1, np.int32)
    for i in range(low, high):
        fill_all(join, i, out[i], touched)


def dense_gains(join: Join, n_threads: int | None = None) -> Floats:
    """Return the whole matrix of gains: rows x columns, for small problems."""
    out = np.zeros((join.n_rows, join.n_cols))
    chunks = row_chunks(join, np.arange(join.n_rows))
    run_parallel(_dense_rows, [(join, low, high, out) for low, high in chunks], n_threads)
    return out
