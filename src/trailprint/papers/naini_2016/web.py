"""Naini et al. 2016, IV-B: web histories (Figures 8 and 9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailprint.arrays import Ints
from trailprint.papers.comparison import (
    PREDICTED,
    Basis,
    Comparison,
    compare_share,
    forced,
    tuned,
)
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.papers.naini_2016.matching import (
    accuracy_chart,
    metric_rows,
    only_locations,
    some_people,
    visits_by_location,
)
from trailprint.papers.naini_2016.people import PAPER, WEB, Sides, web_sides
from trailprint.papers.naini_2016.populations import AVERAGED, average_populations

TOP_SITES = (5, 10, 20, 40, 60, 100, 200, 500, 1_000, 5_000)
N_RANKS = 60
N_MOST_POPULAR = 5

_PEOPLE_FORCED = forced("As many web users are simulated, all of them active in both weeks.")
_SITES_TUNED = tuned(
    "The makers of the simulated web users fitted the recipe to the paper's numbers of sites."
)
_PAPER_PEOPLE, _PAPER_SITES, _PAPER_ALONE = 121, 83_219, 77_935
_PAPER_COHORT = 102
_PAPER_TOP_60 = 50.0


def run_figure_8(context: Context) -> ExperimentOutcome:
    """A few sites have most of the visits; most sites have a single visitor."""
    sides = web_sides(context)
    visits = visits_by_location(sides)
    ranked = np.sort(visits)[::-1]
    ranks = np.unique(np.geomspace(1, len(ranked), N_RANKS).round().astype(np.int64))
    rows = [{"rank": int(rank), "visits": float(ranked[rank - 1])} for rank in ranks]
    n_visitors = np.asarray(((sides[0].matrix + sides[1].matrix) > 0).sum(axis=0)).reshape(-1)
    n_alone = int(np.count_nonzero(n_visitors == 1))
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            _count("people active in both weeks", _PAPER_PEOPLE, sides[0].n_users, _PEOPLE_FORCED),
            _count("sites visited", _PAPER_SITES, len(visits), _SITES_TUNED, "sites"),
            _count("sites with a single visitor", _PAPER_ALONE, n_alone, _SITES_TUNED, "sites"),
        ),
        reading=f"The most popular site has {ranked[0]:,.0f} visits, and "
        f"{n_alone / len(visits):.0%} of the sites have a single visitor.",
        charts=(
            Chart(
                kind="line",
                x="rank",
                y="visits",
                x_title="rank of the site",
                y_title="visits in two weeks",
                log_x=True,
                log_y=True,
            ),
        ),
        notes=("Ranks are spread evenly over the logarithmic axis.",),
    )


def _count(
    quantity: str, paper: int, ours: float, basis: Basis, unit: str = "people"
) -> Comparison:
    return Comparison(quantity=quantity, paper=paper, ours=ours, basis=basis, unit=unit)


def most_popular(sides: Sides, n: int) -> Ints:
    """Return the sites with the most visits; ties go to the first in the list."""
    order = np.argsort(-visits_by_location(sides), kind="stable")[:n]
    return np.sort(order).astype(np.int64)


def popular_sides(sides: Sides, n_sites: int) -> Sides:
    """
    Return the paper's cohort of IV-B3, with the most popular sites only.

    The cohort are the people who visited one of the five most popular sites in each of the two
    weeks, regardless of ``n_sites``, so that each of them always has data.
    """
    top = most_popular(sides, N_MOST_POPULAR)
    seen = [np.diff(only_locations(side, top).matrix.indptr) > 0 for side in sides]
    cohort = some_people(sides, np.flatnonzero(seen[0] & seen[1]).astype(np.int64))
    chosen = most_popular(sides, n_sites)
    return only_locations(cohort[0], chosen), only_locations(cohort[1], chosen)


def run_figure_9(context: Context) -> ExperimentOutcome:
    """A few popular sites are enough to identify many."""
    rows = average_populations(context, WEB, _accuracy_by_popularity)
    proposed = {row["sites"]: row["accuracy"] for row in rows if row["metric"] == "proposed"}
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            _count("people of the cohort", _PAPER_COHORT, rows[0]["people"], PREDICTED),
            compare_share(
                "proposed metric, top 60 sites",
                _PAPER_TOP_60,
                proposed.get(60),
                PREDICTED,
                paper_says="more than",
            ),
        ),
        reading=f"The {min(proposed):,} most popular sites alone identify "
        f"{proposed[min(proposed)]:.0%} of the people, all sites {proposed[max(proposed)]:.0%}.",
        charts=(
            accuracy_chart("sites", "most popular sites considered", log_x=True, interval=True),
        ),
        notes=(
            "Popularity is the number of visits in both weeks. The cohort are the people who "
            "visited one of the five most popular sites in each week; the paper does not say "
            "whether one week is enough.",
            AVERAGED,
        ),
    )


def _accuracy_by_popularity(context: Context) -> list[dict[str, Any]]:
    """Measure every metric with more and more popular sites, up to all, for one population."""
    sides = web_sides(context)
    n_all = len(sides[0].locations)
    steps = [*(n for n in TOP_SITES if n < n_all), n_all]
    rows: list[dict[str, Any]] = []
    for number, n_sites in enumerate(steps):
        context.report(f"Matching the {n_sites:,} most popular sites", number / len(steps))
        chosen = popular_sides(sides, n_sites)
        rows += [
            {"sites": n_sites, "people": chosen[0].n_users, **row}
            for row in metric_rows(context, chosen)
        ]
    return rows


EXPERIMENTS = (
    Experiment(
        name="2016-figure-8",
        paper=PAPER,
        title="Popularity of sites (web histories)",
        run=run_figure_8,
        sources=(WEB,),
    ),
    Experiment(
        name="2016-figure-9",
        paper=PAPER,
        title="Accuracy from popular sites only (web histories)",
        run=run_figure_9,
        sources=(WEB,),
    ),
)
