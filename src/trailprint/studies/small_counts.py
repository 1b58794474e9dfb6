"""Mask small counts of people, which would reveal too much to a reader who knows one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from trailprint.values import MaskedCount

SMALL = 10
"""Counts of people in a breakdown below this are not shown exactly."""

HIDDEN = "hidden"
"""Replaces a count that is suppressed because a small one would follow from it."""


class MaskedRate(NamedTuple):
    """A rate with its 95 % interval; for a small count only ``at_most``, its upper bound."""

    accuracy: float | None
    low: float | None
    high: float | None
    at_most: float | None


class Maskable(Protocol):
    """An object with a rate that may be masked."""

    @property
    def accuracy(self) -> float | None: ...

    @property
    def at_most(self) -> float | None: ...


def is_small(n_people: float, small: int = SMALL) -> bool:
    """Whether a count is too small to be shown; zero may be shown."""
    return 0 < n_people < small


def is_close(n_people: int, of: int, small: int = SMALL) -> bool:
    """Whether a count must be masked because it, or its difference from the total, is small."""
    return is_small(n_people, small) or (n_people > 0 and is_small(of - n_people, small))


def hide_small(n_people: int, small: int = SMALL, *, of: int | None = None) -> MaskedCount:
    """Mask a count: itself, ``"<10"``, or ``">90"`` if few are missing from ``of`` = 100."""
    if is_small(n_people, small):
        return f"<{small}"
    if of is not None and is_close(n_people, of, small):
        return f">{of - small}"
    return n_people


def describe_count(n_people: int, small: int = SMALL, *, of: int | None = None) -> str:
    """Return a count for use in a sentence: itself, "fewer than 10" or "more than 90"."""
    hidden = hide_small(n_people, small, of=of)
    if isinstance(hidden, int):
        return f"{hidden:,}"
    return f"{'fewer' if hidden[0] == '<' else 'more'} than {int(hidden[1:]):,}"


def hide_change(change: float, n_linked: int, of: int, small: int = SMALL) -> float | str:
    """Mask a change of a share if it, or the count after it, is small; its sign is masked too."""
    n_changed = round(change * of)
    if is_small(abs(n_changed), small):
        return f"<{small}"
    return HIDDEN if is_close(n_linked + n_changed, of, small) else change


def highest_share(n_people: int, small: int = SMALL) -> float:
    """Return the largest share of all people that a small count can be."""
    return min(small - 1, n_people) / max(n_people, 1)


def mask_rate(
    accuracy: float, interval: tuple[float, float], n_found: int, n_people: int
) -> MaskedRate:
    """Return a rate with its interval, or only an upper bound if few people were found."""
    if is_small(n_found):
        return MaskedRate(None, None, None, highest_share(n_people))
    return MaskedRate(accuracy, *interval, None)


def describe_rate(point: Maskable) -> str:
    """Return the accuracy of a point for use in a sentence, or its upper bound."""
    if point.accuracy is None:
        return f"at most {point.at_most:.0%}"
    return f"{point.accuracy:.0%}"


def keep_steps(curves: Sequence[Sequence[int]], small: int = SMALL) -> list[int]:
    """
    Return the points of cumulative count curves that can be shown.

    Each curve counts people up to the same points and ends with all of them. Between consecutive
    kept points, before the first and after the last, no curve grows by a small count.
    """
    kept: list[int] = []
    last = [0] * len(curves)
    for place in range(len(curves[0]) if curves else 0):
        here = [curve[place] for curve in curves]
        steps = [now - before for now, before in zip(here, last, strict=True)]
        rest = [curve[-1] - now for curve, now in zip(curves, here, strict=True)]
        if not any(is_small(n, small) for n in (*steps, *rest)):
            kept.append(place)
            last = here
    return kept


def join_bins(counts: Sequence[int], small: int = SMALL) -> list[tuple[int, int]]:
    """
    Merge neighbouring bins until each holds no people or at least ``small``.

    Returns the first and last bin of each merged bin; fewer people in total make one bin.
    """
    joined: list[tuple[int, int]] = []
    start = 0
    for place in range(len(counts)):
        if not is_small(sum(counts[start : place + 1]), small):
            joined.append((start, place))
            start = place + 1
    if start < len(counts):
        # Too few people are left over: merge them into the last bin that is not empty.
        while joined and not sum(counts[joined[-1][0] : joined[-1][1] + 1]):
            start = joined.pop()[0]
        start = joined.pop()[0] if joined else 0
        joined.append((start, len(counts) - 1))
    return joined
