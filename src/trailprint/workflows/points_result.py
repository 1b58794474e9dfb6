"""Result of measuring what a few known points reveal, with its tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from trailprint.arrays import Floats, Indices, Ints
from trailprint.attacks.points.options import PointsOptions
from trailprint.display.discreet import Words
from trailprint.display.numbers import format_percent
from trailprint.display.plots import Plot, draw_bars, draw_curve, draw_heat
from trailprint.display.tables import ResultTable
from trailprint.evaluation.larger_populations import LargerPopulation, ModelCheck
from trailprint.evaluation.unicity import Sharing, Unicity, WorstPoints
from trailprint.events.results import Makers, Result, as_table
from trailprint.studies.known_points import GridShare

#: The number of points usually quoted, also used for the grid.
QUOTED = 4

ASSUMPTIONS = (
    "The adversary knows that the person is in the release, and some of the person's points "
    "exactly as they were released. Nothing is linked across two periods.",
    "A person left alone is singled out: the rest of their trace is then known, whatever name it "
    "carries.",
)
MODEL = (
    "The chance that somebody else agrees with the points follows a beta distribution over people, "
    "fitted to the candidates counted here; at least: the tangent of the curve, which is convex "
    "(Farzanehfar, Houssiau and de Montjoye 2021)."
)
WARNING = (
    "An extrapolation, not a measurement: it assumes that more people live as these do, in the "
    "same places."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedSharing:
    """Singling out in a release after one chain of protections."""

    protection: str
    people: int
    singling_out: tuple[Sharing, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointsResult(Result):
    """
    Result of measuring what a few known points reveal.

    ``unicity``, ``extrapolation`` and ``grid`` are empty for knowledge that is not drawn at
    random. Only ``per_user()`` shows who is at risk.
    """

    options: PointsOptions
    users: pa.Array
    n_places: int
    cell_m: float | None
    unicity: tuple[Unicity, ...]
    extrapolation: tuple[LargerPopulation, ...]
    checks: tuple[ModelCheck, ...]
    grid: tuple[GridShare, ...]
    worst_case: tuple[WorstPoints, ...]
    singling_out: tuple[Sharing, ...]
    protections: tuple[ProtectedSharing, ...]
    risks: Mapping[str, Indices | Ints | Floats]
    seconds: Mapping[str, float] = field(default_factory=dict)

    def _shown(self) -> dict[str, object]:
        quoted = self.quoted
        worst = self.worst_case[-1] if self.worst_case else None
        return {
            "knowledge": Words(self.options.knowledge),
            "people": len(self.users),
            "points": quoted and quoted.points,
            "unique": quoted and Words(format_percent(quoted.share)),
            "worst_case": worst and worst.k,
            "singled_out": worst and Words(format_percent(worst.share_at_one)),
        }

    @property
    def quoted(self) -> Unicity | None:
        """Unicity at four points, else at the nearest smaller number, else at the smallest."""
        below = [one for one in self.unicity if one.points <= QUOTED]
        return next(iter([*below[-1:], *self.unicity[:1]]), None)

    def per_user(self) -> pa.Table:
        """Return each person's risk: worst-case candidates and share of draws that are unique."""
        return pa.table({"user": self.users, **{k: pa.array(v) for k, v in self.risks.items()}})

    def _makers(self) -> Makers:
        tables = {
            "unicity": [_flat(one) for one in self.unicity],
            "worst_case": [_flat(one) for one in self.worst_case],
            "grid": [asdict(one) for one in self.grid],
            "extrapolation": [asdict(one) for one in self.extrapolation],
            "singling_out": [_flat(one) for one in self.singling_out],
        }
        made = {name: _maker(name, rows) for name, rows in tables.items() if rows}
        return {**made, "per_user": as_table("per_user", self.per_user)}

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        plots: dict[str, Callable[[], Plot]] = {}
        if self.unicity:
            curve = [_flat(one) for one in self.unicity]
            plots["unicity"] = lambda: draw_curve(curve, "points", "share")
        if self.worst_case:
            bars = [_bar(one) for one in self.worst_case]
            plots["worst_case"] = lambda: draw_bars(bars, "name", "share")
        if self.grid:
            cells = [{**asdict(one), "time": show_resolution(one.time_s)} for one in self.grid]
            plots["grid"] = lambda: draw_heat(cells, "time", "place", "share")
        return plots

    def to_dict(self) -> dict[str, Any]:
        """Return shares and assumptions as plain values, ready for JSON; no identifiers."""
        has_times = self.options.knowledge in ("place-time", "time")
        return {
            "knowledge": self.options.knowledge,
            "people": len(self.users),
            "places": self.n_places,
            "cell_m": self.cell_m,
            "time_resolution": self.options.time_resolution if has_times else None,
            "tolerance": self.options.tolerance,
            "home_work": self.options.home_work if self.options.knowledge == "home-work" else None,
            "draws": self.options.draws if self.unicity else None,
            "unicity": [_plain(one) for one in self.unicity],
            "extrapolation": {
                "model": MODEL,
                "warning": WARNING,
                "populations": [asdict(one) for one in self.extrapolation],
                "checks": [asdict(one) for one in self.checks],
            }
            if self.extrapolation
            else None,
            "grid": [asdict(one) for one in self.grid],
            "worst_case": [_plain(one) for one in self.worst_case],
            "singling_out": [_plain(one) for one in self.singling_out],
            "protections": [_plain(one) for one in self.protections],
            "assumptions": list(ASSUMPTIONS),
            "seconds": dict(self.seconds),
        }


def show_resolution(seconds: int | None) -> str:
    """Return a length of time in a readable unit."""
    if seconds is None:
        return "no time"
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds % length == 0:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _plain(one: Unicity | WorstPoints | Sharing | ProtectedSharing) -> dict[str, Any]:
    """Convert a dataclass to plain values for JSON, with string keys."""
    found: dict[str, Any] = asdict(one)
    if "interval" in found:
        found["interval"] = list(found["interval"])
    if "fewer_than" in found:
        found["fewer_than"] = {str(few): share for few, share in found["fewer_than"].items()}
    if isinstance(one, ProtectedSharing):
        found["singling_out"] = [_plain(part) for part in one.singling_out]
    return found


def _flat(one: Unicity | WorstPoints | Sharing) -> dict[str, Any]:
    """Convert a dataclass to a table row."""
    found = _with_ends(asdict(one))
    few = found.pop("fewer_than")
    return {**found, **{f"fewer_than_{number}": share for number, share in few.items()}}


def _with_ends(row: dict[str, Any]) -> dict[str, Any]:
    low, high = row.pop("interval")
    return {**row, "low": low, "high": high}


def _bar(one: WorstPoints) -> dict[str, Any]:
    low, high = one.interval
    return {"name": f"{one.k} known", "share": one.share_at_one, "low": low, "high": high}


def _maker(name: str, rows: list[dict[str, Any]]) -> Callable[[], ResultTable]:
    return lambda: ResultTable.from_rows(name, rows)
