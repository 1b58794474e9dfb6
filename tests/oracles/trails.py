"""Trails as sets: containment, equality, and the 2005 paper's pseudocode."""

from __future__ import annotations

import math
from collections.abc import Sequence

Trail = frozenset[int]
Links = set[tuple[int, int]]


def supertrails(sub: Trail, sups: Sequence[Trail]) -> list[int]:
    """Which of ``sups`` contain ``sub``; a null trail is contained in nothing."""
    return [j for j, sup in enumerate(sups) if sub and sub <= sup]


def to_bits(trail: Trail) -> int:
    """A trail as a number with one bit for each place."""
    return sum(1 << place for place in trail)


def peel_by_definition(
    subs: Sequence[Trail], sups: Sequence[Trail], *, both_ways: bool
) -> list[int]:
    """REIDIT-I: link a trail with a single remaining counterpart, remove both, repeat."""
    alive_sub, alive_sup = set(range(len(subs))), set(range(len(sups)))
    link = [-1] * len(subs)
    while True:
        found = None
        for x in sorted(alive_sub):
            living = [y for y in supertrails(subs[x], sups) if y in alive_sup]
            if len(living) == 1:
                found = x, living[0]
        if found is None and both_ways:
            for y in sorted(alive_sup):
                living = [x for x in alive_sub if y in supertrails(subs[x], sups)]
                if len(living) == 1:
                    found = living[0], y
        if found is None:
            return link
        link[found[0]] = found[1]
        alive_sub.discard(found[0])
        alive_sup.discard(found[1])


def reidit_c(n: Sequence[Trail], p: Sequence[Trail]) -> Links:
    """Figure 6, with uniqueness on both sides; a null trail is equal to nothing."""
    found = set()
    for x, trail in enumerate(n):
        equal = [y for y, other in enumerate(p) if trail and other == trail]
        if len(equal) == 1 and list(n).count(trail) == 1:
            found.add((x, equal[0]))
    return found


def reidit_i(subs: Sequence[Trail], sups: Sequence[Trail]) -> Links:
    """Figures 7 and 8, with the removal the latter forgets."""
    found: Links = set()
    x, y = dict(enumerate(subs)), dict(enumerate(sups))
    while True:
        previous = len(found)
        for m in list(x):
            above = [j for j in y if x[m] <= y[j]]
            if len(above) == 1:
                found.add((m, above[0]))
                del x[m], y[above[0]]
        if len(x) == len(y):
            for j in list(y):
                below = [m for m in x if x[m] <= y[j]]
                if len(below) == 1:
                    found.add((below[0], j))
                    del x[below[0]], y[j]
        if len(found) == previous:
            return found


def reidit_m(subs: Sequence[Trail], sups: Sequence[Trail]) -> Links:
    """Figure 9."""
    above = [supertrails(sub, sups) for sub in subs]
    return {(m, found[0]) for m, found in enumerate(above) if len(found) == 1}


def equal_links_without(names: Sequence[Trail], addresses: Sequence[Trail], location: int) -> Links:
    """REIDIT-C without one location."""
    return reidit_c([t - {location} for t in names], [t - {location} for t in addresses])


def group_alike(trails: Sequence[Trail], k: int) -> list[Trail]:
    """Groups take up the place most of them share; what everybody of a group has comes first."""
    kept: list[Trail] = [frozenset()] * len(trails)
    waiting = [list(range(len(trails)))]
    while waiting:
        group = waiting.pop()
        while group:
            shared = frozenset.intersection(*(trails[i] for i in group))
            if len(group) >= k:
                _keep(kept, group, shared)
            place, takers = _most_takers(trails, kept, group, k)
            if place is None:
                break
            _keep(kept, takers, frozenset({place}))
            waiting.append(takers)
            group = [i for i in group if i not in takers]
    return kept


def _keep(kept: list[Trail], group: Sequence[int], places: Trail) -> None:
    for i in group:
        kept[i] = kept[i] | places


def _most_takers(
    trails: Sequence[Trail], kept: Sequence[Trail], group: Sequence[int], k: int
) -> tuple[int | None, list[int]]:
    """The place that the most can take up, with enough left for the rest to be a group."""
    best: tuple[int | None, list[int]] = None, []
    for place in sorted(frozenset().union(*(trails[i] - kept[i] for i in group))):
        takers = sorted((i for i in group if place in trails[i]), key=lambda i: (len(trails[i]), i))
        n_rest = len(group) - len(takers)
        if kept[group[0]] and 0 < n_rest < k:
            takers = takers[k - n_rest :]
        if len(takers) >= k and len(takers) > len(best[1]):
            best = place, takers
    return best


def most_visits_kept(trails: Sequence[Trail], k: int) -> int:
    """The most visits that any grouping into k or more equal trails keeps: all are tried."""
    n = len(trails)
    best = [0] * (1 << n)
    for some in range(1, 1 << n):
        first = some & -some
        best[some] = best[some ^ first]
        group = some
        while group:
            if group & first:
                best[some] = max(best[some], _visits(trails, group, k) + best[some ^ group])
            group = (group - 1) & some
    return best[-1]


def _visits(trails: Sequence[Trail], group: int, k: int) -> int:
    members = [trail for i, trail in enumerate(trails) if group >> i & 1]
    return len(members) * len(frozenset.intersection(*members)) if len(members) >= k else 0


def likelihood_ratio(
    released: Sequence[Trail],
    auxiliary: Sequence[Trail],
    pair: tuple[int, int],
    agreement: float,
    worth: Sequence[float] | None = None,
) -> float:
    """How much likelier two trails are as one person's than as two people's: place by place."""
    places = frozenset().union(*released, *auxiliary)
    total = 0.0
    for place in places:
        g = _share_of(released, place)
        f = _share_of(auxiliary, place)
        both = f * g + agreement * (min(f, g) - f * g)
        same = {(1, 1): both, (1, 0): g - both, (0, 1): f - both, (0, 0): 1 - f - g + both}
        seen = int(place in released[pair[0]]), int(place in auxiliary[pair[1]])
        apart = (g if seen[0] else 1 - g) * (f if seen[1] else 1 - f)
        counts = 1.0 if worth is None else worth[place]
        total += counts * (math.log(same[seen]) - math.log(apart))
    return total


def _share_of(trails: Sequence[Trail], place: int) -> float:
    with_data = [trail for trail in trails if trail]
    return (sum(place in trail for trail in with_data) + 0.5) / (len(with_data) + 1)


def mutual_best(scores: Sequence[Sequence[float]]) -> Links:
    """Pairs that are each other's best, the first of equals; minus infinity is nobody's."""
    rows = [_first_best(row) for row in scores]
    columns = [_first_best([row[j] for row in scores]) for j in range(len(scores[0]))]
    return {(i, j) for i, j in enumerate(rows) if columns[j] == i and scores[i][j] > -math.inf}


def _first_best(values: Sequence[float]) -> int:
    return list(values).index(max(values))
