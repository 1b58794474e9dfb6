"""How long things should take, from the size of the data; constants were measured.

Those of several views are guesses, about three times too high on the demo.
"""

from __future__ import annotations

from trailprint.audit.context import Sizes


def match_seconds(sizes: Sizes) -> float:
    """One joint matching, from the pairs that share a location."""
    return 0.05 + 2.5e-7 * sizes.n_pairs + 5e-5 * (sizes.n_released + sizes.n_auxiliary)


def views_seconds(sizes: Sizes) -> float:
    """One joint matching of several views."""
    return 0.1 + 4 * match_seconds(sizes) + 1e-6 * sizes.n_events


def trail_seconds(sizes: Sizes) -> float:
    """One matching of trails."""
    return 0.05 + 5e-8 * sizes.n_pairs + 1e-5 * (sizes.n_released + sizes.n_auxiliary)


def sequence_seconds(sizes: Sizes, n_most: int) -> float:
    """Models trained and run for at most ``n_most`` people."""
    n_people = min(sizes.n_released, n_most)
    share = n_people / max(sizes.n_released, 1)
    visits = 2.5e-4 * sizes.n_events / 2 + 1.4e-7 * sizes.n_transitions
    return 0.2 + share * visits + 1e-5 * n_people**2


def events_seconds(sizes: Sizes) -> float:
    """Events changed and counted anew."""
    return 0.1 + 2e-6 * sizes.n_events
