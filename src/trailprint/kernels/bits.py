"""Sets of small whole numbers as bits: bit ``k % 64`` of word ``k // 64`` stands for k."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Indices, Ints
from trailprint.kernels.compiling import intrinsic, njit, types

Bits = npt.NDArray[np.uint64]


@njit(cache=True, nogil=True, inline="always")
def count_words(n: int) -> int:
    """Count the words that n bits take."""
    return (n + 63) >> 6


@njit(cache=True, nogil=True, inline="always")
def set_bit(words: Bits, k: int) -> None:
    """Set one bit."""
    words[k >> 6] |= np.uint64(1) << np.uint64(k & 63)


@njit(cache=True, nogil=True, inline="always")
def has_bit(words: Bits, k: int) -> bool:
    """Return whether a bit is set."""
    return (words[k >> 6] >> np.uint64(k & 63)) & np.uint64(1) != np.uint64(0)


@njit(cache=True, nogil=True)
def pack_bits(ptr: Ints, loc: Indices, n_locations: int) -> Bits:
    """Return each row's locations as a row of bits. Cost: O(nnz)."""
    out = np.zeros((ptr.size - 1, count_words(n_locations)), np.uint64)
    for i in range(ptr.size - 1):
        for e in range(ptr[i], ptr[i + 1]):
            set_bit(out[i], loc[e])
    return out


def _generate_popcount(typing_context: Any, word: Any) -> Any:
    """Generate code that counts the bits of a word, in one instruction if the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


_popcount: Any = intrinsic(_generate_popcount)


@njit(cache=True, nogil=True)
def count_common(a: Bits, b: Bits) -> int:
    """Count the bits two rows have in common. Cost: one step per word."""
    total = 0
    for w in range(a.size):
        total += _popcount(a[w] & b[w])
    return total


@njit(cache=True, nogil=True)
def and_into(a: Bits, b: Bits, out: Bits) -> int:
    """Write the common bits of two rows; return their number."""
    total = 0
    for w in range(a.size):
        word = a[w] & b[w]
        out[w] = word
        total += _popcount(word)
    return total
