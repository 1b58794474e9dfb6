"""REIDIT-C with each location left out in turn.

A trail's hash is the sum of its locations' random numbers, so leaving a location out subtracts its
number. A table counts the trails of each side by hash; for each location, the trails that have it
are moved to the hash of the shortened trail, the links counted, and the moves undone. The total
cost is linear in the length of all trails. Hashes have 64 bits: the probability that any two
different ones among a million trails collide is 3e-8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Indices, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import invert
from trailprint.kernels.threads import run_parallel, split_evenly
from trailprint.kernels.trails.containment import Pattern

EMPTY = 0
"""The hash of a null trail, which is never linked."""


class _Sides(NamedTuple):
    """Trails of both sides, de-identified first: hash, side, row; and the trails by location."""

    hash: Ints
    side: Ints
    row: Ints
    at_ptr: Ints
    at_trail: Indices
    number: Ints


class _Table(NamedTuple):
    """Hash table (open addressing): per slot, key, number of trails and sum of rows by side."""

    key: Ints
    held: Ints
    rows: Ints


@njit(cache=True, nogil=True)
def _slot(table: _Table, key: int) -> int:
    """Return a key's slot, or the empty one where it belongs."""
    mask = table.key.size - 1
    at = (key ^ (key >> 32)) & mask
    while table.key[at] != EMPTY and table.key[at] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _links_at(table: _Table, at: int, partner: Ints, out: Ints, sign: int) -> None:
    """Add ``sign`` to the number of links if a slot is one, and of correct links if correct."""
    if table.held[at, 0] == 1 and table.held[at, 1] == 1:
        out[0] += sign
        if partner[table.rows[at, 0]] == table.rows[at, 1]:
            out[1] += sign


@njit(cache=True, nogil=True)
def _move(
    table: _Table, key: int, side: int, row: int, step: int, partner: Ints, out: Ints
) -> None:
    """Add a trail to its slot (step 1) or remove it (step -1), and update the counts of links."""
    at = _slot(table, key)
    table.key[at] = key
    _links_at(table, at, partner, out, -1)
    table.held[at, side] += step
    table.rows[at, side] += step * row
    _links_at(table, at, partner, out, 1)


@njit(cache=True, nogil=True)
def _count_range(sides: _Sides, partner: Ints, size: int, low: int, high: int) -> Ints:
    """Count links, and correct ones, without each of the locations low:high.

    Meaning: keys added for a location are the last ones added, so they can be erased in reverse
    without breaking a probe sequence. Cost: O(trails) once and O(visitors) per location.
    """
    table = _Table(
        np.full(size, EMPTY, np.int64), np.zeros((size, 2), np.int64), np.zeros((size, 2), np.int64)
    )
    out = np.zeros(2, np.int64)
    for t in range(sides.hash.size):
        if sides.hash[t] != EMPTY:
            _move(table, sides.hash[t], sides.side[t], sides.row[t], 1, partner, out)
    found = np.empty((high - low, 2), np.int64)
    added = np.empty(sides.at_trail.size + 1, np.int64)
    for k in range(low, high):
        n_added = 0
        for sign in (1, -1):
            for e in range(sides.at_ptr[k], sides.at_ptr[k + 1]):
                t = sides.at_trail[e]
                shorter = sides.hash[t] - sides.number[k]
                side, row = sides.side[t], sides.row[t]
                _move(table, sides.hash[t], side, row, -sign, partner, out)
                if shorter != EMPTY:
                    if sign == 1 and table.key[_slot(table, shorter)] == EMPTY:
                        added[n_added] = shorter
                        n_added += 1
                    _move(table, shorter, side, row, sign, partner, out)
            if sign == 1:
                found[k - low] = out
        for a in range(n_added - 1, -1, -1):
            table.key[_slot(table, added[a])] = EMPTY
    return found


def match_equal_without_each(
    deidentified: Pattern,
    identified: Pattern,
    n_locations: int,
    partner: Ints,
    n_threads: int | None = None,
) -> Ints:
    """Run REIDIT-C without each location; return an array of (links, links equal to ``partner``).

    ``partner[i]`` is de-identified row i's true identified row, -1 where it is not known.
    """
    rng = np.random.default_rng(2005)
    number = rng.integers(1, np.iinfo(np.int64).max, n_locations)
    ptr = np.concatenate([deidentified[0], deidentified[0][-1] + identified[0][1:]])
    loc = np.concatenate([deidentified[1], identified[1]]).astype(np.int32)
    n_rows = deidentified[0].size - 1, identified[0].size - 1
    at_ptr, at_trail = invert(ptr.astype(np.int64), loc, n_locations)
    sides = _Sides(
        hash=_sum_numbers(ptr.astype(np.int64), loc, number),
        side=np.repeat([0, 1], n_rows),
        row=np.concatenate([np.arange(n) for n in n_rows]),
        at_ptr=at_ptr,
        at_trail=at_trail,
        number=number,
    )
    most = sides.hash.size + int(np.diff(at_ptr).max(initial=0))
    size = 1 << int(2 * most + 2).bit_length()
    chunks = split_evenly(np.diff(at_ptr))
    tasks = [(sides, partner.astype(np.int64), size, low, high) for low, high in chunks]
    parts = run_parallel(_count_range, tasks, n_threads)
    return np.concatenate([np.empty((0, 2), np.int64), *parts])


@njit(cache=True, nogil=True)
def _sum_numbers(ptr: Ints, loc: Indices, number: Ints) -> Ints:
    """Return the sum of each trail's location numbers, modulo 2**64; zero for null trails only."""
    out = np.zeros(ptr.size - 1, np.int64)
    for i in range(ptr.size - 1):
        for e in range(ptr[i], ptr[i + 1]):
            out[i] += number[loc[e]]
    return out
