"""Singling out in a release: how many people share a trace, places or top places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from trailprint.arrays import Ints
from trailprint.attacks.points.singling_out import find_same_trace, find_sharing, places_of
from trailprint.errors import InputError
from trailprint.evaluation.unicity import Sharing, measure_sharing
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.features.points import PointKind, Points, build_points
from trailprint.protections.loss import with_locations

_FEW = ("2", "5", "10", "20")
HOUR_S = 3600
"""Default length of the time bins in which traces are compared, in seconds."""


def share_traces(
    events: Events, resolution_s: int = HOUR_S, built: dict[PointKind, Points] | None = None
) -> dict[str, Ints]:
    """
    Count for each person how many people share their trace, set of places and top places.

    A trace is all places of a person with times, or with counts if there are no times.
    """
    there = {} if built is None else built
    whole: PointKind = "place-time" if "start" in events.columns else "place"
    kinds: tuple[PointKind, ...] = (whole, "place")
    for kind in kinds:
        if kind not in there:
            there[kind] = build_points(events, kind, resolution_s)
    return {"trace": find_same_trace(there[whole]), **find_sharing(there["place"])}


def share_histograms(histograms: Histograms) -> dict[str, Ints]:
    """Count the same for released histograms: a trace is a histogram."""
    places = places_of(histograms)
    return {"trace": find_same_trace(places), **find_sharing(places)}


def share_release(
    events: Events | None, histograms: Histograms | None, resolution_s: int = HOUR_S
) -> dict[str, Ints]:
    """Count the same for a release of histograms, or else of events."""
    if histograms is not None:
        return share_histograms(histograms)
    if events is None:
        raise ValueError("a release has events or histograms")
    return share_traces(events, resolution_s)


def measure_shared(shared: Mapping[str, Ints]) -> tuple[Sharing, ...]:
    """Summarise counts for each person as shares of people."""
    return tuple(measure_sharing(what, counts) for what, counts in shared.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class SinglingOut:
    """How many people share a trace before and after a protection; empty if no people are left."""

    before: tuple[Sharing, ...]
    after: tuple[Sharing, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return both as plain values, ready for JSON."""
        return {
            "before": [plain_sharing(one) for one in self.before],
            "after": [plain_sharing(one) for one in self.after],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return both as rows of one table."""
        return [
            {"release": release, **_flat(one)}
            for release, shared in (("before", self.before), ("after", self.after))
            for one in shared
        ]


def compare_sharing(
    before: Events, events: Events | None, histograms: Histograms | None
) -> SinglingOut:
    """Compare how many people share a trace in the original data and in the release."""
    return SinglingOut(before=_share(before, None), after=_share(events, histograms))


def _share(events: Events | None, histograms: Histograms | None) -> tuple[Sharing, ...]:
    placed = None if events is None else with_locations(events)
    try:
        return measure_shared(share_release(placed, histograms))
    except InputError:  # No data is left.
        return ()


def plain_sharing(one: Sharing) -> dict[str, Any]:
    """Return one share as plain values, ready for JSON."""
    few = {str(number): share for number, share in one.fewer_than.items()}
    return {**asdict(one), "interval": list(one.interval), "fewer_than": few}


#: Columns of `SinglingOut.rows`.
SHARING_COLUMNS = (
    *("release", "what", "people", "unique_share", "sharing_median", "low", "high"),
    *(f"fewer_than_{n}" for n in _FEW),
)


def _flat(one: Sharing) -> dict[str, Any]:
    row = plain_sharing(one)
    (low, high), few = row.pop("interval"), row.pop("fewer_than")
    return {**row, "low": low, "high": high, **{f"fewer_than_{n}": few[n] for n in _FEW}}
