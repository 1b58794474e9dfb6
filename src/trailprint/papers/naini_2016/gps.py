"""Naini et al. 2016, IV-C: GPS trajectories (Figures 10 and 11, comparison with other work)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from trailprint.attacks.candidate_scores import LinkChoice, linkage_from_scores
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.sequence.mobility_markov import score_mobility_markov
from trailprint.evaluation.risk import Risk
from trailprint.evaluation.truth import truth_from_ids
from trailprint.events.places.grid import GridOptions, to_cells
from trailprint.features.places import MobilityChains, OwnPlaceOptions, build_chain_pair
from trailprint.papers.comparison import (
    PREDICTED,
    Comparison,
    compare_share,
    forced,
    tuned,
)
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.papers.naini_2016.maps import (
    CELL_M,
    MAP_SQUARE_M,
    NOT_ON_THE_MAP,
    UNNAMED,
    map_chart,
    map_squares,
)
from trailprint.papers.naini_2016.matching import (
    accuracy_chart,
    compare_with_truth,
    match_sides,
    metric_rows,
    risk_row,
)
from trailprint.papers.naini_2016.people import GEOLIFE, PAPER, RECEIVERS_TUNED
from trailprint.papers.naini_2016.populations import AVERAGED, average_populations
from trailprint.papers.naini_2016.positions import (
    PROTOCOL,
    SETTINGS,
    Protocol,
    position_events,
    position_halves,
    position_sides,
)

CELLS_M = (10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
COMPARED_CELLS_M = (300.0, 500.0, 1_000.0)
RING_M = 1_500.0
CHAIN_RADIUS_M = 500.0

_PEOPLE_FORCED = forced("As many receivers are simulated, all of them with two weeks or more.")
_WEEKS_FORCED = forced("Built into the recipe: active weeks are drawn around the paper's mean.")
_SQUARES_TUNED = tuned(
    "The makers of the simulated receivers chose the recipe for the shape of Figure 11."
)
_JOINT_TUNED = tuned(
    "The makers of the simulated receivers fitted the recipe to the accuracy at squares of "
    "1,000 m, which is one of those compared here."
)
_CHAINS_TUNED = tuned(
    "The makers of the simulated receivers let them record twice as often because chains found "
    "too few places before."
)
_PAPER_PEOPLE, _PAPER_WEEKS = 154, 15.4
_PAPER_AT_1000_M = 58.4
_PAPER_JOINT, _PAPER_ALONE, _PAPER_CHAINS = 60.0, 50.0, 45.0


def run_figure_10(context: Context) -> ExperimentOutcome:
    """Where and when people recorded, as counts, and as a map if locations may be named."""
    context.report("Counting squares", 0.0)
    rows = [*_visited_squares(context), *_weekly_people(context)]
    weeks = _weeks_per_person(context)
    squares = map_squares(context) if context.name_locations else []
    nowhere = {"lat": None, "lon": None} if squares else {}
    drawn = [{"part": "map", "at": None, **square} for square in squares]
    return ExperimentOutcome(
        rows=[*({**row, **nowhere} for row in rows), *drawn],
        comparisons=_compare_weeks(weeks),
        reading="Fixes fill the middle of the city and thin out towards its edge; people recorded "
        "at different times of the campaign.",
        charts=(_chart_where(), _chart_when(), *([_map_of_squares()] if drawn else [])),
        notes=(*_notes_on_map(context), PROTOCOL),
    )


def _compare_weeks(
    weeks: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> tuple[Comparison, Comparison]:
    """Compare the number of people and their mean number of active weeks with the paper's."""
    return (
        Comparison(
            quantity="people with two active weeks or more",
            paper=_PAPER_PEOPLE,
            ours=len(weeks),
            basis=_PEOPLE_FORCED,
            unit="people",
        ),
        Comparison(
            quantity="active weeks of a person, on average",
            paper=_PAPER_WEEKS,
            ours=float(weeks.mean()) if len(weeks) else None,
            basis=_WEEKS_FORCED,
            unit="weeks",
        ),
    )


def _chart_where() -> Chart:
    return Chart(
        kind="line",
        x="at",
        y="amount",
        x_title="kilometres from the middle of the box",
        y_title="squares of 100 m with a fix",
        y_is_share=True,
        where={"part": "a"},
        title="(a) where",
    )


def _chart_when() -> Chart:
    return Chart(
        kind="line",
        x="at",
        y="amount",
        x_title="week of the campaign",
        y_title="people active",
        where={"part": "b"},
        title="(b) when",
    )


def _map_of_squares() -> Chart:
    return map_chart(
        "Squares with a fix", shade="amount", cell_m=MAP_SQUARE_M, where={"part": "map"}
    )


def _notes_on_map(context: Context) -> tuple[str, ...]:
    weeks = "The paper shows each person's weeks; here they are counts."
    if not context.name_locations:
        return (UNNAMED, weeks)
    shaded = (
        f"Squares of {MAP_SQUARE_M:g} m; the darker, the more of their squares of {CELL_M:g} m "
        "have a fix. The paper draws the latter."
    )
    return (shaded, NOT_ON_THE_MAP, weeks)


def _visited_squares(context: Context) -> list[dict[str, Any]]:
    """Return the share of squares with a fix, by their distance from the middle of the box."""
    events, grid = (
        position_events(context),
        GridOptions(cell_m=CELL_M, box=Protocol.of(context).box),
    )
    cells = to_cells(events, grid)
    x, y = (f"CAST(regexp_extract(location, '{axis}(-?\\d+)', 1) AS INTEGER)" for axis in "xy")
    found = events.engine.arrow(
        f"SELECT DISTINCT {x} AS x, {y} AS y FROM ({cells.query}) ORDER BY x, y"
    )
    visited = np.column_stack([found["x"].to_numpy(), found["y"].to_numpy()])
    n_side = visited.max() + 1
    everywhere = np.indices((n_side, n_side)).reshape(2, -1).T
    rings = [_ring(squares, n_side) for squares in (visited, everywhere)]
    n_rings = int(rings[1].max()) + 1
    inside, there = (np.bincount(ring, minlength=n_rings) for ring in rings)
    kilometres = (np.arange(n_rings) + 0.5) * RING_M / 1000
    return [
        {"part": "a", "at": float(km), "amount": float(n / total)}
        for km, n, total in zip(kilometres, inside, there, strict=True)
        if total
    ]


def _ring(
    squares: np.ndarray[tuple[int, int], np.dtype[np.int64]], n_side: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the ring around the middle in which each square lies."""
    away = np.hypot(*(squares - (n_side - 1) / 2).T) * CELL_M
    return np.asarray(away // RING_M, dtype=np.int64)


def _weekly_people(context: Context) -> list[dict[str, Any]]:
    """Count the active people in each week of the campaign."""
    events = position_events(context)
    week = "datediff('week', min(monday) OVER (), monday)"
    mondays = f"SELECT \"user\", date_trunc('week', {events.local_start}) AS monday"
    found = events.engine.rows(
        f'SELECT {week} AS week, n FROM (SELECT monday, count(DISTINCT "user") AS n '
        f"FROM ({mondays} FROM ({events.query})) GROUP BY monday) ORDER BY week"
    )
    return [{"part": "b", "at": float(number), "amount": float(n)} for number, n in found]


def _weeks_per_person(context: Context) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Count the active weeks of each person of the cohort."""
    events = position_events(context)
    found = events.engine.rows(
        f"SELECT count(DISTINCT date_trunc('week', {events.local_start})) AS n "
        f'FROM ({events.query}) GROUP BY "user" HAVING n >= 2 ORDER BY n'
    )
    return np.array([n for (n,) in found], dtype=np.int64)


def run_figure_11(context: Context) -> ExperimentOutcome:
    """Squares of moderate size identify the most people."""
    rows = average_populations(context, GEOLIFE, _accuracy_by_squares)
    proposed = {row["cell_m"]: row["accuracy"] for row in rows if row["metric"] == "proposed"}
    best = max(proposed, key=lambda cell_m: proposed[cell_m])
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            compare_share(
                "proposed metric, 1,000 m",
                _PAPER_AT_1000_M,
                proposed.get(1_000.0),
                RECEIVERS_TUNED,
            ),
            Comparison(
                quantity="squares that identify most people",
                paper=100.0,
                paper_says="about",
                ours=best,
                basis=_SQUARES_TUNED,
                unit="m",
            ),
        ),
        reading=f"Squares of {best:g} m identify most people, {proposed[best]:.0%}: large squares "
        "confuse people, tiny ones split a place by the errors of the receiver.",
        charts=(
            accuracy_chart("cell_m", "side of the squares in metres", log_x=True, interval=True),
        ),
        notes=(AVERAGED, PROTOCOL),
    )


def _accuracy_by_squares(context: Context) -> list[dict[str, Any]]:
    """Measure every metric with every size of squares, for one population."""
    rows: list[dict[str, Any]] = []
    for number, cell_m in enumerate(CELLS_M):
        context.report(f"Matching squares of {cell_m:g} m", number / len(CELLS_M))
        sides = position_sides(context, cell_m)
        rows += [{"cell_m": cell_m, **row} for row in metric_rows(context, sides)]
    return rows


def run_section_4c4(context: Context) -> ExperimentOutcome:
    """Compare joint matching with one-by-one matching and with chains of places."""
    rows = average_populations(context, GEOLIFE, _accuracy_by_method)
    best = {
        name: max(row["accuracy"] for row in rows if row["method"] == name)
        for name in ("joint", "one by one", "mobility Markov chain")
    }
    return ExperimentOutcome(
        rows=rows,
        comparisons=_compare_methods(best),
        reading=f"At best, joint matching identifies {best['joint']:.0%} of people, matching one "
        f"by one {best['one by one']:.0%}, and chains that also know the order of visits "
        f"{best['mobility Markov chain']:.0%}.",
        charts=(_chart_methods(),),
        notes=(
            "The 45 % of the chains is the best that their authors report for 77 people; here they "
            "meet the same people as the histograms. Chains are compared by the distance of their "
            "places, weighted by each place's share of visits, one by one.",
            AVERAGED,
            PROTOCOL,
        ),
    )


def _compare_methods(best: Mapping[str, float]) -> tuple[Comparison, ...]:
    """Compare each method's best accuracy with the paper's."""
    return (
        compare_share(
            "joint, the best of 300 m to 1,000 m",
            _PAPER_JOINT,
            best["joint"],
            _JOINT_TUNED,
            paper_says="up to",
        ),
        compare_share(
            "one by one, the best of 300 m to 1,000 m",
            _PAPER_ALONE,
            best["one by one"],
            PREDICTED,
        ),
        compare_share(
            "mobility Markov chain, radius 500 m",
            _PAPER_CHAINS,
            best["mobility Markov chain"],
            _CHAINS_TUNED,
            paper_says="up to",
        ),
    )


def _chart_methods() -> Chart:
    return Chart(
        kind="bar",
        x="setting",
        y="accuracy",
        series="method",
        low="low",
        high="high",
        x_title="side of the squares, or radius of a place",
        y_title="people identified",
        y_is_share=True,
    )


def _accuracy_by_method(context: Context) -> list[dict[str, Any]]:
    """Measure joint and one-by-one matching by size of squares, and chains, for one population."""
    rows: list[dict[str, Any]] = []
    for number, cell_m in enumerate(COMPARED_CELLS_M):
        context.report(f"Matching squares of {cell_m:g} m", number / 4)
        sides = position_sides(context, cell_m)
        for name, options in (
            ("joint", MatchOptions(seed=context.seed)),
            ("one by one", MatchOptions(method="one-by-one", seed=context.seed)),
        ):
            rows.append(_method(name, cell_m, match_sides(context, sides, options)[1]))
    context.report("Matching chains of places", 0.75)
    rows.append(_method("mobility Markov chain", CHAIN_RADIUS_M, _match_chains(context)))
    return rows


def _method(name: str, metres: float, risk: Risk) -> dict[str, Any]:
    return {"method": name, "setting": f"{metres:g} m", **risk_row(risk)}


def chain_sides(context: Context) -> tuple[MobilityChains, MobilityChains]:
    """Return each person's chain of places in each half of their weeks."""
    halves, places = position_halves(context), OwnPlaceOptions(max_radius_m=CHAIN_RADIUS_M)
    return context.share(
        "2016 chains", lambda: build_chain_pair(halves.released, halves.auxiliary, places)
    )


def _match_chains(context: Context) -> Risk:
    """Link each person to the nearest chain, and compare with the truth."""
    released, auxiliary = chain_sides(context)
    scores = score_mobility_markov(released, auxiliary)
    linkage = linkage_from_scores(scores, LinkChoice(seed=context.seed))
    return compare_with_truth(linkage, truth_from_ids(released.users, auxiliary.users))


EXPERIMENTS = (
    Experiment(
        name="2016-figure-10",
        paper=PAPER,
        title="Where and when people recorded (GeoLife)",
        run=run_figure_10,
        sources=(GEOLIFE,),
        settings=SETTINGS,
    ),
    Experiment(
        name="2016-figure-11",
        paper=PAPER,
        title="Accuracy by the size of squares (GeoLife)",
        run=run_figure_11,
        sources=(GEOLIFE,),
        settings=SETTINGS,
    ),
    Experiment(
        name="2016-section-4c4",
        paper=PAPER,
        title="Joint, one by one, and mobility Markov chains (GeoLife)",
        run=run_section_4c4,
        sources=(GEOLIFE,),
        settings=SETTINGS,
    ),
)
