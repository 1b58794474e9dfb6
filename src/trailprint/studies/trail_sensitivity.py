"""
Sensitivity of trail re-identification (2005 paper, section 4).

Every function takes trails and returns a tidy table: one row per setting, counts and rates with
their 95 % intervals. Locations are indices into ``trails.locations``.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.arrays import Flags, Ints
from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail import match_trails
from trailprint.display.numbers import format_exact
from trailprint.errors import OptionError
from trailprint.evaluation.intervals import mean_interval, wilson
from trailprint.evaluation.truth import Truth
from trailprint.features.trails import Trails
from trailprint.kernels.trails.containment import build_tracks
from trailprint.kernels.trails.equal import match_equal_without_each
from trailprint.kernels.trails.leave_one_out import build_graph, find_pairs, relink_without_each

Order = Literal["most-visited", "least-visited"]
WithheldBy = Literal["visit", "person", "place"]


def leave_one_out(
    released: Trails,
    auxiliary: Trails,
    options: TrailOptions,
    truth: Truth,
    *,
    n_threads: int | None = None,
) -> pa.Table:
    """
    Measure re-identification with each location left out in turn (section 4.1, Figure 10).

    ``options`` must name the algorithm and the reserved side. Rates are relative to the remaining
    population: auxiliary records that still have a trail.
    """
    counts = _count_without_each(released, auxiliary, options, truth, n_threads)
    remaining = _remaining_without_each(auxiliary)
    base = match_trails(released, auxiliary, options, n_threads=n_threads)
    base_rate = base.n_links / max(1, int(np.count_nonzero(auxiliary.lengths)))
    rates = counts[:, 0] / np.maximum(remaining, 1)
    return pa.table(
        {
            "location": np.arange(len(auxiliary.locations)),
            "released_visitors": released.visitors,
            "auxiliary_visitors": auxiliary.visitors,
            "population": remaining,
            "reidentified": counts[:, 0],
            "correct": counts[:, 1],
            "rate": rates,
            "change": rates - base_rate,
            **_intervals(counts[:, 0], remaining),
        }
    )


def _intervals(successes: Ints, trials: Ints) -> dict[str, list[float | None]]:
    bounds = [wilson(int(s), int(n)) for s, n in zip(successes, trials, strict=True)]
    return {
        "rate_low": [b[0] if b else None for b in bounds],
        "rate_high": [b[1] if b else None for b in bounds],
    }


def _remaining_without_each(trails: Trails) -> Ints:
    """Number of non-empty trails when each location is left out."""
    alone = trails.indices[trails.indptr[:-1][trails.lengths == 1]]
    n_alone = np.bincount(alone, minlength=len(trails.locations))
    remaining: Ints = np.count_nonzero(trails.lengths) - n_alone
    return remaining


def _count_without_each(
    released: Trails,
    auxiliary: Trails,
    options: TrailOptions,
    truth: Truth,
    n_threads: int | None,
) -> Ints:
    """Count links and correct links without each location, as fast as the algorithm allows."""
    if options.algorithm == "complete":
        partner = _partners(released.n_users, truth.released, truth.auxiliary)
        sides = [(t.indptr, t.indices) for t in (released, auxiliary)]
        return match_equal_without_each(
            sides[0], sides[1], len(auxiliary.locations), partner, n_threads
        )
    if options.algorithm == "incomplete":
        counts = _count_contained_without_each(released, auxiliary, options, truth, n_threads)
        if counts is not None:
            return counts
    return _count_by_full_runs(released, auxiliary, options, truth, n_threads)


def _count_contained_without_each(
    released: Trails,
    auxiliary: Trails,
    options: TrailOptions,
    truth: Truth,
    n_threads: int | None,
) -> Ints | None:
    sub, sup, own, other = released, auxiliary, truth.released, truth.auxiliary
    if options.reserved == "auxiliary":
        sub, sup, own, other = auxiliary, released, truth.auxiliary, truth.released
    n_locations = len(sub.locations)
    tracks = build_tracks((sub.indptr, sub.indices), (sup.indptr, sup.indices), n_locations)
    pairs = find_pairs(tracks, n_threads)
    if pairs is None:
        return None
    graph = build_graph(sub.n_users, sup.n_users, pairs[0])
    only = np.full(sub.n_users, -1, dtype=np.int64)
    alone = sub.lengths == 1
    only[alone] = sub.indices[sub.indptr[:-1][alone]]
    ways = _remaining_without_each(sub) == _remaining_without_each(sup)
    partner = _partners(sub.n_users, own, other)
    return relink_without_each(graph, pairs[1], only, ways, partner, n_threads)


def _partners(n: int, own: Ints, other: Ints) -> Ints:
    partner = np.full(n, -1, dtype=np.int64)
    partner[own] = other
    return partner


def _count_by_full_runs(
    released: Trails,
    auxiliary: Trails,
    options: TrailOptions,
    truth: Truth,
    n_threads: int | None,
) -> Ints:
    counts = []
    for location in range(len(auxiliary.locations)):
        kept = np.arange(len(auxiliary.locations)) != location
        links = match_trails(released.at(kept), auxiliary.at(kept), options, n_threads=n_threads)
        counts.append((links.n_links, int(truth.holds(links.released, links.auxiliary).sum())))
    return np.array(counts, dtype=np.int64).reshape(-1, 2)


def rank_locations(trails: Trails, order: Order) -> Ints:
    """Rank locations by number of visitors; ties are ordered by location number."""
    ranked = np.lexsort((np.arange(len(trails.locations)), -trails.visitors))
    return ranked if order == "most-visited" else ranked[::-1]


def _steps(n_locations: int, n_points: int) -> list[int]:
    """Numbers of locations to examine, spaced geometrically."""
    return sorted({round(n) for n in np.geomspace(1, max(1, n_locations), n_points)})


def add_locations(
    released: Trails,
    auxiliary: Trails,
    options: TrailOptions,
    truth: Truth,
    *,
    order: Order = "least-visited",
    n_points: int = 60,
    n_threads: int | None = None,
) -> pa.Table:
    """Measure re-identification as locations are added by popularity (Figures 12, 13 and 15)."""
    ranked = rank_locations(released, order)
    rows = []
    for n_locations in _steps(len(ranked), n_points):
        kept = np.zeros(len(ranked), dtype=bool)
        kept[ranked[:n_locations]] = True
        sides = released.at(kept), auxiliary.at(kept)
        links = match_trails(*sides, options, n_threads=n_threads)
        n_correct = int(truth.holds(links.released, links.auxiliary).sum())
        rows.append(
            (
                n_locations,
                links.n_released,
                links.n_auxiliary,
                links.n_links,
                n_correct,
                len(np.unique(links.released)),
            )
        )
    names = (
        "locations",
        "released",
        "auxiliary",
        "reidentified",
        "correct",
        "released_reidentified",
    )
    columns = list(zip(*rows, strict=True))
    table = pa.table({"order": [order] * len(rows), **dict(zip(names, columns, strict=True))})
    intervals = _intervals(np.array(columns[3]), np.array(columns[2]))
    for name, values in intervals.items():
        table = table.append_column(name, pa.array(values, pa.float64()))
    return table


def withhold(
    complete: Trails,
    probability: float,
    *,
    n_runs: int = 100,
    n_points: int = 20,
    order: Order = "most-visited",
    by: WithheldBy = "visit",
    seed: int = 0,
    n_threads: int | None = None,
) -> pa.Table:
    """
    Measure re-identification when names are withheld at random (Figure 14).

    With ``probability`` a visit, or all visits of a person or to a place, keeps its pseudonym but
    loses its name; REIDIT-I links what is left. Returns means over ``n_runs`` runs with 95 %
    intervals, for growing numbers of locations.
    """
    if not 0 <= probability <= 1:
        raise OptionError(
            "--withhold must be probabilities from 0 to 1, "
            f"got {format_exact(probability)} instead.",
            option="withhold",
        )
    if n_runs < 1:
        raise OptionError(f"--runs must be at least 1, got {n_runs} instead.", option="runs")
    random = np.random.default_rng(seed)
    options = TrailOptions(algorithm="incomplete", reserved="auxiliary")
    ranked = rank_locations(complete, order)
    steps = _steps(len(ranked), n_points)
    counts = np.zeros((n_runs, len(steps), 3))
    for run in range(n_runs):
        auxiliary = complete.keep(_draw_named(complete, probability, by, random))
        for i, n_locations in enumerate(steps):
            kept = np.zeros(len(ranked), dtype=bool)
            kept[ranked[:n_locations]] = True
            links = match_trails(
                complete.at(kept), auxiliary.at(kept), options, n_threads=n_threads
            )
            counts[run, i] = links.n_released, links.n_auxiliary, links.n_links
    return _means(steps, counts, probability)


def _draw_named(
    trails: Trails, probability: float, by: WithheldBy, random: np.random.Generator
) -> Flags:
    """Draw which visits keep their names, independently for each visit, person or place."""
    if by == "person":
        return np.repeat(random.random(trails.n_users) >= probability, trails.lengths)
    if by == "place":
        is_named: Flags = random.random(len(trails.locations)) >= probability
        return is_named[trails.indices]
    return random.random(len(trails.indices)) >= probability


def _means(steps: list[int], counts: NDArray[np.float64], probability: float) -> pa.Table:
    columns: dict[str, list[float]] = {}
    for i, name in enumerate(("released", "auxiliary", "reidentified")):
        intervals = [mean_interval(counts[:, step, i]) for step in range(len(steps))]
        columns[name] = [float(counts[:, step, i].mean()) for step in range(len(steps))]
        columns[f"{name}_low"] = [low for low, _ in intervals]
        columns[f"{name}_high"] = [high for _, high in intervals]
    n = len(steps)
    return pa.table(
        {"withheld": [probability] * n, "runs": [len(counts)] * n, "locations": steps, **columns}
    )
