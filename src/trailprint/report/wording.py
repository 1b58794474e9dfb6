"""Formatting of numbers as people write them, and of missing values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from trailprint.display.numbers import format_exact, format_percent, format_seconds
from trailprint.studies.findings import RareLocation
from trailprint.studies.small_counts import Maskable

UNKNOWN = "not known"
NOT_SHOWN = "not shown"
_THIN = "\u00a0"
"""Keeps a number and its unit on one line."""
_PERCENT = f"{_THIN}%"
_HALF_OF_ONE = 0.005
_SHORTEST_S = 0.05
"""Shorter times would be shown as 0.0 s."""


def percent(share: float | None) -> str:
    """Format a share in percent."""
    return UNKNOWN if share is None else format_percent(share).replace(" %", _PERCENT)


def in_a_hundred(share: float | None) -> str:
    """Format a share as a number of people in 100."""
    if share is None:
        return UNKNOWN
    if 0 < share < _HALF_OF_ONE:
        return "fewer than 1 in 100"
    return f"{round(100 * share)} in 100"


def interval(ends: Sequence[float] | None) -> str:
    """Format an interval of shares."""
    if ends is None:
        return UNKNOWN
    low, high = (percent(end) for end in ends)
    return f"{low.removesuffix(_PERCENT)} to {high}"


def count(number: int | float | str | None) -> str:
    """Format a count; a masked one (``"<10"``, ``">90"``, ``"hidden"``) in words."""
    if number is None:
        return UNKNOWN
    if isinstance(number, str):
        return _describe_masked_count(number)
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.1f}"


def _describe_masked_count(number: str) -> str:
    if number == "hidden":
        return NOT_SHOWN
    words = {"<": "fewer than", ">": "more than"}
    return f"{words[number[0]]} {int(number[1:]):,}" if number[0] in words else number


class Bounded(Protocol):
    """A rate that is masked if it would reveal a small count of people."""

    @property
    def at_most(self) -> float | None: ...


def rate(point: Maskable) -> str:
    """Format an accuracy in percent; if it is masked, its upper bound."""
    return share_or_most(point.accuracy, point.at_most)


def share_or_most(share: float | None, at_most: float | None) -> str:
    """Format a share in percent; if it is masked, its upper bound."""
    if share is None and at_most is not None:
        return f"at most {percent(at_most)}"
    return percent(share)


def rate_interval(ends: Sequence[float] | None, at_most: float | None) -> str:
    """Format the interval of a rate; it is not shown if the rate is masked."""
    return NOT_SHOWN if at_most is not None else interval(ends)


def highest(point: Maskable) -> float | None:
    """The accuracy to draw; if it is masked, its upper bound."""
    return point.at_most if point.accuracy is None else point.accuracy


def describe_masked(points: Iterable[Bounded]) -> str:
    """Explain how masked points are drawn, if there are any."""
    if all(point.at_most is None for point in points):
        return ""
    return (
        " Where fewer than ten people are linked, how many is not shown: the point stands at "
        "the most it could be."
    )


def people_and_share(rare: RareLocation) -> str:
    """Format a number of people and their share, unless the share would reveal the number."""
    share = "" if rare.share is None else f" ({percent(rare.share)})"
    return plural(rare.people, "person", "people") + share


def plural(number: int | float | str | None, one: str, many: str) -> str:
    """Format a count with its noun."""
    return f"{count(number)} {one if number == 1 else many}"


def times(factor: float | None) -> str:
    """Format a factor, such as "2.5 times"."""
    if factor is None:
        return UNKNOWN
    return f"{factor:,.1f} times" if factor < 10 else f"{factor:,.0f} times"


def seconds(duration: float | None) -> str:
    """Format a duration in the usual unit."""
    if duration is None:
        return UNKNOWN
    told = "less than 0.1 s" if duration < _SHORTEST_S else format_seconds(duration)
    return re.sub(r"(\d) ", rf"\1{_THIN}", told)


def date(moment: str | None) -> str:
    """Return the date of an ISO timestamp."""
    return UNKNOWN if not moment else moment[:10]


def join(words: Iterable[str]) -> str:
    """Join words as a list: a, b and c."""
    known = list(words)
    return known[0] if len(known) == 1 else ", ".join(known[:-1]) + " and " + known[-1]


def capital(text: str) -> str:
    """Capitalise the first letter of a text."""
    return text[:1].upper() + text[1:]


def value(anything: Any) -> str:
    """Format a setting as text."""
    if anything is None:
        return "none"
    if isinstance(anything, bool):
        return "yes" if anything else "no"
    if isinstance(anything, int | float):
        return format_exact(anything)
    if isinstance(anything, Mapping):
        return ", ".join(f"{name} = {value(inner)}" for name, inner in anything.items()) or "none"
    if isinstance(anything, (list, tuple)):
        texts = [value(inner) for inner in anything]
        are_sentences = any(text.endswith(".") for text in texts)
        return (" " if are_sentences else ", ").join(texts) or "none"
    return str(anything)


def sentence(text: str | None) -> str:
    """End a text with a full stop if needed; an empty text stays empty."""
    stripped = (text or "").strip()
    return stripped if not stripped or stripped[-1] in ".?!" else stripped + "."
