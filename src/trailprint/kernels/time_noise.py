"""Noise on times that preserves the order of each user's records (2011 paper, 7.2)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from trailprint.arrays import Ints
from trailprint.kernels.compiling import njit


@njit(cache=True, nogil=True)
def normal_above(random: np.random.Generator, least: float) -> float:
    """Return a draw from the standard normal distribution truncated below at ``least``.

    Meaning: the distribution of redrawing until it fits, even where that would hardly ever happen
    (Robert 1995). Shapes: scalars. Cost: a few draws.
    """
    if least < 0.5:
        while True:
            z = random.standard_normal()
            if z >= least:
                return z
    rate = 0.5 * (least + math.sqrt(least * least + 4.0))
    while True:
        z = least + random.standard_exponential() / rate
        if random.random() <= math.exp(-0.5 * (z - rate) ** 2):
            return z


@njit(cache=True, nogil=True)
def _shifted(
    random: np.random.Generator, time: np.int64, least: np.int64, sigma_us: float, redraw: bool
) -> np.int64:
    """Return ``time`` with noise, not before ``least``. Cost: a few draws."""
    if redraw:
        noise = sigma_us * normal_above(random, (least - time) / sigma_us)
    else:
        noise = sigma_us * random.standard_normal()
    moved = time + np.int64(round(noise))
    return moved if moved > least else least


@njit(cache=True, nogil=True)
def shift_times(
    random: np.random.Generator,
    is_first: npt.NDArray[np.bool_],
    start: Ints,
    end: Ints,
    has_end: npt.NDArray[np.bool_],
    sigma_us: float,
    redraw: bool,
) -> tuple[Ints, Ints]:
    """Return starts and ends with Gaussian noise, added record by record.

    Meaning: each record starts after the previous one has ended and does not end before it starts.
    Shapes: microseconds, records sorted by user and start; ``is_first`` marks a user's first.
    Cost: linear.
    """
    new_start, new_end = np.empty_like(start), np.empty_like(end)
    before_all = np.int64(-(2**61))
    free = before_all
    for i in range(start.size):
        least = before_all if is_first[i] else free
        new_start[i] = _shifted(random, start[i], least, sigma_us, redraw)
        new_end[i] = new_start[i]
        if has_end[i]:
            new_end[i] = _shifted(random, end[i], new_start[i], sigma_us, redraw)
        free = new_end[i] + 1
    return new_start, new_end
