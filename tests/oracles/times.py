"""Noise on times, one record after another."""

from __future__ import annotations

import numpy as np

from trailprint.arrays import Flags, Ints


def clip_times(
    random: np.random.Generator,
    is_first: Flags,
    start: Ints,
    end: Ints,
    has_end: Flags,
    sigma_us: float,
) -> tuple[list[int], list[int]]:
    """Starts and ends with Gaussian noise, moved up where they would come before the last end."""
    starts: list[int] = []
    ends: list[int] = []
    for i in range(start.size):
        moved = int(start[i]) + round(sigma_us * random.standard_normal())
        starts.append(moved if is_first[i] else max(moved, ends[-1] + 1))
        ends.append(starts[-1])
        if has_end[i]:
            ends[-1] = max(int(end[i]) + round(sigma_us * random.standard_normal()), starts[-1])
    return starts, ends
