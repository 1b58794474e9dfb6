"""
How fast the parts of an audit go, here and now.

Formulas (`trailprint.audit.estimates`) say how the time of a part grows with the data. How long it
really takes was measured on a small piece of the data, and is corrected after every part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from trailprint.audit.parts import Part

#: Seconds added before two times are compared: what takes no time says little of what takes long.
_NOISE_S = 0.2


class Pace:
    """
    Seconds that parts should take, from what others took.

    Parameters
    ----------
    measured : mapping
        By name of a part, how many times its estimate a small piece of the data took.
    """

    def __init__(self, measured: Mapping[str, float] | None = None) -> None:
        self._measured = dict(measured or {})
        self._learnt: dict[str, list[float]] = {}

    def seconds(self, part: Part) -> float:
        """How long a part should take."""
        return self._first_guess(part) * self._correct(part)

    def learn(self, part: Part, seconds: float) -> None:
        """A part took this long: others of its kind will differ in the same way."""
        if part.is_open_ended:
            return
        ratio = compare(seconds, self._first_guess(part))
        self._learnt.setdefault(_kind(part.name), []).append(ratio)

    def _first_guess(self, part: Part) -> float:
        kind = _kind(part.name)
        likely = (part.name, f"attack/{kind}", f"{kind}/none")
        known = (self._measured[name] for name in likely if name in self._measured)
        return part.seconds * next(known, 1.0)

    def _correct(self, part: Part) -> float:
        """The geometric mean over the parts of its kind that are done."""
        ratios = self._learnt.get(_kind(part.name), ())
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def compare(seconds: float, estimate: float) -> float:
    """How many times an estimate something took; little is made of what takes no time."""
    return (seconds + _NOISE_S) / (estimate + _NOISE_S)


def _kind(name: str) -> str:
    """Parts of one kind do much the same: an attack and its controls, all protections."""
    first, _, rest = name.partition("/")
    if first in ("attack", "control"):
        return rest
    return "protect" if first == "search" else first
