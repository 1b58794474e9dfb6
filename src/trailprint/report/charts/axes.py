"""The axes of a chart: their range, their ticks and how the ticks are written."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

from trailprint.report.charts.svg import isolate

_LETTERS = 44
"""Number of letters that fit side by side below the narrowest chart."""
_LEAST_WIDTH = 4
_NOTHING = 1e-12
"""A range below this counts as empty."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_FORMATS = {
    "percent": "format(datum.value * 100, ',~r') + ' %'",
    "number": "abs(datum.value) < 1 ? format(datum.value, '~g') : format(datum.value, ',~r')",
}


@dataclass(frozen=True, slots=True)
class Axis:
    """
    One axis of a chart.

    Attributes
    ----------
    title : str
        What is measured, with its unit.
    kind : {"linear", "log"}
        Type of scale.
    unit : {"percent", "number"}
        How ticks are written; the values of ``percent`` are shares.
    low, high : float or None
        Ends of the axis; None to fit the values.
    is_from_zero : bool
        Whether a linear axis starts at zero even if all values are far from it.
    ticks : tuple of float or None
        Positions of ticks; None for a few round values.
    labels : tuple of str or None
        Labels of the ticks; None for their values.
    """

    title: str
    _: KW_ONLY
    kind: Literal["linear", "log"] = "linear"
    unit: Literal["percent", "number"] = "number"
    low: float | None = None
    high: float | None = None
    is_from_zero: bool = True
    ticks: tuple[float, ...] | None = None
    labels: tuple[str, ...] | None = None

    def fit(self, values: Iterable[float | None], *, n_ticks: int = 6) -> Axis:
        """Return the axis with its ends and ticks fitted to ``values``."""
        known = [value for value in values if value is not None and math.isfinite(value)]
        if self.kind == "log":
            return self._fit_log([value for value in known if value > 0] or [1.0])
        if not self.is_from_zero and known and min(known) > max(known) / 2:
            return self._fit_closely(min(known), max(known), n_ticks)
        low = self.low if self.low is not None else min([*known, 0.0])
        high = self.high if self.high is not None else self._reach(low, max([*known, low]), n_ticks)
        ticks = self.ticks or tuple(_round_values(low, high, n_ticks))
        return replace(self, low=low, high=high, ticks=ticks)

    def locate(self, value: float) -> float:
        """Position of a value along the axis, from 0 to 1; call `fit` first."""
        low, high = self.low or 0.0, self.high or 1.0
        if self.kind == "log":
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    def channel(self, field: str, prefix: str) -> dict[str, Any]:
        """
        The axis as a Vega-Lite encoding of ``field``; call `fit` first.

        Custom labels are passed as data (see `parameters`), so that they are never run as code.
        """
        own = f"{prefix}_labels[indexof({prefix}_ticks, datum.value)]"
        axis = {
            "title": self.title,
            "values": list(self.ticks or ()),
            "labelExpr": own if self.labels else _FORMATS[self.unit],
            "labelOverlap": False if self.labels else "greedy",
        }
        scale = {"type": self.kind, "domain": [self.low, self.high], "nice": False, "zero": False}
        return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}

    def parameters(self, prefix: str) -> list[dict[str, Any]]:
        """Vega-Lite parameters that `channel` refers to."""
        if not self.labels:
            return []
        return [
            {"name": f"{prefix}_labels", "value": _wrap(self.labels)},
            {"name": f"{prefix}_ticks", "value": list(self.ticks or ())},
        ]

    def _reach(self, low: float, largest: float, n_ticks: int) -> float:
        """The next round value; at most 1 if all values are shares up to 1."""
        if largest - low < _NOTHING:
            return low + 1.0
        step = _round_step((largest - low) / max(n_ticks - 1, 1))
        high = step * math.ceil(largest / step - 1e-9)
        return min(high, 1.0) if self.unit == "percent" and largest <= 1 else high

    def _fit_closely(self, low: float, high: float, n_ticks: int) -> Axis:
        """Fit the axis to values far from zero, without the empty range before them."""
        room = 0.08 * (high - low) or 0.5
        low, high = low - room, high + room
        return replace(self, low=low, high=high, ticks=tuple(_round_values(low, high, n_ticks)))

    def _fit_log(self, positive: list[float]) -> Axis:
        low = self.low if self.low is not None else min(positive) / 1.12
        high = self.high if self.high is not None else max(positive) * 1.12
        return replace(self, low=low, high=high, ticks=self.ticks or _log_values(low, high))


def _wrap(labels: tuple[str, ...]) -> list[list[str]]:
    """Wrap the ticks' labels into lines, so that neighbours do not overlap."""
    width = max(_LEAST_WIDTH, _LETTERS // len(labels) - 1)
    return [[isolate(line) for line in textwrap.wrap(label, width)[:3]] for label in labels]


def _round_values(low: float, high: float, n: int) -> list[float]:
    """Round values between two ends, about ``n`` of them."""
    step = _round_step((high - low) / max(n - 1, 1))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]


def _round_step(least: float) -> float:
    magnitude = 10.0 ** math.floor(math.log10(least))
    return magnitude * min(_STEPS, key=lambda step: abs(math.log(step * magnitude / least)))


def _log_values(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten, with multiples of them if there would be fewer than three ticks."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        values = [round(factor * 10.0**decade, 12) for decade in decades for factor in factors]
        inside = tuple(value for value in values if low <= value <= high)
        if len(inside) >= 3:
            return inside
    return inside
