"""Malin 2005, section 4.2.3: people and the addresses of their households (Figure 15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailprint.evaluation.intervals import mean_interval
from trailprint.evaluation.truth import Truth
from trailprint.papers.comparison import Comparison, tuned
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.papers.malin_2005.families import (
    SOURCE,
    Shoppers,
    load_shoppers,
    simulate_shoppers,
)
from trailprint.papers.malin_2005.shops import ASSUMPTIONS, MULTIPLE, PAPER
from trailprint.studies.trail_sensitivity import add_locations

N_STEPS, N_STEPS_FULL = 60, 100
#: Number of simulated populations averaged: their crossings may differ by a factor of two.
N_POPULATIONS, N_POPULATIONS_FULL = 20, 100

_PAPER_SITES = 60.0
_CROSSING = tuned(
    "The makers of the simulated households let members share one computer, used mostly by one of "
    "them, because people pulled ahead at half as many sites without."
)


def run_figure_15(context: Context) -> ExperimentOutcome:
    """Link people to the addresses of their households."""
    shoppers = load_shoppers(context)
    grown = _grow(shoppers, context)
    crossings = [_crossing(grown, shoppers.home_truth()), *_other_crossings(context)]
    return ExperimentOutcome(
        rows=_tidy(grown),
        comparisons=(
            Comparison(
                quantity="sites from which on clearly more people than households are found",
                paper=_PAPER_SITES,
                paper_says="about",
                ours=_mean(crossings),
                basis=_CROSSING,
                unit="sites",
            ),
        ),
        reading=f"All sites together find {grown[-1]['reidentified']} people of "
        f"{grown[-1]['released_reidentified']} households.",
        charts=(
            Chart(
                kind="line",
                x="sites",
                y="number",
                series="line",
                x_title="sites that take part",
                y_title="re-identified",
                log_x=True,
            ),
        ),
        notes=(
            "Clearly more: the lead of people over households is a tenth of the largest there can "
            "be. The paper reads about 60 sites off its graph.",
            *_describe(crossings),
            ASSUMPTIONS,
        ),
    )


def _grow(shoppers: Shoppers, context: Context) -> list[dict[str, Any]]:
    """Add sites, most visited first, and count re-identifications."""
    grown: list[dict[str, Any]] = add_locations(
        shoppers.of_households(shoppers.visits),
        shoppers.visits,
        MULTIPLE,
        shoppers.home_truth(),
        order="most-visited",
        n_points=N_STEPS_FULL if context.full else N_STEPS,
        n_threads=context.n_threads,
    ).to_pylist()
    return grown


def _tidy(grown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"line": line, "sites": row["locations"], "number": row[column]}
        for line, column in (
            ("people re-identified", "reidentified"),
            ("households re-identified", "released_reidentified"),
        )
        for row in grown
    ]


def _crossing(grown: list[dict[str, Any]], truth: Truth) -> float | None:
    """Return the number of sites at which people lead households by a tenth of the maximum."""
    largest = truth.n_common - len(np.unique(truth.released))
    ahead = [
        row["locations"]
        for row in grown
        if row["reidentified"] - row["released_reidentified"] >= 0.1 * max(1, largest)
    ]
    return float(ahead[0]) if ahead else None


def _other_crossings(context: Context) -> list[float | None]:
    """Return crossings of further simulated populations (consecutive seeds); none for own data."""
    if context.own(SOURCE) is not None:
        return []
    n = N_POPULATIONS_FULL if context.full else N_POPULATIONS
    crossings = []
    for number in range(1, n):
        context.report(f"Simulating population {number + 1}", number / n)
        shoppers = simulate_shoppers(context.seed + number).at_visited()
        crossings.append(_crossing(_grow(shoppers, context), shoppers.home_truth()))
    return crossings


def _mean(crossings: list[float | None]) -> float | None:
    known = [sites for sites in crossings if sites is not None]
    return float(np.mean(known)) if known else None


def _describe(crossings: list[float | None]) -> tuple[str, ...]:
    """Describe what the mean is over; empty for a single population."""
    known = np.array([sites for sites in crossings if sites is not None])
    if len(known) < 2:
        return ()
    low, high = mean_interval(known)
    return (
        f"The comparison is the mean over {len(known)} simulated populations (95 % interval "
        f"{low:.0f} to {high:.0f}, single ones {known.min():.0f} to {known.max():.0f}); the rows "
        "show the first.",
    )


EXPERIMENTS = (
    Experiment(
        name="2005-figure-15",
        paper=PAPER,
        title="People and their households, most visited sites first",
        run=run_figure_15,
        sources=(SOURCE,),
    ),
)
