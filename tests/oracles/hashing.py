"""A pseudo-random number by its definition, in whole numbers without a limit."""

from __future__ import annotations

WORDS = 2**64


def finish_by_definition(state: int) -> int:
    """The last step of splitmix64: shifts and multiplications modulo 2^64."""
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % WORDS
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB % WORDS
    return state ^ (state >> 31)
