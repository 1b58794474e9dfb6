"""What a few known points reveal, by scikit-mobility's enumeration of all subsets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations


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
