"""Queries on single rows and pairs: best column of a row, rank of a column, gain of a pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Floats, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.hashing import STEP, mix_bits
from trailprint.kernels.matching.candidates import best_pairs
from trailprint.kernels.matching.join import Join, fill_all, row_chunks
from trailprint.kernels.matching.metrics import TINY, pair_base, term_value
from trailprint.kernels.matching.parts import cut_join
from trailprint.kernels.passes import get_most_bytes
from trailprint.kernels.threads import count_chunks, run_parallel, split_evenly

TIED = 1e-12
"""Gains this close, relatively, count as equal."""
NO_LOT = np.iinfo(np.int64).max
"""Greater than any random number (lot) that is drawn."""


WORTH_A_BLOCK = 2_000.0
"""Fewest pairs to look up that are worth a block of their own."""


class RowChoice(NamedTuple):
    """Each row's best column, its gain, and how many columns tie for it."""

    column: Ints
    gain: Floats
    n_tied: Ints


class PairRanks(NamedTuple):
    """Ranks of given pairs: columns of greater gain, columns tied (its own included), its gain."""

    n_better: Ints
    n_tied: Ints
    gain: Floats


@njit(cache=True, nogil=True)
def _mix(x: int) -> int:
    """Return a hash of x: a pseudo-random number that depends on x alone, zero or more."""
    # Signed: in compiled code, an unsigned integer combined with a signed one becomes a float.
    return int(np.int64(mix_bits(np.uint64(x) + STEP) >> np.uint64(1)))


class _Drawn(NamedTuple):
    """State of each row's choice: its greatest gain, columns touched and tied, the one drawn."""

    gain: Floats
    n_touched: Ints
    n_tied: Ints
    lot: Ints
    column: Ints


@njit(cache=True, nogil=True)
def _choose_rows(
    join: Join, best: Floats, seed: int, first: tuple[int, int], low: int, high: int, out: _Drawn
) -> None:
    """Choose the best column of rows low:high; ``best`` are their gains, empty if not known.

    Meaning: every pair has a random number (lot) made from seed, row and column; among tied columns
    the least lot wins. ``first`` is where the join begins in a larger one. Cost: a bare pass.
    """
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    for i in range(low, high):
        n = fill_all(join, i, scratch, touched)
        most = 0.0
        for t in range(n):
            most = max(most, scratch[touched[t]])
        most = best[i] if best.size else most
        own = _mix(_mix(seed) ^ (first[0] + i))
        column = -1
        lot = NO_LOT
        tied = 0
        for t in range(n):
            j = touched[t]
            if scratch[j] >= most * (1.0 - TIED):
                tied += 1
                drawn = _mix(own ^ (first[1] + j))
                if drawn < lot or (drawn == lot and first[1] + j < column):
                    lot = drawn
                    column = first[1] + j
            scratch[j] = 0.0
        out.gain[i] = most
        out.n_touched[i] = n
        out.n_tied[i] = tied
        out.lot[i] = lot
        out.column[i] = column


@njit(cache=True, nogil=True)
def _choose_any(n_cols: int, seed: int, out: _Drawn) -> None:
    """Draw a random column for rows without any overlap, for which all columns tie."""
    for i in range(out.column.size):
        if out.n_touched[i] == 0:
            draw = _mix(_mix(seed) ^ i)
            out.n_tied[i] = n_cols
            out.column[i] = draw % n_cols if n_cols > 0 else -1


def choose_columns(join: Join, seed: int, n_threads: int | None = None) -> RowChoice:
    """Choose each row's best column on its own; ties are broken at random with the seed."""
    out = _nothing_drawn(join.n_rows)
    cut, best = cut_join(join, get_most_bytes()), np.zeros(0)
    if cut.n_parts > 1:
        # Ties within a part can only be found once the best gain over all parts is known.
        every = best_pairs(join, np.arange(join.n_rows), 1, every=True, n_threads=n_threads)
        best = every.gain[:, 0]
    for part in cut.parts():
        rows = slice(part.first[0], part.first[0] + part.join.n_rows)
        found = out if cut.n_parts == 1 else _nothing_drawn(part.join.n_rows)
        inputs = best[rows], seed, part.first
        part.run(_choose_rows, np.arange(part.join.n_rows), inputs, found, n_threads)
        if cut.n_parts > 1:
            _merge_drawn(out, rows, found)
    _choose_any(join.n_cols, seed, out)
    return RowChoice(out.column, out.gain, out.n_tied)


def _nothing_drawn(n_rows: int) -> _Drawn:
    return _Drawn(
        gain=np.zeros(n_rows),
        n_touched=np.zeros(n_rows, np.int64),
        n_tied=np.zeros(n_rows, np.int64),
        lot=np.full(n_rows, NO_LOT),
        column=np.full(n_rows, -1, np.int64),
    )


def _merge_drawn(out: _Drawn, rows: slice, more: _Drawn) -> None:
    """Merge the choices found in other columns into ``out``."""
    taken = more.lot < out.lot[rows]
    out.lot[rows] = np.where(taken, more.lot, out.lot[rows])
    out.column[rows] = np.where(taken, more.column, out.column[rows])
    out.gain[rows] = more.gain
    out.n_touched[rows] += more.n_touched
    out.n_tied[rows] += more.n_tied


class _Place(NamedTuple):
    """Numbers of columns ranked above a pair and tied with it."""

    n_better: Ints
    n_tied: Ints


@njit(cache=True, nogil=True)
def _rank_rows(join: Join, rows: Ints, gains: Floats, low: int, high: int, out: _Place) -> None:
    """Rank pairs low:high, given by row and gain.

    Meaning: gains within `TIED` of the pair's count as tied. Cost: one row of a pass per pair.
    """
    scratch = np.zeros(join.n_cols)
    touched = np.empty(join.n_cols + 1, np.int32)
    for r in range(low, high):
        n = fill_all(join, rows[r], scratch, touched)
        gain = gains[r]
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


def rank_pairs(join: Join, rows: Ints, cols: Ints, n_threads: int | None = None) -> PairRanks:
    """Return the rank of each pair (rows[r], cols[r]) among all columns of its row."""
    gain = pair_gains(join, rows, cols, n_threads)
    if join.row_total.size > 0:
        gain = np.maximum(gain, TINY)  # As in `fill_all`.
    out = PairRanks(np.zeros(rows.size, np.int64), np.zeros(rows.size, np.int64), gain)
    cut = cut_join(join, get_most_bytes())
    for part in cut.parts():
        places = part.find_rows(rows)
        if places.size == 0:
            continue
        own = rows[places].astype(np.int64) - part.first[0]
        found = _Place(np.zeros(own.size, np.int64), np.zeros(own.size, np.int64))
        part.run(_rank_rows, own, (own, gain[places]), found, n_threads)
        out.n_better[places] += found.n_better
        out.n_tied[places] += found.n_tied
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

    Meaning: as in a pass, up to the order of summation. Cost: a bisection per entry of row i.
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
    chunks = split_evenly(np.ones(rows.size), count_chunks(rows.size, WORTH_A_BLOCK))
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
