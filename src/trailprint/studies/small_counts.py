"""Groups of a few people are not counted exactly: whoever knows one of them would know too much."""

from __future__ import annotations

SMALL = 10
"""Counts of people in a breakdown below this are not told exactly."""


def is_small(n_people: float, small: int = SMALL) -> bool:
    """Whether a count must not be told; nobody at all may be."""
    return 0 < n_people < small


def hide_small(n_people: int, small: int = SMALL) -> int | str:
    """A count as a value: itself, or ``"<10"``."""
    return f"<{small}" if is_small(n_people, small) else n_people


def tell_count(n_people: int, small: int = SMALL) -> str:
    """A count within a sentence: itself, or "fewer than 10"."""
    return f"fewer than {small}" if is_small(n_people, small) else f"{n_people:,}"
