"""Pseudo-random numbers that depend on their input alone: splitmix64 (Steele, Lea, Flood 2014)."""

from __future__ import annotations

import numpy as np

from trailprint.kernels.compiling import njit

STEP = np.uint64(0x9E3779B97F4A7C15)
"""What splitmix64 adds to its state before each draw: 2^64 divided by the golden ratio."""


@njit(cache=True, nogil=True)
def mix_bits(x: np.uint64) -> np.uint64:
    """Return a hash of a word (the finaliser of splitmix64). Cost: constant."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
