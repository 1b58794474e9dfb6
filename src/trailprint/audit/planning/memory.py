"""
How much memory the parts of an audit need, and which of them exceed what was allowed.

Peaks were measured for campuses of 3,000 and 10,000 people and are rounded up. They come on top of
what the program itself takes, about 300 MB, and of what DuckDB holds. Several views
took 101 MB for a campus of 1,500 people and 155 MB for one of 3,000.
"""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.context import Sizes
from trailprint.audit.parts import Part

#: For each user of both sides: a joint matching, its candidates and its proof.
_MATCH_BYTES = 6_000
_TRAIL_BYTES = 500


def why_too_large(needed: float, allowed: int | None) -> str | None:
    """A sentence for the report where something needs more bytes than --memory allows."""
    if allowed is None or needed <= allowed:
        return None
    return (
        f"It would need about {needed / 1e6:,.0f} MB of memory, and --memory allows "
        f"{allowed / 1e6:,.0f} MB."
    )


def find_too_large(parts: Sequence[Part], allowed: int | None) -> dict[str, str]:
    """Why parts exceed --memory, by name; the first attack is done even so."""
    counted = [part for part in parts if not part.is_asked]
    found = {part.name: why_too_large(part.needed_bytes, allowed) for part in counted}
    return {name: why for name, why in found.items() if why is not None}


def match_bytes(sizes: Sizes) -> float:
    """Histograms of both sides, matched."""
    return feature_bytes(sizes) + _MATCH_BYTES * (sizes.n_released + sizes.n_auxiliary)


def worker_bytes(sizes: Sizes) -> float:
    """What an executor holds of histograms of both sides, which passes on Spark compare."""
    return 20 * 2 * sizes.n_visited + 52 * (sizes.n_released + sizes.n_auxiliary)


def trail_bytes(sizes: Sizes) -> float:
    """Trails of both sides, matched."""
    return feature_bytes(sizes) + _TRAIL_BYTES * (sizes.n_released + sizes.n_auxiliary)


def feature_bytes(sizes: Sizes) -> float:
    """Histograms of both sides while they are built."""
    return 180 * 2 * sizes.n_visited


def view_bytes(sizes: Sizes) -> float:
    """Several views of both sides, matched; most views have a key for each event at most."""
    return match_bytes(sizes) + 220 * sizes.n_events


def points_bytes(sizes: Sizes) -> float:
    """Points of the released side, and who has each; at most one for each event."""
    return 60 * sizes.n_events


def sequence_bytes(sizes: Sizes, n_most: int) -> float:
    """Visits of both sides as arrays, and those that models are run over spelt out for them."""
    share = min(sizes.n_released, n_most) / max(sizes.n_released, 1)
    return 150 * sizes.n_events + share * 1_000 * sizes.n_events / 2
