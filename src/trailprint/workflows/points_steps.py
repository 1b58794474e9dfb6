"""Steps of measuring what a few known points reveal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trailprint.arrays import Floats, Indices, Ints
from trailprint.attacks.points.drawn import CandidateCounts, choose_numbers, draw_candidates
from trailprint.attacks.points.options import Knowledge, PointsOptions
from trailprint.attacks.points.worst import find_worst, find_worst_order
from trailprint.display.discreet import Discreet
from trailprint.evaluation.unicity import Sharing, WorstPoints, measure_worst
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, open_places
from trailprint.features.points import PointKind, Points, build_points, build_visit_order
from trailprint.progress import Progress
from trailprint.protections.protection import Protection
from trailprint.studies.known_points import GridShare, PlaceLevel, find_levels, measure_grid
from trailprint.studies.shared_traces import measure_shared, share_traces
from trailprint.workflows.chain_reading import list_protections, read_chain
from trailprint.workflows.points_result import QUOTED


@dataclass(slots=True)
class Measurement(Discreet):
    """State shared by the steps: the data, the points built so far, and each person's risks."""

    events: Events
    options: PointsOptions
    n_threads: int | None
    report: Progress
    knowledge: Knowledge
    built: dict[PointKind, Points] = field(default_factory=dict)
    risks: dict[str, Indices | Ints | Floats] = field(default_factory=dict)

    def points(self, kind: PointKind) -> Points:
        """Return the points of a kind, built once."""
        if kind not in self.built:
            self.built[kind] = build_points(self.events, kind, self.options.resolution_s)
        return self.built[kind]

    @property
    def known(self) -> Points:
        """Points of the kind that the adversary knows."""
        return self.points(kind_of(self.knowledge))


def kind_of(knowledge: Knowledge) -> PointKind:
    """Return the kind of points for a kind of knowledge: places, unless times are known."""
    return knowledge if knowledge in ("place-time", "time") else "place"


def open_measurement(
    data: Source,
    options: PointsOptions,
    reading: ReadOptions | None,
    places: PlaceOptions | None,
    protections: Protection | str | Sequence[Protection | str],
    running: tuple[int | None, Progress],
) -> tuple[Measurement, list[tuple[Protection, ...]]]:
    """Read the data to be measured, and the chains of protections to compare."""
    # Where only times are known, places do not matter, so the data need not have any.
    if options.knowledge == "time" and not isinstance(data, Events):
        reading = replace(reading or ReadOptions(), one_place=True)
    (events,) = open_places([data], reading, places)
    chains = [read_chain(one, events.engine) for one in list_protections(protections)]
    knowledge = options.settle(has_times="start" in events.columns)
    return Measurement(events, options, *running, knowledge), chains


def draw_points(run: Measurement) -> CandidateCounts:
    """Draw random points and record each person's share of draws that are unique."""
    options, known = run.options, run.known
    counts = draw_candidates(
        known,
        choose_numbers(known, options.points),
        n_draws=options.draws,
        seed=options.seed,
        n_threads=run.n_threads,
        progress=lambda done: run.report("Drawing points", done),
    )
    for place, number in enumerate(counts.points):
        run.risks[f"unique_{number}"] = counts.unique[:, place] / counts.n_draws
    return counts


def measure_coarser(
    run: Measurement, numbers: tuple[int, ...], levels: Sequence[PlaceLevel] | None = None
) -> tuple[GridShare, ...]:
    """Measure unicity at coarser places and times; ``levels`` limits the places (default: all)."""
    options, known = run.options, run.known
    run.report("Measuring coarser places and times", None)
    return measure_grid(
        known,
        find_levels(known, run.events) if levels is None else levels,
        n_points=max((n for n in numbers if n <= QUOTED), default=min(numbers)),
        n_draws=options.draws,
        resolution_s=None if run.knowledge == "place" else options.resolution_s,
        seed=options.seed,
        n_threads=run.n_threads,
    )


def measure_worst_case(run: Measurement) -> tuple[WorstPoints, ...]:
    """Measure the worst case for 1, 2, … k points; home and work are one case."""
    found = []
    for k in list_worst(run):
        run.report(f"Searching all choices of {k} points", None)
        began = time.perf_counter()
        fewest = find_fewest(run, k)
        run.risks[f"candidates_{k}"] = fewest
        found.append(measure_worst(k, fewest, time.perf_counter() - began))
    return tuple(found)


def list_worst(run: Measurement) -> range:
    """Return the numbers of points whose worst case is requested."""
    n_most = run.options.worst_case
    return range(2, 3) if run.knowledge == "home-work" and n_most else range(1, n_most + 1)


def find_fewest(run: Measurement, k: int) -> Indices:
    """Find the smallest number of people who match any ``k`` points of each person."""
    options = run.options
    if run.knowledge == "sequence":
        return find_worst_order(build_visit_order(run.events), k, n_threads=run.n_threads)
    return find_worst(
        run.known,
        run.knowledge,
        k,
        tolerance=options.tolerance,
        home_work=options.home_work,
        n_threads=run.n_threads,
    )


def compare_traces(run: Measurement) -> tuple[Sharing, ...]:
    """Measure how many people share a trace, a set of places or the top places."""
    run.report("Comparing whole traces", None)
    shared = share_traces(run.events, run.options.resolution_s, run.built)
    for name, counts in shared.items():
        run.risks[f"sharing_{name.replace('-', '_')}"] = counts
    return measure_shared(shared)
