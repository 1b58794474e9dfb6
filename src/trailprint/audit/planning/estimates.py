"""
Estimates of how the time of operations grows with the data.

Constants are CPU seconds that were measured on one machine, for 80 to 1,500 people of a campus and
of a check-in service; `trailprint.audit.planning.pace` learns how fast this machine is at each of
these operations.
"""

from __future__ import annotations

import math

from trailprint.audit.context import Sizes
from trailprint.audit.planning.seconds import Seconds

#: Most people that the weights of views are learnt from.
_LEARNT_FROM = 600
#: Most trails that agreement is learnt from.
_LEARNT_TRAILS = 2_000
#: Assumed number of views with a weight, until it is known.
USUAL_VIEWS = 5


def match_seconds(sizes: Sizes) -> Seconds:
    """Time of one joint matching, from the number of pairs that share a location."""
    n_users = sizes.n_released + sizes.n_auxiliary
    return Seconds({"match": 0.004 + 1e-8 * sizes.n_pairs + 2e-5 * n_users})


def margins_seconds(sizes: Sizes) -> Seconds:
    """Time of one joint matching with margins."""
    n_users = sizes.n_released + sizes.n_auxiliary
    return Seconds({"margins": 0.01 + 8e-8 * sizes.n_pairs + 8e-5 * n_users})


def views_seconds(sizes: Sizes, n_views: int = USUAL_VIEWS) -> Seconds:
    """Time of one joint matching of several views, in which nearly all pairs share something."""
    n_pairs = math.pow(sizes.n_released * sizes.n_auxiliary, 0.75)
    return match_seconds(sizes) + Seconds({"views": n_views * (0.003 + 2e-6 * n_pairs)})


def select_seconds(n_views: int) -> Seconds:
    """Time to select some of the people of one side, in each view."""
    return Seconds({"select": 0.0002 + 0.0002 * n_views})


def learning_seconds(sizes: Sizes) -> Seconds:
    """Time to build the views of both sides and learn their weights."""
    n_learnt = min(sizes.n_auxiliary, _LEARNT_FROM)
    return Seconds({"learning": 0.3 + 1.5e-3 * n_learnt + 5e-6 * sizes.n_events})


def trail_seconds(sizes: Sizes) -> Seconds:
    """Time of one matching of trails."""
    n_users = sizes.n_released + sizes.n_auxiliary
    return Seconds({"trail": 0.003 + 2e-9 * sizes.n_pairs + 1e-6 * n_users})


def likely_seconds(sizes: Sizes) -> Seconds:
    """Time of likely counterparts of trails: all pairs across and within sides, several times."""
    n, m = sizes.n_released, sizes.n_auxiliary
    n_looked_at = 2 * n * m + 2 * (n * n + m * m) + 10 * min(n, _LEARNT_TRAILS) * m
    return Seconds({"likely": 0.02 + 2.8e-8 * n_looked_at})


def sequence_seconds(sizes: Sizes, n_most: int) -> Seconds:
    """Time to train and run both models for at most ``n_most`` people."""
    return crf_seconds(sizes, n_most) + chain_seconds(sizes, n_most)


def crf_seconds(sizes: Sizes, n_most: int) -> Seconds:
    """Time to train and run conditional random fields for at most ``n_most`` people."""
    n_people = min(sizes.n_released, n_most)
    share = n_people / max(sizes.n_released, 1)
    visits = 4.4e-5 * sizes.n_events / 2 + 3e-8 * sizes.n_transitions
    return Seconds({"crf": 0.02 + share * visits + 1e-6 * n_people**2})


def chain_seconds(sizes: Sizes, n_most: int) -> Seconds:
    """Time to train and run Markov chains for at most ``n_most`` people."""
    n_people = min(sizes.n_released, n_most)
    share = n_people / max(sizes.n_released, 1)
    return Seconds({"chain": 0.004 + share * 2e-7 * sizes.n_events + 1e-7 * n_people**2})


def points_seconds(sizes: Sizes) -> Seconds:
    """Time to draw points of all people ten times and count who agrees with them."""
    return Seconds({"points": 0.03 + 1e-4 * sizes.n_released + 3e-7 * sizes.n_events})


def worst_points_seconds(sizes: Sizes) -> Seconds:
    """Time to search all choices of up to two or up to four points."""
    return Seconds({"worst": 0.02 + 1e-7 * sizes.n_events + 1e-9 * sizes.n_pairs})


def coarser_points_seconds(sizes: Sizes) -> Seconds:
    """Time to compare the same points with sixteen coarser releases."""
    return Seconds({"points grid": 0.08 + 5e-7 * sizes.n_events})


def events_seconds(sizes: Sizes) -> Seconds:
    """Time to change events and count them again."""
    return Seconds({"events": 0.05 + 5e-7 * sizes.n_events})
