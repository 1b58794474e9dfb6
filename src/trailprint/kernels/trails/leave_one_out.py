"""REIDIT-I with each location left out in turn, at the total cost of a few runs.

Leaving a location out shortens every trail that has it. A pair of trails becomes a containment if
and only if the one location it misses is the one left out: all such pairs are found in one pass,
and each run starts from the known containments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Flags, Indices, Ints
from trailprint.kernels.bits import has_bit
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import list_groups
from trailprint.kernels.threads import run_parallel, split_evenly
from trailprint.kernels.trails.containment import Tracks

MOST_NEAR_PAIRS = 40_000_000


class NearPairs(NamedTuple):
    """Pairs (x, y) such that y has all of x's locations except ``missing``."""

    sub: Indices
    sup: Indices
    missing: Indices


class Containments(NamedTuple):
    """Pairs (x, y) such that y has all of x's locations."""

    sub: Indices
    sup: Indices


@njit(cache=True, nogil=True)
def _misses(tracks: Tracks, x: int, y: int, first: int) -> int:
    """Return the one location of x, from the ``first`` rarest on, that y lacks.

    Meaning: -1 if it lacks none, -2 if it lacks several. Cost: up to the second miss.
    """
    missing = -1
    for e in range(tracks.sub_ptr[x] + first, tracks.sub_ptr[x + 1]):
        k = tracks.sub_loc[e]
        if not has_bit(tracks.at_bits[k], y):
            if missing >= 0:
                return -2
            missing = k
    return missing


@njit(cache=True, nogil=True)
def _grown(array: Indices, n: int) -> Indices:
    """Return the array, or a copy twice as long if index ``n`` does not fit."""
    if n < array.size:
        return array
    longer = np.empty(2 * array.size, np.int32)
    longer[: array.size] = array
    return longer


@njit(cache=True, nogil=True)
def _pair_range(tracks: Tracks, low: int, high: int, most: int) -> tuple[Indices, Indices, Indices]:
    """List the pairs of x low:high that miss at most one location (-1 in ``missing`` for none).

    Meaning: stops after more than ``most`` pairs. Cost: one test, up to the second miss, for each y
    at x's two rarest locations.
    """
    sub, sup, missing = (np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int32))
    n = 0
    for x in range(low, high):
        start, length = tracks.sub_ptr[x], tracks.sub_ptr[x + 1] - tracks.sub_ptr[x]
        for first in range(min(length, 2)):
            k = tracks.sub_loc[start + first]
            for at in range(tracks.at_ptr[k], tracks.at_ptr[k + 1]):
                y = tracks.at_sup[at]
                lacks = _misses(tracks, x, y, 0 if first == 1 else 1)
                # Trails at the second-rarest location only count if they lack the rarest alone.
                if lacks == -2 or (first == 1 and lacks != tracks.sub_loc[start]):
                    continue
                sub, sup, missing = _grown(sub, n), _grown(sup, n), _grown(missing, n)
                sub[n], sup[n], missing[n] = x, y, lacks
                n += 1
        if n > most:
            break
    return sub[:n], sup[:n], missing[:n]


def find_pairs(
    tracks: Tracks, n_threads: int | None = None
) -> tuple[Containments, NearPairs] | None:
    """Return all containments and near containments, or None if they are too many for memory."""
    chunks = split_evenly(np.diff(tracks.sub_ptr))
    most = MOST_NEAR_PAIRS // max(len(chunks), 1)
    found = run_parallel(
        _pair_range, [(tracks, low, high, most) for low, high in chunks], n_threads
    )
    if any(part[0].size > most for part in found):
        return None
    empty = [np.empty(0, np.int32)]
    sub, sup, missing = (np.concatenate(empty + [part[i] for part in found]) for i in range(3))
    whole = missing < 0
    order = np.argsort(missing[~whole], kind="stable")
    near = NearPairs(sub[~whole][order], sup[~whole][order], missing[~whole][order])
    return Containments(sub[whole], sup[whole]), near


class Graph(NamedTuple):
    """All containments in both directions: supertrails of each x, subtrails of each y."""

    row_ptr: Ints
    row_sup: Indices
    col_ptr: Ints
    col_sub: Indices


def build_graph(n_sub: int, n_sup: int, pairs: Containments) -> Graph:
    """Return the containments indexed by subtrail and by supertrail."""
    row_ptr, by_sub = list_groups(pairs.sub, n_sub)
    col_ptr, by_sup = list_groups(pairs.sup, n_sup)
    return Graph(row_ptr, pairs.sup[by_sub], col_ptr, pairs.sub[by_sup])


class _Chains(NamedTuple):
    """Near pairs of one location as linked lists per trail: ``head`` of each, then ``next``."""

    near: NearPairs
    sub_head: Ints
    sup_head: Ints
    sub_next: Ints
    sup_next: Ints


class _Run(NamedTuple):
    """State of a run: living counterparts per trail, living trails, queue (~y for a supertrail)."""

    row_left: Ints
    col_left: Ints
    sub_alive: Flags
    sup_alive: Flags
    queue: Ints


@njit(cache=True, nogil=True)
def _chain(chains: _Chains, low: int, high: int, run: _Run) -> None:
    """Add near[low:high] to the counts and linked lists."""
    for p in range(low, high):
        x, y = chains.near.sub[p], chains.near.sup[p]
        run.row_left[x] += 1
        run.col_left[y] += 1
        chains.sub_next[p], chains.sub_head[x] = chains.sub_head[x], p
        chains.sup_next[p], chains.sup_head[y] = chains.sup_head[y], p


@njit(cache=True, nogil=True)
def _unchain(chains: _Chains, low: int, high: int) -> None:
    """Empty the linked lists of near[low:high]."""
    for p in range(low, high):
        chains.sub_head[chains.near.sub[p]] = -1
        chains.sup_head[chains.near.sup[p]] = -1


@njit(cache=True, nogil=True)
def _living_sup(graph: Graph, chains: _Chains, run: _Run, x: int) -> int:
    """Return a living supertrail of x, or -1."""
    for e in range(graph.row_ptr[x], graph.row_ptr[x + 1]):
        if run.sup_alive[graph.row_sup[e]]:
            return graph.row_sup[e]
    p = chains.sub_head[x]
    while p >= 0:
        if run.sup_alive[chains.near.sup[p]]:
            return chains.near.sup[p]
        p = chains.sub_next[p]
    return -1


@njit(cache=True, nogil=True)
def _living_sub(graph: Graph, chains: _Chains, run: _Run, y: int) -> int:
    """Return a living subtrail of y, or -1."""
    for e in range(graph.col_ptr[y], graph.col_ptr[y + 1]):
        if run.sub_alive[graph.col_sub[e]]:
            return graph.col_sub[e]
    p = chains.sup_head[y]
    while p >= 0:
        if run.sub_alive[chains.near.sub[p]]:
            return chains.near.sub[p]
        p = chains.sup_next[p]
    return -1


@njit(cache=True, nogil=True)
def _remove_sup(graph: Graph, chains: _Chains, run: _Run, y: int, end: int) -> int:
    """Remove y; queue the subtrails left with one supertrail."""
    run.sup_alive[y] = False
    p, e = chains.sup_head[y], graph.col_ptr[y]
    while e < graph.col_ptr[y + 1] or p >= 0:
        if e < graph.col_ptr[y + 1]:
            x = graph.col_sub[e]
            e += 1
        else:
            x = chains.near.sub[p]
            p = chains.sup_next[p]
        run.row_left[x] -= 1
        if run.row_left[x] == 1 and run.sub_alive[x]:
            run.queue[end] = x
            end += 1
    return end


@njit(cache=True, nogil=True)
def _remove_sub(graph: Graph, chains: _Chains, run: _Run, x: int, both_ways: bool, end: int) -> int:
    """Remove x; with ``both_ways`` queue the supertrails left with one subtrail."""
    run.sub_alive[x] = False
    p, e = chains.sub_head[x], graph.row_ptr[x]
    while both_ways and (e < graph.row_ptr[x + 1] or p >= 0):
        if e < graph.row_ptr[x + 1]:
            y = graph.row_sup[e]
            e += 1
        else:
            y = chains.near.sup[p]
            p = chains.sub_next[p]
        run.col_left[y] -= 1
        if run.col_left[y] == 1 and run.sup_alive[y]:
            run.queue[end] = ~y
            end += 1
    return end


@njit(cache=True, nogil=True)
def _relink(
    graph: Graph, chains: _Chains, run: _Run, is_null: Flags, both_ways: bool, partner: Ints
) -> tuple[int, int]:
    """Run REIDIT-I on containments and near pairs: (links, links equal to ``partner``).

    Meaning: subtrails that have become null are removed first. Cost: O(trails + containments).
    """
    end, n_links, n_right = 0, 0, 0
    for x in range(is_null.size):
        if is_null[x]:
            _remove_sub(graph, chains, run, x, both_ways, 0)
    for x in range(is_null.size):
        if run.sub_alive[x] and run.row_left[x] == 1:
            run.queue[end] = x
            end += 1
    if both_ways:
        for y in range(run.sup_alive.size):
            if run.col_left[y] == 1:
                run.queue[end] = ~y
                end += 1
    done = 0
    while done < end:
        x = run.queue[done]
        done += 1
        if x >= 0:
            y = _living_sup(graph, chains, run, x) if run.sub_alive[x] else -1
        else:
            y = ~x
            x = _living_sub(graph, chains, run, y) if run.sup_alive[y] else -1
        if x < 0 or y < 0:
            continue
        n_links += 1
        n_right += partner[x] == y
        end = _remove_sup(graph, chains, run, y, end)
        end = _remove_sub(graph, chains, run, x, both_ways, end)
    return n_links, n_right


@njit(cache=True, nogil=True)
def _relink_range(
    graph: Graph,
    near: NearPairs,
    starts: Ints,
    only: Ints,
    ways: Flags,
    partner: Ints,
    low: int,
    high: int,
) -> Ints:
    """Count the links, and the correct ones, without each of the locations low:high."""
    n_sub, n_sup, n_near = graph.row_ptr.size - 1, graph.col_ptr.size - 1, near.sub.size
    chains = _Chains(
        near,
        np.full(n_sub, -1, np.int64),
        np.full(n_sup, -1, np.int64),
        np.empty(n_near, np.int64),
        np.empty(n_near, np.int64),
    )
    out = np.empty((high - low, 2), np.int64)
    for k in range(low, high):
        run = _Run(
            np.diff(graph.row_ptr),
            np.diff(graph.col_ptr),
            np.ones(n_sub, np.bool_),
            np.ones(n_sup, np.bool_),
            np.empty(2 * (n_sub + n_sup), np.int64),
        )
        _chain(chains, starts[k], starts[k + 1], run)
        out[k - low] = _relink(graph, chains, run, only == k, ways[k], partner)
        _unchain(chains, starts[k], starts[k + 1])
    return out


def relink_without_each(
    graph: Graph,
    near: NearPairs,
    only: Ints,
    ways: Flags,
    partner: Ints,
    n_threads: int | None = None,
) -> Ints:
    """Run REIDIT-I without each location; return an array of (links, links equal to ``partner``).

    Parameters
    ----------
    only
        The location of a subtrail that has only one, else -1: without it the trail is null.
    ways
        For each location left out, whether both sides then have equally many trails.
    partner
        Each subtrail's true supertrail, -1 if it has none or it is unknown.
    """
    starts = np.searchsorted(near.missing, np.arange(ways.size + 1)).astype(np.int64)
    chunks = split_evenly(np.ones(ways.size))
    parts = run_parallel(
        _relink_range,
        [(graph, near, starts, only, ways, partner, low, high) for low, high in chunks],
        n_threads,
    )
    return np.concatenate([np.empty((0, 2), np.int64), *parts])
