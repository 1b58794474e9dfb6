"""Naive twins: slow, plainly right definitions that the compiled kernels must equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np


def to_csr(dense):
    """A dense matrix as (ptr, column, value), zeros left out."""
    row, col = np.nonzero(dense)
    ptr = np.searchsorted(row, np.arange(dense.shape[0] + 1)).astype(np.int64)
    return ptr, col.astype(np.int32), np.asarray(dense, float)[row, col]


def to_pattern(sets: Sequence[frozenset[int]]):
    """Sets of locations as (ptr, ascending locations)."""
    ptr = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    return ptr, np.array([k for s in sets for k in sorted(s)], np.int32)


def x_log_x(x):
    """``x ln x`` with ``0 ln 0 = 0``."""
    return np.where(x > 0, x * np.log(np.where(x > 0, x, 1)), 0.0)


def jensen_shannon_gains(released, auxiliary):
    """Gains of all pairs of rows: the terms of the locations both have."""
    p, q = released[:, None, :], auxiliary[None, :, :]
    terms = x_log_x(p + q) - x_log_x(p) - x_log_x(q)
    return np.where((p > 0) & (q > 0), terms, 0.0).sum(-1)


def mean_day_distances(own, other):
    """Mean Euclidean distance between all days of two people; infinite where one has none."""
    out = np.full((len(own), len(other)), np.inf)
    for i, mine in enumerate(own):
        for j, theirs in enumerate(other):
            if len(mine) and len(theirs):
                out[i, j] = np.mean([np.linalg.norm(a - b) for a in mine for b in theirs])
    return out


def nearest_distances(own, other):
    """Weighted mean distance to the other's nearest point, averaged over both ways."""
    out = np.full((len(own), len(other)), np.inf)
    for i, (mine, my_weight) in enumerate(own):
        for j, (theirs, their_weight) in enumerate(other):
            if len(mine) and len(theirs):
                apart = np.linalg.norm(mine[:, None] - theirs[None], axis=-1)
                there, back = my_weight @ apart.min(1), their_weight @ apart.min(0)
                out[i, j] = (there + back) / 2
    return out


def supertrails(sub, sups):
    """Which of ``sups`` contain ``sub``; a null trail is contained in nothing."""
    return [j for j, sup in enumerate(sups) if sub and sub <= sup]


def peel_by_definition(subs, sups, *, both_ways):
    """REIDIT-I: link whoever has a single living counterpart, remove both, go on."""
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


def equal_links_without(names, addresses, location):
    """REIDIT-C without one location: pairs whose trails are equal and unique on both sides."""
    first = [trail - {location} for trail in names]
    second = [trail - {location} for trail in addresses]
    return [
        (i, second.index(trail))
        for i, trail in enumerate(first)
        if trail and first.count(trail) == 1 and second.count(trail) == 1
    ]


def records_of(kind, visits):
    """What an adversary may know of a person, by kind of knowledge; visits are (place, time)."""
    counts = Counter(place for place, _ in visits)
    ranked = sorted(counts, key=lambda place: (-counts[place], place))
    return {
        "place": [place for place, _ in visits],
        "unique-place": sorted(counts),
        "place-time": list(visits),
        "time": sorted({time for _, time in visits}),
        "sequence": [place for place, _ in visits],
        "frequency": sorted(counts.items()),
        "probability": [(place, n / len(visits)) for place, n in sorted(counts.items())],
        "proportion": sorted(counts.items()),
        "home-work": ranked[:2],
    }[kind]


def is_subsequence(short, long):
    """Whether all of ``short`` is met in ``long``, in order."""
    rest = iter(long)
    return all(place in rest for place in short)


def is_within(own, other, tolerance):
    """Whether a known value lies within the tolerance of another's value."""
    return other - other * tolerance <= own <= other + other * tolerance


def agrees_by_definition(kind, known, records, tolerance=0.0):
    """Whether a person's records agree with what is known."""
    if kind in ("place", "place-time"):
        return not Counter(known) - Counter(records)
    if kind in ("unique-place", "time", "home-work"):
        return set(known) <= set(records)
    if kind == "sequence":
        return is_subsequence(known, records)
    there = dict(records)
    if not all(place in there for place, _ in known):
        return False
    mine, theirs = [value for _, value in known], [there[place] for place, _ in known]
    if kind == "proportion":
        mine = [value / max(mine) for value in mine]
        theirs = [value / max(theirs) for value in theirs]
    return all(is_within(a, b, tolerance) for a, b in zip(mine, theirs, strict=True))


def fewest_by_definition(kind, people, k, tolerance=0.0):
    """The fewest people any k of a person's records leave: scikit-mobility's enumeration."""
    records = [records_of(kind, visits) for visits in people]
    return [
        min(
            sum(agrees_by_definition(kind, known, other, tolerance) for other in records)
            for known in combinations(own, min(k, len(own)))
        )
        for own in records
    ]
