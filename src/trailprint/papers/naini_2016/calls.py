"""Naini et al. 2016, IV-A: call records (Figures 5 to 7, Table III and location aggregation)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from trailprint.attacks.options import MatchOptions
from trailprint.evaluation.intervals import mean_interval
from trailprint.evaluation.risk import Risk
from trailprint.events.filters import WEEKDAYS, on_weekdays
from trailprint.features.histograms import build_histogram_pair
from trailprint.linkage import Linkage
from trailprint.papers.comparison import PREDICTED, Comparison, compare_share, tuned
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.papers.naini_2016.matching import (
    METRICS,
    accuracy_chart,
    draw_rows,
    match_sides,
    metric_rows,
    n_used,
    risk_row,
    share_one_by_one,
    share_right,
    some_people,
)
from trailprint.papers.naini_2016.people import (
    CALLERS_TUNED,
    CALLS,
    PAPER,
    SMALL,
    Sides,
    call_sides,
    call_weeks,
    choose_users,
)

#: Numbers of people, and of random draws for each.
GROWTH = ((1_000, 6), (2_000, 4), (5_000, 2), (10_000, 2))
GROWTH_FULL = ((1_000, 20), (2_000, 20), (5_000, 10), (10_000, 5), (20_000, 3), (46_986, 1))
#: Numbers of random parts of the released people; each part is matched separately.
PARTS = (50, 20, 5, 2, 1)
N_SIDE, N_COMMON = 5_000, 3_750

_MONDAYS_TUNED = tuned(
    "The makers of the simulated callers adjusted the unevenness of days until about two thirds "
    "called on both Mondays."
)
_REGIONS_TUNED = tuned(
    "The makers of the simulated callers adjusted the sizes of regions until about 4.4 % were "
    "identified."
)
_PAPER_AT_1000 = 78.0
_PAPER_WHOLE = 21.1
_PAPER_REGIONS = 4.40
_PAPER_MONDAYS, _PAPER_USERS = 30_937, 46_986
_PAPER_TABLE_3 = {"A2": (1_340, 36.0), "A1": (1_672, 33.0)}


def run_figure_5(context: Context) -> ExperimentOutcome:
    """The more people there are, the smaller the share identified, for every metric."""
    sides = call_sides(context, large=True)
    plan = _fitting(GROWTH_FULL if context.full else GROWTH, sides[0].n_users)
    rows: list[dict[str, Any]] = []
    for number, (n_people, n_draws) in enumerate(plan):
        context.report(f"Matching {n_people:,} people", number / len(plan))
        groups = [
            some_people(
                sides, draw_rows((context.seed, 5, n_people, draw), sides[0].n_users, n_people)
            )
            for draw in range(n_draws)
        ]
        rows += [_average(context, groups, metric) for metric in METRICS]
    proposed = {row["people"]: row["accuracy"] for row in rows if row["metric"] == "proposed"}
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            *(
                compare_share(
                    f"proposed metric, {n:,} people", paper, proposed.get(n), CALLERS_TUNED
                )
                for n, paper in ((1_000, _PAPER_AT_1000), (_PAPER_USERS, _PAPER_WHOLE))
            ),
        ),
        reading=f"Of {min(proposed):,} people {proposed[min(proposed)]:.0%} are identified, of "
        f"{max(proposed):,} people {proposed[max(proposed)]:.0%}.",
        charts=(_with_interval(accuracy_chart("people", "people", log_x=True)),),
        notes=("Means over random choices of people, with 90 % intervals of the mean.",),
    )


def _fitting(plan: tuple[tuple[int, int], ...], n_users: int) -> list[tuple[int, int]]:
    """Return the steps that fit the population, or all of it if it is smaller than the first."""
    return [step for step in plan if step[0] <= n_users] or [(n_users, 1)]


def _average(context: Context, groups: list[Sides], metric: str) -> dict[str, Any]:
    found = np.array([share_right(context, group, metric) for group in groups])
    low, high = mean_interval(found, 0.9)
    return {
        "people": groups[0][0].n_users,
        "metric": metric,
        "accuracy": float(found.mean()),
        "low": max(0.0, low),
        "high": min(1.0, high),
        "draws": len(groups),
    }


def _with_interval(chart: Chart) -> Chart:
    return replace(chart, low="low", high="high")


def run_figure_6(context: Context) -> ExperimentOutcome:
    """Matching many people at once identifies a larger share than matching each alone."""
    released, auxiliary = call_sides(context)
    alone = share_one_by_one(context, (released, auxiliary))
    rows = [
        _part_row(1, alone, "one by one", released.n_users),
        *_match_parts(context, (released, auxiliary)),
    ]
    is_whole = auxiliary.n_users == _PAPER_USERS
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            compare_share("one by one", None, alone, PREDICTED),
            compare_share(
                f"all {auxiliary.n_users:,} released people at once",
                _PAPER_WHOLE if is_whole or CALLS not in context.data else None,
                rows[-1]["accuracy"],
                CALLERS_TUNED,
            ),
        ),
        reading=f"Looked up one by one {alone:.1%} are identified, all at once "
        f"{rows[-1]['accuracy']:.1%}: one's privacy depends on what is known of others.",
        charts=(
            _released_chart("accuracy", "of these identified", y_is_share=True),
            _released_chart("correct", "right matches", log_y=True),
        ),
        notes=(
            "The leftmost point is the average over everybody looked up alone among all auxiliary "
            "people. For the others the released people are drawn into parts of that size and each "
            "part is matched on its own, so that everybody counts once at every point.",
            SMALL,
        ),
    )


def _match_parts(context: Context, sides: Sides) -> list[dict[str, Any]]:
    """Split the released people into random parts, and match each part separately."""
    released, auxiliary = sides
    order = np.random.default_rng((context.seed, 6)).permutation(released.n_users)
    rows = []
    for number, n_parts in enumerate(PARTS):
        context.report(f"Matching {n_parts} parts", number / len(PARTS))
        parts = [np.sort(part) for part in np.array_split(order, min(n_parts, released.n_users))]
        found = [share_right(context, (released.select(part), auxiliary)) for part in parts]
        accuracy = float(np.average(found, weights=[len(part) for part in parts]))
        rows.append(_part_row(len(parts[0]), accuracy, "joint", len(parts)))
    return rows


def _released_chart(y: str, y_title: str, **scales: Any) -> Chart:
    return Chart(
        kind="line",
        x="released",
        y=y,
        x_title="released people",
        y_title=y_title,
        log_x=True,
        **scales,
    )


def _part_row(n_released: int, accuracy: float, method: str, n_repetitions: int) -> dict[str, Any]:
    return {
        "released": n_released,
        "method": method,
        "accuracy": accuracy,
        "correct": accuracy * n_released,
        "repetitions": n_repetitions,
    }


def run_table_3(context: Context) -> ExperimentOutcome:
    """Knowing how many people both sides share gives fewer and more reliable matches."""
    sides = call_sides(context, large=True)
    n_side, n_common = _table_3_sizes(sides[0].n_users)
    both = _share_some(context, sides, n_side, n_common)
    rows, comparisons = [], []
    for name, size in (("A2", n_common), ("A1", None)):
        context.report(f"Matching with {name}", 0.5 if name == "A1" else 0.0)
        risk = match_sides(context, both, MatchOptions(size=size, seed=context.seed))[1]
        rows.append(
            {
                "algorithm": name,
                "matches": risk.n_matched,
                "correct": risk.n_correct,
                "precision": risk.precision,
                "incorrect": risk.n_matched - risk.n_correct,
            }
        )
        comparisons += _compare_algorithm(name, risk, is_paper_size=n_side == N_SIDE)
    return ExperimentOutcome(
        rows=rows,
        comparisons=comparisons,
        reading=f"A2 makes {rows[0]['correct']:,} right matches and A1 {rows[1]['correct']:,}; of "
        f"A2's matches {rows[0]['precision']:.0%} are right, of A1's {rows[1]['precision']:.0%}.",
        charts=(
            Chart(
                kind="bar",
                x="algorithm",
                y="precision",
                x_title="algorithm",
                y_title="right among the matches",
                y_is_share=True,
            ),
        ),
        notes=(f"{n_side:,} people on each side, {n_common:,} of them on both.",),
    )


def _share_some(context: Context, sides: Sides, n_side: int, n_common: int) -> Sides:
    """Draw people for each side, ``n_common`` of them for both."""
    drawn = np.random.default_rng((context.seed, 3)).permutation(sides[0].n_users)
    return (
        sides[0].select(np.sort(drawn[:n_side])),
        sides[1].select(np.sort(drawn[n_side - n_common : 2 * n_side - n_common])),
    )


def _compare_algorithm(name: str, risk: Risk, *, is_paper_size: bool) -> list[Comparison]:
    """Compare correct matches and precision with the paper's, at the paper's size only."""
    correct, precision = _PAPER_TABLE_3[name] if is_paper_size else (None, None)
    return [
        compare_share(f"{name}: right among the matches", precision, risk.precision, PREDICTED),
        Comparison(
            quantity=f"{name}: right matches",
            paper=correct,
            ours=risk.n_correct,
            basis=PREDICTED,
            unit="people",
        ),
    ]


def _table_3_sizes(n_users: int) -> tuple[int, int]:
    """Return the paper's sizes, or the same proportions if there are fewer people."""
    most = int(n_users / (2 - N_COMMON / N_SIDE))
    n_side = min(N_SIDE, most)
    return n_side, max(1, n_side * N_COMMON // N_SIDE)


def run_figure_7(context: Context) -> ExperimentOutcome:
    """More days of data identify more people."""
    weeks = call_weeks(context)
    mondays = build_histogram_pair(
        on_weekdays(weeks.released, WEEKDAYS[:1]), on_weekdays(weeks.auxiliary, WEEKDAYS[:1])
    )
    cohort = mondays[0].users.filter(pc.is_in(mondays[0].users, value_set=mondays[1].users))
    rows: list[dict[str, Any]] = []
    for n_days in range(1, 8):
        context.report(f"Matching {n_days} days", (n_days - 1) / 7)
        days = [on_weekdays(side, WEEKDAYS[:n_days]) for side in (weeks.released, weeks.auxiliary)]
        pair = build_histogram_pair(days[0], days[1])
        sides = choose_users(pair[0], cohort), choose_users(pair[1], cohort)
        name = "mon" if n_days == 1 else f"mon–{WEEKDAYS[n_days - 1]}"
        rows += [{"days": n_days, "until": name, **row} for row in metric_rows(context, sides)]
    n_active = _n_users(context)
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            compare_share(
                "people who call on both Mondays",
                100 * _PAPER_MONDAYS / _PAPER_USERS,
                len(cohort) / n_active,
                _MONDAYS_TUNED,
                is_derived=True,
            ),
            *(
                compare_share(f"proposed metric, {row['until']}", None, row["accuracy"], PREDICTED)
                for row in rows
                if row["metric"] == "proposed"
            ),
        ),
        reading=f"A Monday identifies {rows[0]['accuracy']:.1%} of the people, with Tuesday "
        f"{rows[len(METRICS)]['accuracy']:.1%}, a whole week "
        f"{rows[-len(METRICS)]['accuracy']:.1%}.",
        charts=(accuracy_chart("days", "days from Monday on"),),
        notes=(
            f"The {len(cohort):,} people who call on both Mondays, in every step. The paper prints "
            "no accuracies of this figure.",
            SMALL,
        ),
    )


def _n_users(context: Context) -> int:
    return call_sides(context)[0].n_users


def match_callers(context: Context) -> tuple[Linkage, Risk]:
    """Match all people's two weeks of calls, once for all experiments of a run."""

    def make() -> tuple[Linkage, Risk]:
        sides = call_sides(context, large=True)
        # Match a few people first, so that compilation does not count as matching time.
        match_sides(context, some_people(sides, np.arange(min(100, sides[0].n_users))))
        return match_sides(context, sides, MatchOptions(seed=context.seed))

    return context.share("2016 callers matched", make)


def run_section_4a6(context: Context) -> ExperimentOutcome:
    """Grouping antennas into regions gives the best protection measured here."""
    context.report("Matching by antenna", 0.0)
    found = [match_callers(context)[1]]
    context.report("Matching by region", 0.7)
    regions = call_sides(context, large=True, by="region")
    found.append(match_sides(context, regions, MatchOptions(seed=context.seed))[1])
    sides = {"antenna": call_sides(context, large=True), "region": regions}
    rows = [
        {"place": place, "places": n_used(both), "people": both[0].n_users, **risk_row(risk)}
        for (place, both), risk in zip(sides.items(), found, strict=True)
    ]
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            compare_share("by antenna", _PAPER_WHOLE, rows[0]["accuracy"], CALLERS_TUNED),
            compare_share("by region", _PAPER_REGIONS, rows[1]["accuracy"], _REGIONS_TUNED),
        ),
        reading=f"By antenna {rows[0]['accuracy']:.1%} are identified, by region "
        f"{rows[1]['accuracy']:.1%}, by chance {rows[1]['chance']:.3%}.",
        charts=(
            Chart(
                kind="bar",
                x="place",
                y="accuracy",
                low="low",
                high="high",
                x_title="what a location is",
                y_title="people identified",
                y_is_share=True,
            ),
        ),
        notes=(
            "The paper's 4.40 % is of other people: 46,986 drawn from a second dataset of 500,000 "
            "that has sub-prefectures only. Ours are the same people by antenna and by region.",
            "Your own call records need a column 'region' beside the antenna.",
        ),
    )


EXPERIMENTS = (
    Experiment(
        name="2016-figure-5",
        paper=PAPER,
        title="Accuracy by the number of people, four metrics (call records)",
        run=run_figure_5,
        sources=(CALLS,),
    ),
    Experiment(
        name="2016-figure-6",
        paper=PAPER,
        title="Accuracy by how many people are released at once (call records)",
        run=run_figure_6,
        sources=(CALLS,),
    ),
    Experiment(
        name="2016-table-3",
        paper=PAPER,
        title="Different people on the two sides: A1 and A2 (call records)",
        run=run_table_3,
        sources=(CALLS,),
    ),
    Experiment(
        name="2016-figure-7",
        paper=PAPER,
        title="Accuracy by days of data (call records)",
        run=run_figure_7,
        sources=(CALLS,),
    ),
    Experiment(
        name="2016-section-4a6",
        paper=PAPER,
        title="Antennas grouped into regions (call records)",
        run=run_section_4a6,
        sources=(CALLS,),
    ),
)
