"""Containment of trails: the supertrails of a trail, found through its rarest location.

A trail is a set of locations. ``Tracks`` holds the subtrails as lists, rarest location first, and
the supertrails as a list and as bits for each location: the candidates of a subtrail are those
at its rarest location, and nearly all of them fail at the next one, whose bits are few enough to
stay in the processor's cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Indices, Ints
from trailprint.kernels.bits import Bits, has_bit, pack_bits
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import invert, list_groups
from trailprint.kernels.threads import run_parallel, split_evenly

Pattern = tuple[Ints, Indices]
"""A set of trails as (ptr, locations), the locations of each ascending."""


class Tracks(NamedTuple):
    """Subtrails x and supertrails y over the same locations.

    ``sub_ptr``, ``sub_loc``: locations of each x, rarest among the y first. ``sup_ptr``,
    ``sup_loc``: locations of each y. ``at_ptr``, ``at_sup``: the y at each location; ``at_bits``:
    the same as a row of 64-bit words per location. ``rare_ptr``, ``rare_sub``: for each location,
    the x whose rarest location it is; ``rare_next``: their second-rarest location, or -1.
    """

    sub_ptr: Ints
    sub_loc: Indices
    sup_ptr: Ints
    sup_loc: Indices
    at_ptr: Ints
    at_sup: Indices
    at_bits: Bits
    rare_ptr: Ints
    rare_sub: Indices
    rare_next: Indices

    @property
    def n_sub(self) -> int:
        """Number of subtrails."""
        return self.sub_ptr.size - 1

    @property
    def n_sup(self) -> int:
        """Number of supertrails."""
        return self.sup_ptr.size - 1


@njit(cache=True, nogil=True)
def _sort_by_rarity(ptr: Ints, loc: Indices, rank: Ints) -> Indices:
    """Sort each trail's locations by ``rank`` (insertion sort, since trails are short)."""
    out = loc.copy()
    for i in range(ptr.size - 1):
        for e in range(ptr[i] + 1, ptr[i + 1]):
            k = out[e]
            f = e
            while f > ptr[i] and rank[out[f - 1]] > rank[k]:
                out[f] = out[f - 1]
                f -= 1
            out[f] = k
    return out


def build_tracks(sub: Pattern, sup: Pattern, n_locations: int) -> Tracks:
    """Return the `Tracks` of two sets of trails; null trails match nothing."""
    sub_ptr, sub_loc = sub[0].astype(np.int64), sub[1].astype(np.int32)
    sup_ptr, sup_loc = sup[0].astype(np.int64), sup[1].astype(np.int32)
    at_ptr, at_sup = invert(sup_ptr, sup_loc, n_locations)
    rank = np.empty(n_locations, np.int64)
    rank[np.argsort(np.diff(at_ptr), kind="stable")] = np.arange(n_locations)
    ordered = _sort_by_rarity(sub_ptr, sub_loc, rank)
    some = np.flatnonzero(np.diff(sub_ptr) > 0)
    rare_ptr, order = list_groups(ordered[sub_ptr[some]], n_locations)
    has_next = sub_ptr[some] + 1 < sub_ptr[some + 1]
    second = np.full(some.size, -1, np.int32)
    second[has_next] = ordered[sub_ptr[some[has_next]] + 1]
    return Tracks(
        sub_ptr=sub_ptr,
        sub_loc=ordered,
        sup_ptr=sup_ptr,
        sup_loc=sup_loc,
        at_ptr=at_ptr,
        at_sup=at_sup,
        at_bits=pack_bits(at_ptr, at_sup, sup_ptr.size - 1),
        rare_ptr=rare_ptr,
        rare_sub=some[order].astype(np.int32),
        rare_next=second[order],
    )


@njit(cache=True, nogil=True)
def holds(tracks: Tracks, x: int, y: int, first: int) -> bool:
    """Return whether y has x's locations from the ``first`` rarest on. Cost: to the first miss."""
    for e in range(tracks.sub_ptr[x] + first, tracks.sub_ptr[x + 1]):
        if not has_bit(tracks.at_bits[tracks.sub_loc[e]], y):
            return False
    return True


@njit(cache=True, nogil=True)
def next_supertrail(tracks: Tracks, x: int, place: int, alive: npt.NDArray[np.bool_]) -> int:
    """Return the position, from ``place`` on, of x's next living supertrail.

    Meaning: a position in ``at_sup``, in the list of x's rarest location; -1 if there is none.
    Cost: one test per candidate passed.
    """
    if tracks.sub_ptr[x] == tracks.sub_ptr[x + 1]:
        return -1
    k = tracks.sub_loc[tracks.sub_ptr[x]]
    for at in range(max(place, tracks.at_ptr[k]), tracks.at_ptr[k + 1]):
        y = tracks.at_sup[at]
        if alive[y] and holds(tracks, x, y, 1):
            return at
    return -1


@njit(cache=True, nogil=True)
def _first_two(
    tracks: Tracks, low: int, high: int, alive: npt.NDArray[np.bool_], out: Ints
) -> None:
    """Fill the positions of the first two supertrails of x low:high, -1 where there is none."""
    for x in range(low, high):
        out[x, 0] = next_supertrail(tracks, x, 0, alive)
        out[x, 1] = -1
        if out[x, 0] >= 0:
            out[x, 1] = next_supertrail(tracks, x, out[x, 0] + 1, alive)


def first_two_supertrails(tracks: Tracks, n_threads: int | None = None) -> Ints:
    """Return the positions in ``at_sup`` of each subtrail's first two supertrails, or -1."""
    out = np.full((tracks.n_sub, 2), -1, np.int64)
    alive = np.ones(tracks.n_sup, np.bool_)
    chunks = split_evenly(_candidates(tracks))
    run_parallel(_first_two, [(tracks, low, high, alive, out) for low, high in chunks], n_threads)
    return out


def _candidates(tracks: Tracks) -> Ints:
    """Count each subtrail's candidates: the supertrails at its rarest location."""
    some = np.flatnonzero(np.diff(tracks.sub_ptr) > 0)
    counts = np.zeros(tracks.n_sub, np.int64)
    counts[some] = np.diff(tracks.at_ptr)[tracks.sub_loc[tracks.sub_ptr[some]]]
    return counts


def link_single_supertrails(tracks: Tracks, places: Ints) -> Ints:
    """Return each subtrail's only supertrail (REIDIT-M), -1 if there is none or more than one.

    ``places`` is the result of `first_two_supertrails`.
    """
    link = np.full(tracks.n_sub, -1, np.int64)
    single = (places[:, 0] >= 0) & (places[:, 1] < 0)
    link[single] = tracks.at_sup[places[single, 0]]
    return link


@njit(cache=True, nogil=True)
def _count_range(
    tracks: Tracks, own: Ints, low: int, high: int, alive: npt.NDArray[np.bool_], out: Ints
) -> None:
    """Count the supertrails of own[low:high]."""
    for n in range(low, high):
        at = next_supertrail(tracks, own[n], 0, alive)
        while at >= 0:
            out[n] += 1
            at = next_supertrail(tracks, own[n], at + 1, alive)


@njit(cache=True, nogil=True)
def _contained(tracks: Tracks, own: Ints, other: Ints) -> npt.NDArray[np.bool_]:
    """Return for each pair whether ``other`` is a supertrail of ``own`` and ``own`` is not null."""
    out = np.empty(own.size, np.bool_)
    for n in range(own.size):
        has_some = tracks.sub_ptr[own[n]] < tracks.sub_ptr[own[n] + 1]
        out[n] = has_some and holds(tracks, own[n], other[n], 0)
    return out


def count_supertrails(
    tracks: Tracks, own: Ints, other: Ints, n_threads: int | None = None
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Count the supertrails of the subtrails ``own``, and find which include ``other``."""
    own, other = own.astype(np.int64), other.astype(np.int64)
    counts = np.zeros(own.size, np.int64)
    alive = np.ones(tracks.n_sup, np.bool_)
    chunks = split_evenly(_candidates(tracks)[own])
    run_parallel(
        _count_range, [(tracks, own, low, high, alive, counts) for low, high in chunks], n_threads
    )
    return counts, _contained(tracks, own, other)
