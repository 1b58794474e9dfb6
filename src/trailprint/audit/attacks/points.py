"""Singling out in an audit: what a few known points reveal within the released side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.attacks.points.drawn import choose_numbers, draw_candidates
from trailprint.attacks.points.options import Knowledge, PointsOptions
from trailprint.attacks.points.worst import find_worst
from trailprint.audit.attacks.release_family import ReleaseFamily, Step
from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.planning.estimates import (
    coarser_points_seconds,
    points_seconds,
    worst_points_seconds,
)
from trailprint.audit.planning.memory import points_bytes
from trailprint.audit.points_disclosure import (
    disclose_cell,
    disclose_sharing,
    disclose_unicity,
    disclose_worst,
)
from trailprint.audit.results.points import GridCell, SharedPart, UnicityPoint, WorstPoint
from trailprint.evaluation.unicity import measure_unicity, measure_worst
from trailprint.features.points import Points, build_points
from trailprint.plain import from_plain, to_plain
from trailprint.studies.known_points import find_levels, measure_grid
from trailprint.studies.shared_traces import measure_shared, share_traces
from trailprint.values import KnownPointKind
from trailprint.workflows.points_result import QUOTED

_OPTIONS = PointsOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptUnicity:
    """What randomly drawn points reveal, and how many people share a trace."""

    people: int
    places: int
    knowledge: KnownPointKind
    time_resolution: str | None
    cell_m: float | None
    draws: int
    quoted: int
    unicity: tuple[UnicityPoint, ...]
    singling_out: tuple[SharedPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptGrid:
    """What the same points reveal at coarser resolutions."""

    grid: tuple[GridCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptWorst:
    """What the most identifying points reveal."""

    worst_case: tuple[WorstPoint, ...]


class PointsFamily(ReleaseFamily):
    """Unicity, the grid of resolutions, the worst case over all points, and shared traces."""

    name = "points"
    title = "What a few points reveal"
    question = (
        "If an adversary knows a few places and times of a person in the release, who else agrees "
        "with them?"
    )
    assumptions = (
        "The adversary knows that the person is in the release, and a few of the person's points "
        "exactly as they were released.",
        "A person left alone is singled out: the rest of their trace is then known, whatever "
        "name it carries.",
        "Nothing is linked across two periods: these shares are not rates of links, and must be "
        "neither compared with them nor added to them.",
    )

    def list_steps(self, context: AuditContext) -> Sequence[Step]:
        """Unicity first, then the worst case for two points, the grid, and that for four points."""
        sizes = context.sizes
        step = partial(Step, needed_bytes=points_bytes(sizes))
        worst = worst_points_seconds(sizes)
        return [
            step(name="unicity", title=self.title, seconds=points_seconds(sizes), compute=_draw),
            step(
                name="worst-2",
                title="The two most revealing points",
                seconds=worst,
                compute=partial(_search, (1, 2)),
            ),
            step(
                name="grid",
                title="A few points, released coarser",
                seconds=coarser_points_seconds(sizes),
                compute=_measure_grid,
            ),
            step(
                name="worst-4",
                title="The four most revealing points",
                seconds=worst,
                compute=partial(_search, (3, 4)),
            ),
        ]

    def fits(self, step: str, outcome: Outcome, sizes: Sizes) -> bool:
        """Whether the values can be read and the array with one value per person is valid."""
        if step == "grid":
            return all(cell.points >= 1 for cell in grid_of(outcome))
        if step == "unicity":
            return unicity_of(outcome).people >= sizes.n_people and _fit(outcome, sizes, "unique")
        return bool(worst_of(outcome)) and _fit(outcome, sizes, "candidates")


def _fit(outcome: Outcome, sizes: Sizes, name: str) -> bool:
    array = outcome.arrays.get(name)
    return array is not None and array.dtype == np.float64 and array.shape == (sizes.n_people,)


def unicity_of(outcome: Outcome) -> KeptUnicity:
    """Return what randomly drawn points reveal."""
    return from_plain(KeptUnicity, outcome.data)


def grid_of(outcome: Outcome) -> tuple[GridCell, ...]:
    """Return what the same points reveal at coarser resolutions."""
    return from_plain(KeptGrid, outcome.data).grid


def worst_of(outcome: Outcome) -> tuple[WorstPoint, ...]:
    """Return what the most identifying points reveal."""
    return from_plain(KeptWorst, outcome.data).worst_case


def _kind(context: AuditContext) -> KnownPointKind:
    return "place-time" if "start" in context.events[0].columns else "place"


def _build(context: AuditContext) -> Points:
    return build_points(context.events[0], _kind(context), _OPTIONS.resolution_s)


def _quote(numbers: Sequence[int]) -> int:
    return max((n for n in numbers if n <= QUOTED), default=min(numbers))


def _draw(context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress) -> Outcome:
    """Measure unicity by number of points, and how many people share a trace."""
    kind, events = _kind(context), context.events[0]
    known = _build(context)
    numbers = choose_numbers(known, None)
    counts = draw_candidates(
        known,
        numbers,
        n_draws=_OPTIONS.draws,
        seed=context.options.seed,
        n_threads=context.n_threads,
        progress=lambda done: progress(0.9 * done),
    )
    shared = measure_shared(share_traces(events, _OPTIONS.resolution_s, {kind: known}))
    quoted = _quote(numbers)
    unique = counts.unique[:, numbers.index(quoted)] / counts.n_draws
    kept = KeptUnicity(
        people=known.n_users,
        places=len(known.locations),
        knowledge=kind,
        time_resolution=None if kind == "place" else _OPTIONS.time_resolution,
        cell_m=events.cell_m,
        draws=counts.n_draws,
        quoted=quoted,
        unicity=tuple(map(disclose_unicity, measure_unicity(counts))),
        singling_out=tuple(map(disclose_sharing, shared)),
    )
    return Outcome(data=to_plain(kept), arrays={"unique": _of_people(context, known, unique)})


def _measure_grid(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    known = _build(context)
    cells = measure_grid(
        known,
        find_levels(known, context.events[0]),
        n_points=_quote(choose_numbers(known, None)),
        n_draws=_OPTIONS.draws,
        resolution_s=None if _kind(context) == "place" else _OPTIONS.resolution_s,
        seed=context.options.seed,
        n_threads=context.n_threads,
    )
    kept = KeptGrid(grid=tuple(disclose_cell(cell, known.n_users) for cell in cells))
    return Outcome(data=to_plain(kept))


def _search(
    numbers: Sequence[int],
    context: AuditContext,
    before: Mapping[str, Outcome],
    progress: PartProgress,
) -> Outcome:
    """Find the fewest candidates over all choices of points, for each number of points."""
    known, knowledge = _build(context), _knowledge(context)
    found = []
    for place, k in enumerate(numbers):
        progress(place / len(numbers))
        fewest = find_worst(known, knowledge, k, n_threads=context.n_threads)
        found.append(disclose_worst(measure_worst(k, fewest, 0.0), known.n_users))
    kept = KeptWorst(worst_case=tuple(found))
    people = _of_people(context, known, fewest.astype(np.float64))
    return Outcome(data=to_plain(kept), arrays={"candidates": people})


def _knowledge(context: AuditContext) -> Knowledge:
    return _OPTIONS.settle(has_times=_kind(context) == "place-time")


def _of_people(
    context: AuditContext, known: Points, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Select values of the audit's people, in their order, from those of all in the release."""
    rows = pc.index_in(context.people.cast(pa.string()), value_set=known.users.cast(pa.string()))
    found: NDArray[np.float64] = values[rows.to_numpy(zero_copy_only=False).astype(np.int64)]
    return found
