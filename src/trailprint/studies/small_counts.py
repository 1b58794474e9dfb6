"""Groups of a few people are not counted exactly: whoever knows one of them would know too much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

SMALL = 10
"""Counts of people in a breakdown below this are not told exactly."""

HIDDEN = "hidden"
"""Instead of a count that is told to nobody, because a small one would follow from it."""

MaskedCount = int | str
"""A count of people, or a text in its place: ``"<10"``, ``">90"`` or ``"hidden"``."""


class MaskedRate(NamedTuple):
    """A rate with its 95 % interval; of a few people only ``at_most``, the most it can be."""

    accuracy: float | None
    low: float | None
    high: float | None
    at_most: float | None


class Maskable(Protocol):
    """Anything with a rate that may be masked."""

    @property
    def accuracy(self) -> float | None: ...

    @property
    def at_most(self) -> float | None: ...


def is_small(n_people: float, small: int = SMALL) -> bool:
    """Whether a count must not be told; nobody at all may be."""
    return 0 < n_people < small


def is_close(n_people: int, of: int, small: int = SMALL) -> bool:
    """Whether a count must not be told, for itself or for what is missing to the whole."""
    return is_small(n_people, small) or (n_people > 0 and is_small(of - n_people, small))


def hide_small(n_people: int, small: int = SMALL, *, of: int | None = None) -> MaskedCount:
    """A count as a value: itself, ``"<10"``, or ``">90"`` where few are missing ``of`` 100."""
    if is_small(n_people, small):
        return f"<{small}"
    if of is not None and is_close(n_people, of, small):
        return f">{of - small}"
    return n_people


def describe_count(n_people: int, small: int = SMALL, *, of: int | None = None) -> str:
    """A count within a sentence: itself, or "fewer than 10", or "more than 90"."""
    hidden = hide_small(n_people, small, of=of)
    if isinstance(hidden, int):
        return f"{hidden:,}"
    return f"{'fewer' if hidden[0] == '<' else 'more'} than {int(hidden[1:]):,}"


def hide_change(change: float, n_linked: int, of: int, small: int = SMALL) -> float | str:
    """A change of a share; that of a few people only as such, whichever its direction."""
    n_changed = round(change * of)
    if is_small(abs(n_changed), small):
        return f"<{small}"
    return HIDDEN if is_close(n_linked + n_changed, of, small) else change


def highest_share(n_people: int, small: int = SMALL) -> float:
    """The highest share of all people that a small count can be."""
    return min(small - 1, n_people) / max(n_people, 1)


def mask_rate(
    accuracy: float, interval: tuple[float, float], n_found: int, n_people: int
) -> MaskedRate:
    """A rate, or the most it can be where few are found."""
    if is_small(n_found):
        return MaskedRate(None, None, None, highest_share(n_people))
    return MaskedRate(accuracy, *interval, None)


def describe_rate(point: Maskable) -> str:
    """The accuracy of a point within a sentence, or the most it can be."""
    if point.accuracy is None:
        return f"at most {point.at_most:.0%}"
    return f"{point.accuracy:.0%}"


def keep_steps(curves: Sequence[Sequence[int]], small: int = SMALL) -> list[int]:
    """
    Which points of curves of cumulative counts may be told.

    Each curve counts people up to the same points and ends with all of them. From one point kept
    to the next, from zero to the first and from the last to the end, no curve adds a few.
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
    Neighbouring bins joined until each holds nobody or at least ``small`` people.

    Returns the first and the last bin of each; fewer people than that make one bin.
    """
    joined: list[tuple[int, int]] = []
    start = 0
    for place in range(len(counts)):
        if not is_small(sum(counts[start : place + 1]), small):
            joined.append((start, place))
            start = place + 1
    if start < len(counts):
        # Too few are left over: they join the last bin that holds anybody.
        while joined and not sum(counts[joined[-1][0] : joined[-1][1] + 1]):
            start = joined.pop()[0]
        start = joined.pop()[0] if joined else 0
        joined.append((start, len(counts) - 1))
    return joined
