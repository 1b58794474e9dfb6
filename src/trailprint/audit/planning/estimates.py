"""
How the time of things grows with the data.

Constants are seconds of computing that were measured on one machine, for 50 to 1,500 people of a
campus and of a check-in service; `trailprint.audit.planning.pace` says how fast this machine is.
"""

from __future__ import annotations

import math

from trailprint.audit.context import Sizes

#: Learning how much views count looks at this number of people at most.
_LEARNT_FROM = 600


def match_seconds(sizes: Sizes) -> float:
    """One joint matching, from the pairs that share a location."""
    return 0.01 + 1e-8 * sizes.n_pairs + 2e-5 * (sizes.n_released + sizes.n_auxiliary)


def margins_seconds(sizes: Sizes) -> float:
    """One joint matching with margins."""
    return 0.02 + 8e-8 * sizes.n_pairs + 8e-5 * (sizes.n_released + sizes.n_auxiliary)


def views_seconds(sizes: Sizes) -> float:
    """One joint matching of several views, which nearly all pairs of people share something in."""
    return match_seconds(sizes) + 1.2e-5 * math.pow(sizes.n_released * sizes.n_auxiliary, 0.75)


def learning_seconds(sizes: Sizes) -> float:
    """Views of both sides counted, and how much each counts learnt."""
    n_learnt = min(sizes.n_auxiliary, _LEARNT_FROM)
    return 1.5 + 1.5e-3 * n_learnt + 4e-6 * sizes.n_events


def trail_seconds(sizes: Sizes) -> float:
    """One matching of trails."""
    return 0.005 + 2e-9 * sizes.n_pairs + 1e-6 * (sizes.n_released + sizes.n_auxiliary)


def sequence_seconds(sizes: Sizes, n_most: int) -> float:
    """Models trained and run for at most ``n_most`` people."""
    n_people = min(sizes.n_released, n_most)
    share = n_people / max(sizes.n_released, 1)
    visits = 2.5e-4 * sizes.n_events / 2 + 1.4e-7 * sizes.n_transitions
    return 0.2 + share * visits + 1e-5 * n_people**2


def points_seconds(sizes: Sizes) -> float:
    """Points of everybody drawn ten times, and who agrees with them."""
    return 0.8 + 2e-6 * sizes.n_events + 1e-8 * sizes.n_pairs


def worst_points_seconds(sizes: Sizes) -> float:
    """All choices of up to two or up to four points looked at."""
    return 0.2 + 1e-6 * sizes.n_events + 1e-8 * sizes.n_pairs


def coarser_points_seconds(sizes: Sizes) -> float:
    """The same points compared with sixteen coarser releases."""
    return 0.5 + 2.5e-6 * sizes.n_events


def events_seconds(sizes: Sizes) -> float:
    """Events changed and counted anew."""
    return 0.05 + 5e-7 * sizes.n_events
