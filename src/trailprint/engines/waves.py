"""Blocks in waves of bounded size."""

from __future__ import annotations

from collections.abc import Sequence

Block = tuple[int, int]


def cut_into_waves(blocks: Sequence[Block], item_bytes: int, most_bytes: int) -> list[list[Block]]:
    """
    Blocks in order, in waves that return at most ``most_bytes``, or one block that returns more.

    Examples
    --------
    >>> cut_into_waves([(0, 3), (3, 4), (4, 6)], item_bytes=10, most_bytes=40)
    [[(0, 3), (3, 4)], [(4, 6)]]
    """
    waves: list[list[Block]] = []
    held = 0
    for low, high in blocks:
        size = (high - low) * item_bytes
        if not waves or held + size > most_bytes:
            waves.append([])
            held = 0
        waves[-1].append((low, high))
        held += size
    return waves
