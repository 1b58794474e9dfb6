"""Bisection for the weakest sufficient value of a parameter; every step is a measurement."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value", int, float)
Measured = TypeVar("Measured")

MOST_STEPS = 12
_CLOSE = 1.05
"""Bisection of a real parameter stops when the ratio of the two bounds is below this."""
CLOSE_COUNTS = 1.01
"""The same for an integer parameter: up to a hundred, it stops at adjacent values."""
_DIGITS = 2
"""Significant digits of values in between: people read them and type them again."""


def bisect(
    measure: Callable[[Value], Measured],
    suffices: Callable[[Measured], bool],
    weak: Value,
    strong: Value,
    *,
    may_pay: Callable[[Value], bool] | None = None,
    most_steps: int = MOST_STEPS,
    close_counts: float = CLOSE_COUNTS,
) -> list[tuple[Value, Measured]]:
    """
    Close in on the threshold between a value that does not suffice and one that does.

    Returns every value that was measured, in order. If stronger values always protect more, the
    weakest sufficient value is ``strong`` or one of them, and its neighbour on the weak side is
    ``weak`` or one of them. Otherwise some threshold is found, and nothing is known about values
    that were not measured. The search stops early when ``may_pay``, called with the strongest
    value known to be insufficient, returns False.
    """
    found: list[tuple[Value, Measured]] = []
    for _ in range(most_steps):
        middle = find_middle(weak, strong, close_counts)
        if middle is None or not (may_pay is None or may_pay(weak)):
            break
        point = measure(middle)
        found.append((middle, point))
        if suffices(point):
            strong = middle
        else:
            weak = middle
    return found


def find_middle(first: Value, second: Value, close_counts: float = CLOSE_COUNTS) -> Value | None:
    """Return a round value between two others, or None if they are close to each other."""
    if isinstance(first, int) and isinstance(second, int):
        middle = (first + second) // 2
        is_close = max(first, second) < close_counts * min(first, second)
        return None if is_close or middle in (first, second) else middle
    low, high = sorted((float(first), float(second)))
    if low > 0:
        exact, is_close = math.sqrt(low * high), high / low < _CLOSE
    else:
        exact, is_close = (low + high) / 2, high - low < 0.01 * max(abs(low), abs(high))
    if is_close:
        return None
    rounded = _round(exact)
    return rounded if low < rounded < high else exact


def _round(value: float) -> float:
    if value == 0:
        return 0.0
    return round(value, _DIGITS - 1 - math.floor(math.log10(abs(value))))
