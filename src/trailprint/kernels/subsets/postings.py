"""Posting lists: the people who agree with each key, as sorted lists and, if long, as bits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailprint.arrays import Indices, Ints
from trailprint.kernels.bits import Bits, count_words, has_bit, set_bit
from trailprint.kernels.compiling import njit
from trailprint.kernels.csr import invert, sum_rows


class Postings(NamedTuple):
    """
    The people who have each key.

    ``users[ptr[k]:ptr[k + 1]]`` have key k, ascending; ``row[k]`` is its row of ``bits``, or -1
    if the list is shorter than ``dense_from`` and so faster to process than a row of words.
    """

    ptr: Ints
    users: Indices
    row: Indices
    bits: Bits
    dense_from: int


def build_postings(
    ptr: Ints, keys: Indices, n_keys: int, *, dense_from: int | None = None
) -> Postings:
    """
    Return the posting lists of people's keys.

    Parameters
    ----------
    ptr, keys : ndarray
        Person i has ``keys[ptr[i]:ptr[i + 1]]``, each once.
    n_keys : int
        Number of keys.
    dense_from : int, optional
        Lists of at least this length are stored as bits too; by default the number of words in a
        row of bits, so that bits never take more than two words for each entry of a list.
    """
    start, users = invert(ptr, keys, n_keys)
    n_words = max(1, count_words(len(ptr) - 1))
    if dense_from is None:
        dense_from = n_words
    dense = np.flatnonzero(np.diff(start) >= dense_from)
    row = np.full(n_keys, -1, np.int32)
    row[dense] = np.arange(len(dense), dtype=np.int32)
    bits = np.zeros((len(dense), n_words), np.uint64)
    _fill_bits(start, users, dense, bits)
    return Postings(ptr=start, users=users, row=row, bits=bits, dense_from=dense_from)


def walk_lengths(ptr: Ints, codes: Indices, postings: Postings) -> Ints:
    """Return, per person, the steps of reading the lists, or bits, of all their keys once."""
    n_words = postings.bits.shape[1]
    lengths = np.diff(postings.ptr)
    return sum_rows(ptr, np.where(postings.row >= 0, n_words, lengths)[codes])


@njit(cache=True, nogil=True)
def _fill_bits(ptr: Ints, users: Indices, keys: Ints, bits: Bits) -> None:
    """Set the bits of all people who have each of the keys, one row per key. Cost: O(entries)."""
    for r in range(keys.size):
        for e in range(ptr[keys[r]], ptr[keys[r] + 1]):
            set_bit(bits[r], users[e])


@njit(cache=True, nogil=True)
def seek(users: Indices, first: int, last: int, user: int) -> int:
    """
    Return the first index in ``users[first:last]`` whose value is not below ``user``.

    Meaning: galloping search. Cost: the logarithm of the distance.
    """
    step = 1
    low = first
    while low + step < last and users[low + step - 1] < user:
        low += step
        step *= 2
    high = min(low + step, last)
    while low < high:
        middle = (low + high) >> 1
        if users[middle] < user:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def intersect(
    short: Indices, s0: int, s1: int, long: Indices, l0: int, l1: int, out: Indices
) -> int:
    """
    Write the people in both sorted lists; return their number.

    ``out`` may be either list from its beginning: no entry is overwritten before it is read.
    """
    n = 0
    at = l0
    for e in range(s0, s1):
        user = short[e]
        at = seek(long, at, l1, user)
        if at == l1:
            break
        if long[at] == user:
            out[n] = user
            n += 1
            at += 1
    return n


@njit(cache=True, nogil=True)
def keep_set(users: Indices, first: int, last: int, words: Bits, out: Indices) -> int:
    """Write those of ``users[first:last]`` whose bit is set; return their number."""
    n = 0
    for e in range(first, last):
        user = users[e]
        if has_bit(words, user):
            out[n] = user
            n += 1
    return n


@njit(cache=True, nogil=True)
def make_scratch(
    ptr: Ints, postings: Postings, low: int, high: int
) -> tuple[Indices, Bits, Indices]:
    """Return scratch space to narrow down candidates of low:high: a list, bits, and counts."""
    most = 1
    for i in range(low, high):
        most = max(most, ptr[i + 1] - ptr[i])
    people = np.empty(max(postings.dense_from, 1), np.int32)
    words = np.empty(postings.bits.shape[1], np.uint64)
    return people, words, np.empty(most, np.int32)
