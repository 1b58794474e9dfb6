"""
Identify renamed locations from how people use them.

A release may rename every location, in the same way for all people. The original names are then
recovered in three steps, none of which uses the released names:

1. *Profiles*: a location's popularity and its hours of the week are similar on both sides.
2. *The graph*: locations that share visitors on one side share them on the other. A quadratic
   assignment (the fast approximate one of Vogelstein and others, 2015, in SciPy) aligns the two
   graphs.
3. *People*: people are matched under these names, and matched people vote for each location's name
   by what they visit; this is repeated until nothing changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy import sparse

from trailprint.arrays import Floats, Ints
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.features.histograms import Histograms

MOST_LOCATIONS = 4_000
"""Maximum number of locations named per side, the most visited ones: all pairs are scored."""
_GRAPH_LOCATIONS = 800
"""Number of locations in the aligned graphs: time grows with its third power."""
_ROUNDS = 8
_POPULARITY_SPREAD, _VISITORS_SPREAD = 0.5, 0.4
"""Standard deviations of log popularity and log visitors of a location between the sides."""
_HOURS_WEIGHT = 8.0
_PROFILE_WEIGHT = 0.05
"""Weight of profiles relative to votes of matched people: they decide where votes are missing."""


class Naming(NamedTuple):
    """The auxiliary location of each released one (-1 if unknown), and the rounds of voting."""

    name: Ints
    n_rounds: int


class _Side(NamedTuple):
    """The locations considered, each person's shares of them, and their hours of the week."""

    locations: Ints
    shares: sparse.csr_array
    hours: Floats | None

    @property
    def popularity(self) -> Floats:
        """Sum of all people's shares of each location."""
        return np.asarray(self.shares.sum(axis=0), dtype=np.float64).reshape(-1)

    @property
    def n_visitors(self) -> Ints:
        """Number of people who visited each location."""
        counts: Ints = np.bincount(self.shares.indices, minlength=self.shares.shape[1])
        return counts


def name_locations(
    released: Histograms,
    auxiliary: Histograms,
    hours: tuple[Floats, Floats] | None = None,
    *,
    seed: int = 0,
    n_threads: int | None = None,
) -> Naming:
    """
    Identify which auxiliary location each released one is, from use alone.

    ``hours`` are the visits of each side by location and hour of the week, if times are known.
    Released locations are processed in an order drawn from ``seed``: if names are not secret, their
    order must not break ties.
    """
    order = np.random.default_rng(seed).permutation(released.n_locations)
    first = _look(released, None if hours is None else hours[0], order)
    second = _look(auxiliary, None if hours is None else hours[1], np.arange(len(order)))
    profiles = _compare_profiles(first, second)
    chosen = _align_graphs(first, second, _assign(profiles))
    n_rounds, before = 0, np.empty(0, dtype=np.int64)
    while n_rounds < _ROUNDS and not np.array_equal(before, chosen):
        n_rounds, before = n_rounds + 1, chosen
        chosen = _assign(_vote(first, second, chosen, n_threads) + _PROFILE_WEIGHT * profiles)
    name = np.full(released.n_locations, -1, dtype=np.int64)
    some = chosen >= 0
    name[first.locations[some]] = second.locations[chosen[some]]
    return Naming(name, n_rounds)


def _look(histograms: Histograms, hours: Floats | None, order: Ints) -> _Side:
    """Return the most visited locations, in the given order."""
    shares = histograms.probabilities()
    popularity = np.asarray(shares.sum(axis=0)).reshape(-1)[order]
    busiest = np.argsort(-popularity, kind="stable")[:MOST_LOCATIONS]
    kept = order[np.sort(busiest[popularity[busiest] > 0])]
    some = sparse.csr_array(shares[:, kept])
    some.sort_indices()
    return _Side(kept, some, None if hours is None else hours[kept])


def _assign(scores: Floats) -> Ints:
    """Return the best one-to-one assignment: each row's column, -1 for unassigned rows."""
    from scipy import optimize

    rows, columns = optimize.linear_sum_assignment(scores, maximize=True)
    chosen = np.full(scores.shape[0], -1, dtype=np.int64)
    chosen[rows] = columns
    return chosen


def _compare_profiles(first: _Side, second: _Side) -> Floats:
    """Return how similarly each pair of locations of the two sides is used."""
    scores = -_squares(first.popularity, second.popularity, 0.05) / (2 * _POPULARITY_SPREAD**2)
    scores -= _squares(first.n_visitors, second.n_visitors, 0.5) / (2 * _VISITORS_SPREAD**2)
    if first.hours is not None and second.hours is not None:
        scores += _HOURS_WEIGHT * (_smooth(first.hours) @ _smooth(second.hours).T)
    return scores


def _squares(one: Floats | Ints, other: Floats | Ints, least: float) -> Floats:
    """Return the squared differences of logarithms for all pairs."""
    difference = np.log(one + least)[:, None] - np.log(other + least)
    squares: Floats = difference**2
    return squares


def _smooth(hours: Floats) -> Floats:
    """Return square roots of the shares of hours of the week, smoothed over neighbouring hours."""
    spread = [np.exp(-0.5 * step**2) * np.roll(hours, step, axis=1) for step in range(-2, 3)]
    total = np.sum(spread, axis=0)
    roots: Floats = np.sqrt(total / np.maximum(total.sum(axis=1, keepdims=True), 1e-12))
    return roots


def _align_graphs(first: _Side, second: _Side, chosen: Ints) -> Ints:
    """Reassign the busiest locations so that locations with the same visitors stay connected."""
    from scipy import optimize

    n = min(_GRAPH_LOCATIONS, len(first.locations), len(second.locations))
    busy = np.sort(np.argsort(-first.popularity, kind="stable")[:n])
    busy = busy[chosen[busy] >= 0]
    names = np.sort(chosen[busy])
    if len(busy) < 2:
        return chosen
    start = np.zeros((len(busy), len(busy)))
    start[np.arange(len(busy)), np.searchsorted(names, chosen[busy])] = 1.0
    found = optimize.quadratic_assignment(
        _graph(first, busy),
        _graph(second, names),
        method="faq",
        options={"maximize": True, "P0": (start + 1.0 / len(busy)) / 2.0},
    )
    aligned = chosen.copy()
    aligned[busy] = names[found.col_ind]
    return aligned


def _graph(side: _Side, locations: Ints) -> Floats:
    """Return how much each two locations are used by the same people."""
    some = side.shares[:, locations]
    graph = np.sqrt((some.T @ some).toarray())
    np.fill_diagonal(graph, 0.0)
    together: Floats = graph
    return together


def _vote(first: _Side, second: _Side, chosen: Ints, n_threads: int | None) -> Floats:
    """Return votes for pairs of locations by people matched under the current names."""
    linked = _match_people(first, second, chosen, n_threads)
    one, other = np.sqrt(first.shares[linked[0]]), np.sqrt(second.shares[linked[1]])
    scale = np.sqrt(np.outer(first.popularity, second.popularity))
    votes: Floats = 4.0 * (one.T @ other).toarray() / scale
    return votes


def _histograms(shares: sparse.csr_array) -> Histograms:
    """Return histograms whose people and locations are only numbered."""
    users, locations = (pa.array(np.arange(n)).cast(pa.string()) for n in shares.shape)
    return Histograms(matrix=shares, users=users, locations=locations)


def _match_people(
    first: _Side, second: _Side, chosen: Ints, n_threads: int | None
) -> tuple[Ints, Ints]:
    """Match people jointly by their histograms under the names found so far."""
    known = np.flatnonzero(chosen >= 0)
    shape = (len(chosen), second.shares.shape[1])
    rename = sparse.csr_array((np.ones(len(known)), (known, chosen[known])), shape=shape)
    renamed = sparse.csr_array(first.shares @ rename)
    renamed.sort_indices()
    linkage = match_histograms(
        _histograms(renamed), _histograms(second.shares), MatchOptions(), n_threads=n_threads
    )
    return linkage.released, linkage.auxiliary
