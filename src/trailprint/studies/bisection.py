"""Bisection towards the weakest value of a parameter that suffices; every step is a measurement."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value", int, float)
Measured = TypeVar("Measured")

MOST_STEPS = 12
_CLOSE = 1.05
"""Bisection of a real parameter ends when what suffices and what does not are this near."""
CLOSE_COUNTS = 1.01
"""The same of a parameter that counts: up to a hundred, values next to each other."""
_DIGITS = 2
"""Values in between are round numbers: they are read, and typed again."""


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

    Returns every value that was measured, in order. Where stronger values always protect more,
    the weakest that suffices is ``strong`` or among them, and what is next to it on the weak side
    is ``weak`` or among them. Where they do not, some threshold is found, and nothing is said of
    values that were not measured. It ends where, with what does not suffice by then, ``may_pay``
    says that it is not worth going on.
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
    """A value between two, a round one; None where they are close to each other."""
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
