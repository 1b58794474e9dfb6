"""Bits and hashes against whole numbers without a limit."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.hashing import WORDS, finish_by_definition
from tests.oracles.shapes import to_pattern
from tests.oracles.trails import to_bits

from trailprint.kernels.bits import and_into, count_common, count_words, has_bit, pack_bits
from trailprint.kernels.hashing import STEP, mix_bits

N = 130
SETS = st.frozensets(st.integers(0, N - 1))


def to_number(words):
    return sum(int(word) << (64 * n) for n, word in enumerate(words))


@settings(max_examples=100, deadline=None)
@given(sets=st.lists(SETS, min_size=1, max_size=6))
def test_bits_say_who_was_where(sets):
    bits = pack_bits(*to_pattern(sets), N)
    assert [to_number(row) for row in bits] == [to_bits(one) for one in sets]
    found = [{k for k in range(N) if has_bit(row, k)} for row in bits]
    assert found == sets


@settings(max_examples=100, deadline=None)
@given(first=SETS, second=SETS)
def test_common_bits_are_the_intersection(first, second):
    a, b = pack_bits(*to_pattern([first, second]), N)
    out = np.zeros_like(a)
    assert and_into(a, b, out) == count_common(a, b) == len(first & second)
    assert to_number(out) == to_bits(first & second)


def test_words_hold_64_bits():
    assert [count_words(n) for n in (0, 1, 64, 65, 128, 129)] == [0, 1, 1, 2, 2, 3]


@settings(max_examples=200, deadline=None)
@given(state=st.integers(0, WORDS - 1))
def test_hashes_are_those_of_the_definition(state):
    assert int(mix_bits(np.uint64(state))) == finish_by_definition(state)


def test_draws_are_those_published():
    """The first outputs of the reference implementation with seed 1234567."""
    draws = [mix_bits(np.uint64((1234567 + n * int(STEP)) % WORDS)) for n in (1, 2, 3)]
    assert [int(draw) for draw in draws] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]
