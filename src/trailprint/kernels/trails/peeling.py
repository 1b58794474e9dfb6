"""REIDIT-I: link trails with a single counterpart, remove both, and repeat.

Every trail watches two living counterparts. When one is removed, it searches for another, further
on in its list of candidates, so each list is read only once; if there is none, the remaining
counterpart is the only one. Memory is that of the trails, regardless of the number of containments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Flags, Ints
from trailprint.kernels.compiling import njit
from trailprint.kernels.trails.containment import Tracks, holds, next_supertrail


class _Watchers(NamedTuple):
    """Watched counterparts: ``seen[i]`` are trail i's two living counterparts, -1 for none.

    ``head[j]`` is the first of j's watchers, ``2 * i + slot``, and ``follow`` the next; ``place``
    is trail i's position in its current list of candidates, ``group`` the number of that list.
    """

    seen: Ints
    head: Ints
    follow: Ints
    place: Ints
    group: Ints


class Peeled(NamedTuple):
    """``link``: each subtrail's supertrail or -1; ``orphan``: left with no living supertrail."""

    link: Ints
    orphan: Flags


@njit(cache=True, nogil=True)
def _start_watch(n_own: int, n_other: int) -> _Watchers:
    """Return a state in which no trail watches another."""
    return _Watchers(
        np.full((n_own, 2), -1, np.int64),
        np.full(n_other, -1, np.int64),
        np.full(2 * n_own, -1, np.int64),
        np.zeros(n_own, np.int64),
        np.zeros(n_own, np.int64),
    )


@njit(cache=True, nogil=True)
def _watch(watch: _Watchers, i: int, slot: int, j: int) -> None:
    """Let trail i watch j."""
    watch.seen[i, slot] = j
    watch.follow[2 * i + slot] = watch.head[j]
    watch.head[j] = 2 * i + slot


@njit(cache=True, nogil=True)
def _find_super(tracks: Tracks, watch: _Watchers, x: int, alive: Flags) -> int:
    """Return x's next living supertrail after those already tried, or -1."""
    at = next_supertrail(tracks, x, watch.place[x], alive)
    if at < 0:
        return -1
    watch.place[x] = at + 1
    return tracks.at_sup[at]


@njit(cache=True, nogil=True)
def _find_sub(tracks: Tracks, watch: _Watchers, y: int, alive: Flags) -> int:
    """Return y's next living subtrail after those already tried, or -1.

    Meaning: each x is listed once, at its rarest location. Cost: one test per x passed.
    """
    has = np.zeros(tracks.at_ptr.size, np.bool_)
    for e in range(tracks.sup_ptr[y], tracks.sup_ptr[y + 1]):
        has[tracks.sup_loc[e]] = True
    has[-1] = True  # For trails of one location, which have -1 as their second.
    while watch.group[y] < tracks.sup_ptr[y + 1] - tracks.sup_ptr[y]:
        k = tracks.sup_loc[tracks.sup_ptr[y] + watch.group[y]]
        while watch.place[y] < tracks.rare_ptr[k + 1] - tracks.rare_ptr[k]:
            entry = tracks.rare_ptr[k] + watch.place[y]
            x = tracks.rare_sub[entry]
            watch.place[y] += 1
            if has[tracks.rare_next[entry]] and alive[x] and holds(tracks, x, y, 2):
                return x
        watch.group[y] += 1
        watch.place[y] = 0
    return -1


@njit(cache=True, nogil=True)
def _only(watch: _Watchers, i: int, alive: Flags) -> int:
    """Return the living one of i's two watched counterparts, or -1."""
    for slot in range(2):
        j = watch.seen[i, slot]
        if j >= 0 and alive[j]:
            return j
    return -1


@njit(cache=True, nogil=True)
def _rewatch(
    tracks: Tracks,
    watch: _Watchers,
    gone: int,
    own: Flags,
    other: Flags,
    by_row: bool,
    queue: Ints,
    end: int,
) -> int:
    """Give the watchers of a removed trail another to watch; queue those left with one.

    Meaning: returns the new end of the queue. Cost: that of the searches for another.
    """
    entry = watch.head[gone]
    while entry >= 0:
        i, slot = entry >> 1, entry & 1
        following = watch.follow[entry]
        if own[i]:
            if by_row:
                j = _find_super(tracks, watch, i, other)
            else:
                j = _find_sub(tracks, watch, i, other)
            if j >= 0:
                _watch(watch, i, slot, j)
            else:
                watch.seen[i, slot] = -1
                queue[end] = i
                end += 1
        entry = following
    watch.head[gone] = -1
    return end


@njit(cache=True, nogil=True)
def _start_rows(tracks: Tracks, places: Ints, queue: Ints) -> tuple[_Watchers, int]:
    """Let every x watch its first two supertrails; queue those with only one."""
    watch = _start_watch(tracks.sub_ptr.size - 1, tracks.sup_ptr.size - 1)
    end = 0
    for x in range(places.shape[0]):
        for slot in range(2):
            if places[x, slot] >= 0:
                _watch(watch, x, slot, tracks.at_sup[places[x, slot]])
                watch.place[x] = places[x, slot] + 1
        if places[x, 0] >= 0 and places[x, 1] < 0:
            queue[end] = x
            end += 1
    return watch, end


@njit(cache=True, nogil=True)
def _start_cols(tracks: Tracks, alive: Flags, other: Flags, queue: Ints) -> tuple[_Watchers, int]:
    """Let every living y watch its first two living subtrails; queue those with only one."""
    watch = _start_watch(tracks.sup_ptr.size - 1, tracks.sub_ptr.size - 1)
    end = 0
    for y in range(alive.size):
        if alive[y]:
            for slot in range(2):
                x = _find_sub(tracks, watch, y, other)
                if x >= 0:
                    _watch(watch, y, slot, x)
            if watch.seen[y, 0] >= 0 and watch.seen[y, 1] < 0:
                queue[end] = y
                end += 1
    return watch, end


@njit(cache=True, nogil=True)
def _peel(tracks: Tracks, places: Ints, both_ways: bool) -> tuple[Ints, Flags, Flags]:
    """Run the removals until none is left; return each x's link, and the living of either side.

    Meaning: with ``both_ways`` a y with a single subtrail is linked too. Cost: every candidate
    of every trail is tested at most once.
    """
    n_sub, n_sup = tracks.sub_ptr.size - 1, tracks.sup_ptr.size - 1
    sub_alive, sup_alive = np.ones(n_sub, np.bool_), np.ones(n_sup, np.bool_)
    link = np.full(n_sub, -1, np.int64)
    rows, cols = np.empty(3 * n_sub + 1, np.int64), np.empty(3 * n_sup + 1, np.int64)
    by_row, row_end = _start_rows(tracks, places, rows)
    by_col, col_end = _start_watch(0, n_sub), 0
    row, col, started = 0, 0, False
    while True:
        if row < row_end:
            x = rows[row]
            y = _only(by_row, x, sup_alive)
            row += 1
        elif both_ways and not started:
            by_col, col_end = _start_cols(tracks, sup_alive, sub_alive, cols)
            started = True
            continue
        elif col < col_end:
            y = cols[col]
            x = _only(by_col, y, sub_alive)
            col += 1
        else:
            return link, sub_alive, sup_alive
        if x < 0 or y < 0 or not sub_alive[x] or not sup_alive[y]:
            continue
        link[x] = y
        sub_alive[x], sup_alive[y] = False, False
        row_end = _rewatch(tracks, by_row, y, sub_alive, sup_alive, True, rows, row_end)
        if started:
            col_end = _rewatch(tracks, by_col, x, sup_alive, sub_alive, False, cols, col_end)


def peel(tracks: Tracks, places: Ints, *, both_ways: bool) -> Peeled:
    """Link trails with a single counterpart until none is left.

    Parameters
    ----------
    places
        The result of `first_two_supertrails`.
    both_ways
        Also link supertrails with a single subtrail: valid if both sides have equally many trails.
    """
    link, sub_alive, sup_alive = _peel(tracks, places, both_ways)
    left = np.flatnonzero(sub_alive & (np.diff(tracks.sub_ptr) > 0))
    orphan = np.zeros(tracks.n_sub, np.bool_)
    orphan[left] = _without_super(tracks, left, sup_alive)
    return Peeled(link, orphan)


@njit(cache=True, nogil=True)
def _without_super(tracks: Tracks, left: Ints, alive: Flags) -> Flags:
    """Return which of the trails left have no living supertrail."""
    out = np.empty(left.size, np.bool_)
    for n in range(left.size):
        out[n] = next_supertrail(tracks, left[n], 0, alive) < 0
    return out
