"""
How fast the parts of an audit go, here and now.

Formulas (`trailprint.audit.planning.estimates`) say how the time of a part grows with the data.
How long it really takes was measured on a small piece of the data, and is corrected after every
part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

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
        self._all = list(self._measured.values())
        #: How fast all was when the first part of a kind was done.
        self._general: dict[str, float] = {}

    def seconds(self, part: Part) -> float:
        """How long a part should take."""
        kind = _kind(part.name)
        if kind in self._learnt:
            return self._first_guess(part) * _mean(self._learnt[kind])
        return self._first_guess(part)

    def learn(self, part: Part, seconds: float) -> None:
        """A part took this long: others of its kind will differ in the same way."""
        if part.is_open_ended:
            return
        kind = _kind(part.name)
        self._general.setdefault(kind, _mean(self._all))
        ratio = compare(seconds, self._first_guess(part))
        self._learnt.setdefault(kind, []).append(ratio)
        self._all.append(compare(seconds, part.seconds))

    def _first_guess(self, part: Part) -> float:
        """From the part itself, or one like it, on a small piece; else from how fast all is."""
        kind = _kind(part.name)
        likely = (part.name, f"attack/{kind}", f"{kind}/none")
        known = (self._measured[name] for name in likely if name in self._measured)
        return part.seconds * next(known, self._general.get(kind) or _mean(self._all))


def _mean(ratios: Sequence[float]) -> float:
    """The geometric mean; 1 of nothing."""
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
