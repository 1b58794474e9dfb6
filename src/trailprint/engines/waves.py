"""Group blocks and tasks into waves of bounded size."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Block = tuple[int, int]


def cut_into_waves(blocks: Sequence[Block], item_bytes: int, most_bytes: int) -> list[list[Block]]:
    """
    Group blocks in order into waves that return at most ``most_bytes``, or a single larger block.

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


def pickle_in_waves(
    tasks: Iterable[tuple[Any, ...]], n_first: int, most_bytes: int
) -> Iterator[list[bytes]]:
    """
    Pickle tasks in order, in waves: ``n_first`` tasks in the first, twice as many in each next one.

    Waves grow up to eight times the first and hold at most ``most_bytes``, or a single larger
    task. This way the first results arrive soon and memory stays bounded.

    Examples
    --------
    >>> waves = pickle_in_waves([(n,) for n in range(10)], n_first=2, most_bytes=10**6)
    >>> [len(wave) for wave in waves]
    [2, 4, 4]
    """
    wave: list[bytes] = []
    sizes = (n_first << min(number, 3) for number in itertools.count())
    most = next(sizes)
    for task in tasks:
        packed = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        if wave and (len(wave) == most or sum(map(len, wave)) + len(packed) > most_bytes):
            yield wave
            wave, most = [], next(sizes)
        wave.append(packed)
    if wave:
        yield wave
