"""
Sliders for the numeric parameters of protections, with stops at values worth trying.

The stops are round numbers around the default, no larger than the data allows. A form sends the
index of a stop; a number typed beside the slider overrides it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from trailprint.errors import OptionError
from trailprint.protections.protection import Protection, Unit
from trailprint.protections.registry import PROTECTIONS, parse_protection, write_protection

_SECONDS = (60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400)
_METRES = (100, 250, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
_SHARES = tuple(round(0.05 * n, 2) for n in range(1, 17))
#: Stops of parameters whose usual value says little about others worth trying.
_STOPS: Mapping[Unit | None, tuple[float, ...]] = {
    "seconds": _SECONDS,
    "metres": _METRES,
    "share": _SHARES,
    "parts of a name": (1, 2, 3, 4, 5),
}
_MOST_VALUES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """
    A parameter of a protection and the stops of its slider.

    ``is_usual`` is true if audits try this parameter by default.
    """

    protection: str
    parameter: str
    summary: str
    stops: tuple[float, ...]
    start: int
    is_usual: bool

    @property
    def name(self) -> str:
        """Its name in forms and page elements."""
        return f"{self.protection}:{self.parameter}"

    @property
    def shown(self) -> list[str]:
        """The stops as text, as a user would type them."""
        return [f"{stop:g}" if stop < 1e6 else str(int(stop)) for stop in self.stops]


def list_sliders(data: object) -> list[Slider]:
    """All sliders that suit the data described in a result, usual ones first."""
    released, has = _part(data, "released"), _part(data, "has")
    sizes = {"people": released.get("users"), "locations": released.get("locations")}
    sizes = {name: size for name, size in sizes.items() if isinstance(size, int)}
    found = [
        _make(kind, item.name, item.default, sizes)
        for kind in PROTECTIONS.values()
        for item in fields(kind)
        if get_type_hints(kind)[item.name] in (int, float)
        and all(has.get(need, True) for need in kind.needs)
    ]
    return sorted(found, key=lambda slider: not slider.is_usual)


def _part(data: object, name: str) -> Mapping[str, Any]:
    """A part of a result, which is not trusted; empty if it is missing."""
    found = data.get(name) if isinstance(data, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _make(kind: type[Protection], parameter: str, usual: Any, sizes: Mapping[str, Any]) -> Slider:
    is_whole = get_type_hints(kind)[parameter] is int
    unit = kind.units.get(parameter)
    limit = sizes.get(unit or "")
    usual = float(usual) if limit is None else min(float(usual), max(limit, 4) / 2)
    stops = _STOPS.get(unit) or _list_stops(usual, is_whole=is_whole)
    fitting = tuple(stop for stop in stops if not limit or stop <= limit) or stops[:1]
    start = min(range(len(fitting)), key=lambda place: abs(fitting[place] - usual))
    return Slider(
        protection=kind.name,
        parameter=parameter,
        summary=kind.summary,
        stops=fitting,
        start=start,
        is_usual=kind.audited == parameter,
    )


def _list_stops(usual: float, *, is_whole: bool) -> tuple[float, ...]:
    """Round numbers around the usual value."""
    series = [base * 10**power for power in range(-1, 5) for base in (1, 2, 3, 5, 7)]
    near = [stop for stop in series if usual / 20 <= stop <= usual * 40]
    return tuple(stop for stop in near if not is_whole or stop == int(stop) >= 2)


def choose_chains(sliders: Sequence[Slider], name: str, slid: str, typed: str) -> list[str]:
    """The protections in a form: with the values typed, else with the slider's value."""
    slider = next((one for one in sliders if one.name == name), None)
    if slider is None:
        raise OptionError("A protection must be one of those that are shown. Choose one of them.")
    values = [text.strip() for text in typed.split(",") if text.strip()]
    if not values:
        place = int(slid) if slid.isdecimal() else slider.start
        values = [slider.shown[min(place, len(slider.stops) - 1)]]
    if len(values) > _MOST_VALUES:
        raise OptionError(
            f"At most {_MOST_VALUES} values may be measured at once, got {len(values)}. Take fewer."
        )
    texts = [f"{slider.protection}:{slider.parameter}={value}" for value in values]
    return list(dict.fromkeys(write_protection(parse_protection(text)) for text in texts))
