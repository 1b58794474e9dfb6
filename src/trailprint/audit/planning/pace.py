"""
How fast the parts of an audit go, here and now.

Formulas (`trailprint.audit.planning.estimates`) say how the time of each operation grows with the
data, and a part is a sum of operations. How much longer each operation takes than its formula says
is learnt from parts done on a small piece of the data and from every part that is done:

    log(seconds) = log(sum over operations of formula * exp(machine + operation)) + part

with a weak pull of ``operation`` and ``part`` towards zero. Whatever two parts share, one teaches
of the other; what is a part's own, such as how often it repeats an attack, its piece teaches.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trailprint.arrays import Floats
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning.seconds import operations_of

#: How far logarithms are off: of the machine, of an operation, of one on a piece of the data
#: beside the whole, of a part, and of one measurement. From parts of five populations.
_MACHINE, _OPERATION, _PIECE, _PART, _NOISE = 1.0, 0.6, 0.35, 0.4, 0.15
#: Seconds added before two times are compared: what takes no time says little of what takes long.
_FLUTTER_S = 0.2
#: Steps of the fit, which is nearly linear, and the longest of them.
_STEPS, _LONGEST = 12, 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a part took, beside its estimate; on a small piece of the data, or on all of it."""

    part: Part
    seconds: float
    on_piece: bool = False


class Pace:
    """Seconds that parts should take, from what others took."""

    def __init__(self, measured: Iterable[Measured] = ()) -> None:
        self._measured = list(measured)
        self._fit: _Fit | None = None
        self._piece: Mapping[str, Outcome] = {}

    def seconds(self, part: Part) -> float:
        """How long a part should take."""
        if self._fit is None:
            self._fit = _Fit(self._measured)
        return self._fit.predict(part)

    def foresee(self, part: Part) -> Part:
        """The same part with the seconds it should take if others find what they did on a piece."""
        return part.timed(self._piece) if self._piece else part

    def know(self, found: Mapping[str, Outcome]) -> None:
        """All attacks were tried on a piece of the data, and found this."""
        self._piece = found

    def learn(self, part: Part, seconds: float, *, on_piece: bool = False) -> None:
        """A part took this long: whatever has operations in common with it differs alike."""
        if not part.is_open_ended:
            self._measured.append(Measured(part=part, seconds=seconds, on_piece=on_piece))
            self._fit = None


class _Fit:
    """The most likely deviations from formulas, given what was measured."""

    def __init__(self, measured: list[Measured]) -> None:
        self._measured = measured
        self._names: dict[tuple[str, str], int] = {("machine", ""): 0}
        self._values: Floats = self._solve()

    def predict(self, part: Part) -> float:
        """Seconds of a part on the whole data."""
        operations = _operations(part)
        total = sum(
            seconds * math.exp(self._value("operation", name))
            for name, seconds in operations.items()
        )
        return total * math.exp(self._value("machine") + self._value("part", _kind(part)))

    def _value(self, what: str, name: str = "") -> float:
        place = self._names.get((what, name))
        return 0.0 if place is None else float(self._values[place])

    @cached_property
    def _spreads(self) -> dict[str, float]:
        return {"machine": _MACHINE, "operation": _OPERATION, "piece": _PIECE, "part": _PART}

    def _solve(self) -> Floats:
        """Gauss and Newton's steps, none of them large; deviations are pulled towards zero."""
        terms = [self._list_terms(one) for one in self._measured]
        pull = np.diag([1.0 / self._spreads[what] for what, _ in self._names])
        values = np.zeros(len(self._names))
        for _ in range(_STEPS if terms else 0):
            rows = [self._linearise(one, values) for one in zip(self._measured, terms, strict=True)]
            left = np.vstack([*(slope for slope, _ in rows), pull])
            right = np.concatenate([[miss for _, miss in rows], -pull @ values])
            step = np.linalg.lstsq(left, right, rcond=None)[0]
            values = values + np.clip(step, -_LONGEST, _LONGEST)
        return values

    def _list_terms(self, one: Measured) -> list[tuple[float, list[int]]]:
        """For each operation its seconds, and the places of the deviations that multiply it."""
        terms = []
        for name, seconds in _operations(one.part).items():
            known = [("operation", name), *([("piece", name)] if one.on_piece else [])]
            terms.append((seconds, [self._place(key) for key in known]))
        self._place(("part", _kind(one.part)))
        return terms

    def _place(self, key: tuple[str, str]) -> int:
        return self._names.setdefault(key, len(self._names))

    def _linearise(
        self, known: tuple[Measured, list[tuple[float, list[int]]]], values: Floats
    ) -> tuple[Floats, float]:
        """How the logarithm of a time depends on each deviation, and how far off it is."""
        one, terms = known
        common = [0, self._place(("part", _kind(one.part)))]
        factor = math.exp(values[common].sum())
        sums = [factor * seconds * math.exp(values[places].sum()) for seconds, places in terms]
        total = sum(sums) + _FLUTTER_S
        slope = np.zeros(len(values))
        slope[common] = sum(sums) / total
        for own, (_, places) in zip(sums, terms, strict=True):
            slope[places] += own / total
        return slope / _NOISE, math.log((one.seconds + _FLUTTER_S) / total) / _NOISE


def _operations(part: Part) -> Mapping[str, float]:
    """What a part is made of; parts without operations are alike where they begin alike."""
    return operations_of(part.seconds, part.name.partition("/")[0])


def _kind(part: Part) -> str:
    """Further values of a protection are tried like the first ones."""
    return part.name.partition(",")[0]
