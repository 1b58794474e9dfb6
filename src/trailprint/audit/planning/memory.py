"""
How much memory the parts of an audit need, and which of them exceed the limit.

Peaks were measured for campuses of 3,000 and 10,000 people and are rounded up. They come on top of
the memory of the program itself, about 300 MB, and of DuckDB. Several views took 101 MB for a
campus of 1,500 people and 155 MB for one of 3,000.
"""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.context import Sizes
from trailprint.audit.parts import Part

#: Per user of both sides: a joint matching, its candidates and its proof of optimality.
_MATCH_BYTES = 6_000
_TRAIL_BYTES = 500


def why_too_large(needed: float, allowed: int | None) -> str | None:
    """Return a sentence for the report if more bytes are needed than --memory allows."""
    if allowed is None or needed <= allowed:
        return None
    return (
        f"It would need about {needed / 1e6:,.0f} MB of memory, and --memory allows "
        f"{allowed / 1e6:,.0f} MB."
    )


def find_too_large(parts: Sequence[Part], allowed: int | None) -> dict[str, str]:
    """Return why parts exceed --memory, by name; the attack that always runs is not checked."""
    counted = [part for part in parts if not part.is_asked]
    found = {part.name: why_too_large(part.needed_bytes, allowed) for part in counted}
    return {name: why for name, why in found.items() if why is not None}


def match_bytes(sizes: Sizes) -> float:
    """Bytes to match the histograms of both sides."""
    return feature_bytes(sizes) + _MATCH_BYTES * (sizes.n_released + sizes.n_auxiliary)


def worker_bytes(sizes: Sizes) -> float:
    """Bytes of the histograms of both sides on an executor, for passes on Spark."""
    return 20 * 2 * sizes.n_visited + 52 * (sizes.n_released + sizes.n_auxiliary)


def trail_bytes(sizes: Sizes) -> float:
    """Bytes to match the trails of both sides."""
    return feature_bytes(sizes) + _TRAIL_BYTES * (sizes.n_released + sizes.n_auxiliary)


def feature_bytes(sizes: Sizes) -> float:
    """Bytes to build the histograms of both sides."""
    return 180 * 2 * sizes.n_visited


def view_bytes(sizes: Sizes) -> float:
    """Bytes to match several views of both sides; most views have at most one key per event."""
    return match_bytes(sizes) + 220 * sizes.n_events


def points_bytes(sizes: Sizes) -> float:
    """Bytes of the points of the released side and of who has each; at most one per event."""
    return 60 * sizes.n_events


def sequence_bytes(sizes: Sizes, n_most: int) -> float:
    """Bytes of the visits of both sides, and of the features of those that models run over."""
    share = min(sizes.n_released, n_most) / max(sizes.n_released, 1)
    return 150 * sizes.n_events + share * 1_000 * sizes.n_events / 2
