"""What a few known points reveal, by scikit-mobility's enumeration of all subsets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from statistics import fmean

WORD = 2**64

WORD = 2**64


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


def count_who_have(keys, people):
    """How many people have all of some keys."""
    return sum(set(keys) <= set(other) for other in people)


def share_unique(people, n_points):
    """The mean over people of the share of choices of points that nobody else has."""
    shares = []
    for one in people:
        choices = list(combinations(sorted(one), min(n_points, len(one))))
        shares.append(fmean(count_who_have(known, people) == 1 for known in choices))
    return fmean(shares)


def count_drawn_by_definition(people, most, seed):
    """How many people have the first, the first two … of the points drawn of each person."""
    found = []
    for row, own in enumerate(people):
        drawn = [own[at] for at in _draw_places(len(own), most, row, seed)]
        found.append([count_who_have(drawn[:n], people) for n in range(1, most + 1)])
    return found


def _draw_places(n, most, stream, seed):
    """Random places without repetition: the kernel's generator, splitmix64, on whole numbers."""
    state = _mix((stream + 0x632BE59BD9B4E019 * (seed + 1)) % WORD)
    drawn: list[int] = []
    while len(drawn) < min(n, most):
        state = (state + 0x9E3779B97F4A7C15) % WORD
        at = int((_mix(state) >> 11) * 2.0**-53 * n)
        if at not in drawn:
            drawn.append(at)
    return drawn


def _mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)
