"""
Pace of the parts of an audit on this machine.

Formulas (`trailprint.audit.planning.estimates`) say how the time of each operation grows with the
data, and a part is a sum of operations. How much longer each operation takes than its formula says
is learnt from parts run on a small sample of the data and from every finished part:

    log(seconds) = log(sum over operations of formula * exp(machine + operation)) + part

where ``operation`` and ``part`` are weakly regularised towards zero. Operations that two parts
share are learnt from both; what is specific to a part, such as how often it repeats an attack, is
learnt from its run on the sample.
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

#: Standard deviations of logarithms: of the machine, of an operation, of one on a sample relative
#: to the whole data, of a part, and of one measurement. From parts of five populations.
_MACHINE, _OPERATION, _PIECE, _PART, _NOISE = 1.0, 0.6, 0.35, 0.4, 0.15
#: Seconds added before two times are compared, so that very short times have little weight.
_FLUTTER_S = 0.2
#: Number of steps of the fit, which is nearly linear, and the largest step.
_STEPS, _LONGEST = 12, 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Time that a part took, with its estimate; on a sample or on the whole data."""

    part: Part
    seconds: float
    on_piece: bool = False


class Pace:
    """Estimates the seconds of parts from the time that others took."""

    def __init__(self, measured: Iterable[Measured] = ()) -> None:
        self._measured = list(measured)
        self._fit: _Fit | None = None
        self._piece: Mapping[str, Outcome] = {}

    def seconds(self, part: Part) -> float:
        """Return the estimated seconds of a part."""
        if self._fit is None:
            self._fit = _Fit(self._measured)
        return self._fit.predict(part)

    def foresee(self, part: Part) -> Part:
        """Return the part with its seconds if other parts find what they found on the sample."""
        return part.timed(self._piece) if self._piece else part

    def know(self, found: Mapping[str, Outcome]) -> None:
        """Record the outcomes of all attacks on the sample."""
        self._piece = found

    def learn(self, part: Part, seconds: float, *, on_piece: bool = False) -> None:
        """Record the time of a part, to correct estimates of parts that share its operations."""
        if not part.is_open_ended:
            self._measured.append(Measured(part=part, seconds=seconds, on_piece=on_piece))
            self._fit = None


class _Fit:
    """Most likely deviations from the formulas, given the measured times."""

    def __init__(self, measured: list[Measured]) -> None:
        self._measured = measured
        self._names: dict[tuple[str, str], int] = {("machine", ""): 0}
        self._values: Floats = self._solve()

    def predict(self, part: Part) -> float:
        """Return the seconds of a part on the whole data."""
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
        """Gauss-Newton with limited steps; deviations are regularised towards zero."""
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
        """For each operation, its seconds and the indices of the deviations that multiply it."""
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
        """Return the gradient of the logarithm of a time by deviations, and its residual."""
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
    """Operations of a part; one without any counts as an operation named after its kind."""
    return operations_of(part.seconds, part.name.partition("/")[0])


def _kind(part: Part) -> str:
    """Name of a part for the fit: other values of a protection share that of the first ones."""
    return part.like or part.name
