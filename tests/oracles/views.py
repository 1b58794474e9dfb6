"""Which view decided for a link, by the definition: every candidate tried in every view."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from tests.oracles.matching import jensen_shannon_gains
from tests.oracles.shapes import Dense

from trailprint.arrays import Floats

_SAME = 1e-12
"""Gains closer than this are equal."""


def deciding_views(
    released: Mapping[str, Dense],
    auxiliary: Mapping[str, Dense],
    shares: Mapping[str, float],
    link: tuple[int, int],
) -> set[str | None]:
    """
    The views that may be named for a link; several only where candidates or views are equal.

    None stands for no view: none speaks for the link more than for the next best candidate.
    """
    row, own = link
    gains = {
        name: share * jensen_shannon_gains(released[name][[row]], auxiliary[name])[0]
        for name, share in shares.items()
    }
    named: set[str | None] = set()
    for rival in _best_others(sum(gains.values(), np.zeros(1)), own):
        named |= _loudest({name: gain[own] - gain[rival] for name, gain in gains.items()})
    return named


def _best_others(together: Floats, own: int) -> list[int]:
    others = [j for j in range(len(together)) if j != own]
    best = max(together[j] for j in others)
    return [j for j in others if together[j] >= best - _SAME]


def _loudest(says: Mapping[str, float]) -> set[str | None]:
    most = max(says.values())
    near: set[str | None] = {name for name, say in says.items() if say >= most - _SAME}
    if most > _SAME:
        return near
    return {None} if most <= 0 else near | {None}
