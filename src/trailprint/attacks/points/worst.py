"""The worst case: the smallest number of people who match any k points of a person."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trailprint.arrays import Floats, Indices
from trailprint.attacks.points.options import HomeWork, Knowledge
from trailprint.features.points import Points, VisitOrder, rank_places, top_places
from trailprint.kernels.subsets.drawn import count_holders
from trailprint.kernels.subsets.ordered import build_itineraries, find_fewest_in_order
from trailprint.kernels.subsets.postings import build_postings
from trailprint.kernels.subsets.proportions import find_fewest_proportional
from trailprint.kernels.subsets.tolerant import find_fewest_within
from trailprint.kernels.subsets.worst import expand_counts, find_fewest

#: Number of places in home and work.
_HOME_AND_WORK = 2


def find_worst(
    points: Points,
    knowledge: Knowledge,
    k: int,
    *,
    tolerance: float = 0.0,
    home_work: HomeWork = "most-visited",
    n_threads: int | None = None,
) -> Indices:
    """
    Return for each person the smallest number of people who match any ``k`` of their points.

    ``points`` are places, except for ``place-time`` and ``time``. Home and work are known together,
    regardless of ``k``.
    """
    if knowledge == "home-work":
        return _share_home_and_work(points, home_work, n_threads)
    if knowledge in ("place", "place-time"):
        return _worst_visits(points, k, n_threads)
    if knowledge in ("unique-place", "time"):
        postings = build_postings(points.indptr, points.keys, points.n_keys)
        cost = np.ones_like(points.keys)
        return find_fewest(
            points.indptr, points.keys, cost, postings, budget=k, n_threads=n_threads
        )
    find = find_fewest_proportional if knowledge == "proportion" else find_fewest_within
    return _worst_values(points, find, knowledge == "probability", k, tolerance, n_threads)


def find_worst_order(visits: VisitOrder, k: int, *, n_threads: int | None = None) -> Indices:
    """Return per person the fewest people whose visits contain any ``k`` of theirs in order."""
    trips = build_itineraries(visits.indptr, visits.places, len(visits.locations))
    return find_fewest_in_order(trips, budget=k, n_threads=n_threads)


def _worst_visits(points: Points, k: int, n_threads: int | None) -> Indices:
    """Worst case for visits, repeats included: others must have been there at least as often."""
    indptr, codes, cost = expand_counts(points.indptr, points.keys, points.counts, k)
    postings = build_postings(indptr, codes, points.n_keys * k)
    return find_fewest(indptr, codes, cost, postings, budget=k, n_threads=n_threads)


def _worst_values(
    points: Points,
    find: Callable[..., Indices],
    is_share: bool,
    k: int,
    tolerance: float,
    n_threads: int | None,
) -> Indices:
    """Worst case for places together with how often a person is there."""
    values: Floats = points.counts.astype(np.float64)
    if is_share:
        rows = np.repeat(np.arange(points.n_users), points.lengths)
        values = values / np.bincount(rows, values, points.n_users)[rows]
    return find(
        points.indptr,
        points.keys,
        values,
        points.n_keys,
        tolerance=tolerance,
        budget=k,
        n_threads=n_threads,
    )


def _share_home_and_work(points: Points, which: HomeWork, n_threads: int | None) -> Indices:
    """Count the people whose two places include both, or the only one, of each person's."""
    rank = rank_places(points, least=which == "least-visited")
    indptr, keys = top_places(points, _HOME_AND_WORK, rank)
    postings = build_postings(indptr, keys, points.n_keys)
    return count_holders(indptr, keys, postings, n_threads=n_threads)
