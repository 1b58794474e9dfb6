"""Malin 2005, section 4.2: how popular sites must be to tell households apart (Figures 11–14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from trailprint.features.trails import Trails
from trailprint.papers.comparison import PREDICTED, Comparison, forced, tuned
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.papers.malin_2005.families import SOURCE, load_shoppers, same_rows
from trailprint.papers.malin_2005.shops import ASSUMPTIONS, COMPLETE, PAPER
from trailprint.studies.popularity import ZipfFit, fit_zipf, rank_frequency
from trailprint.studies.trail_sensitivity import Order, add_locations, withhold

N_TOP = 100
N_RUNS, N_RUNS_FULL = 20, 100
N_STEPS, N_STEPS_FULL = 40, 100
WITHHELD = (0.1, 0.5, 0.9)

_EXPONENT = forced("Built into the recipe: the simulated visits are drawn from such a law.")
_CORRELATION = tuned(
    "The makers of the simulated households adjusted exponent and floor until Figure 11 fitted."
)
_PAPER_EXPONENT, _PAPER_CORRELATION = 0.6, 0.98
_PAPER_SITES_FOR_MOST = 20.0, 25.0
_NEARLY_ALL = 0.95


def _homes(context: Context) -> Trails:
    """Return trails of households over all sites."""
    shoppers = load_shoppers(context)
    return shoppers.of_households(shoppers.visits)


def run_figure_11(context: Context) -> ExperimentOutcome:
    """Count the households that visit the most popular sites."""
    homes = _homes(context)
    fit = fit_zipf(homes, N_TOP)
    observed = rank_frequency(homes).slice(0, N_TOP).to_pylist()
    return ExperimentOutcome(
        rows=_observed_and_expected(observed, fit),
        comparisons=(
            Comparison(
                quantity="Zipf exponent",
                paper=_PAPER_EXPONENT,
                ours=fit.exponent,
                basis=_EXPONENT,
                unit="",
            ),
            Comparison(
                quantity="correlation of observed and expected logarithms",
                paper=_PAPER_CORRELATION,
                paper_says="about",
                ours=fit.correlation,
                basis=_CORRELATION,
                unit="",
            ),
        ),
        reading=f"The most visited site has {observed[0]['visitors']} of {homes.n_users} "
        f"households, number {len(observed)} has {observed[-1]['visitors']}.",
        charts=(
            Chart(
                kind="line",
                x="rank",
                y="households",
                series="line",
                x_title="rank of the site",
                y_title="households that visit it",
                log_x=True,
                log_y=True,
            ),
        ),
        notes=(f"The {N_TOP} most visited sites.",),
    )


def _observed_and_expected(observed: list[dict[str, Any]], fit: ZipfFit) -> list[dict[str, Any]]:
    """Return households by site rank, observed and, if it could be fitted, by the Zipf law."""
    fitted = fit.exponent is not None and fit.scale is not None
    rows: list[dict[str, Any]] = []
    for row in observed:
        rows.append({"line": "observed", "rank": row["rank"], "households": row["visitors"]})
        if fitted:
            expected = float(fit.scale or 0) * row["rank"] ** -float(fit.exponent or 0)
            rows.append({"line": "Zipf law", "rank": row["rank"], "households": expected})
    return rows


def _grow(homes: Trails, order: Order, context: Context) -> list[dict[str, Any]]:
    n_points = N_STEPS_FULL if context.full else N_STEPS
    return _tidy(
        add_locations(
            homes,
            homes,
            COMPLETE,
            same_rows(homes),
            order=order,
            n_points=n_points,
            n_threads=context.n_threads,
        )
    )


def _tidy(grown: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of two lines: households with a trail, and those re-identified."""
    return [
        {"line": line, "sites": row["locations"], "households": row[column]}
        for line, column in (
            ("with a trail", "auxiliary"),
            ("re-identified", "released_reidentified"),
        )
        for row in grown.to_pylist()
    ]


def _lines(x: str = "sites", y: str = "households", **more: Any) -> Chart:
    return Chart(
        kind="line", x=x, y=y, series="line", x_title="sites that take part", y_title=y, **more
    )


def _pivot(rows: list[dict[str, Any]], line: str, value: str) -> dict[int, float]:
    return {row["sites"]: row[value] for row in rows if row["line"] == line}


def run_figure_12(context: Context) -> ExperimentOutcome:
    """Add sites, least visited first."""
    rows = _grow(_homes(context), "least-visited", context)
    there, found = (_pivot(rows, line, "households") for line in ("with a trail", "re-identified"))
    worst = max((there[n] - found[n]) / there[n] for n in there if there[n])
    share = 1 - worst
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            Comparison(
                quantity="least share of households with a trail that are re-identified",
                paper=100.0,
                ours=100 * share,
                basis=PREDICTED,
                is_derived=True,
            ),
        ),
        reading=f"Of the households with a trail, at least {share:.0%} are re-identified, however "
        "few of the least visited sites take part.",
        charts=(_lines(log_x=True),),
        notes=(
            "The paper says that the two lines of its figure are the same: 100 % follows.",
            ASSUMPTIONS,
        ),
    )


def run_figure_13(context: Context) -> ExperimentOutcome:
    """Add sites, most visited first."""
    rows = _grow(_homes(context), "most-visited", context)
    there, found = (_pivot(rows, line, "households") for line in ("with a trail", "re-identified"))
    reached = [n for n in sorted(there) if there[n] and found[n] >= _NEARLY_ALL * there[n]]
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            Comparison(
                quantity="most visited sites that re-identify 95 % of the households",
                paper=_PAPER_SITES_FOR_MOST[0],
                paper_to=_PAPER_SITES_FOR_MOST[1],
                ours=float(reached[0]) if reached else None,
                basis=PREDICTED,
                unit="sites",
            ),
        ),
        reading=f"The {reached[0]} most visited sites tell 95 % of the households apart."
        if reached
        else "Even all sites do not tell 95 % of the households apart.",
        charts=(_lines(log_x=True),),
        notes=("The paper says 20 to 25 sites for almost all; ours counts 95 %.", ASSUMPTIONS),
    )


def run_figure_14(context: Context) -> ExperimentOutcome:
    """Withhold names at random."""
    homes = _homes(context)
    n_runs = N_RUNS_FULL if context.full else N_RUNS
    rows = _withhold_names(context, homes, n_runs)
    needed = {p: _sites_for_half(rows, p) for p in WITHHELD}
    return ExperimentOutcome(
        rows=rows,
        comparisons=[
            Comparison(
                quantity=f"sites that re-identify half of the households, {100 * p:.0f} % withheld",
                paper=None,
                ours=needed[p],
                basis=PREDICTED,
                unit="sites",
            )
            for p in WITHHELD
        ],
        reading=_read_withheld(needed),
        charts=tuple(
            _lines(
                title=f"{100 * p:.0f} % withheld",
                low="low",
                high="high",
                log_x=True,
                where={"withheld": p},
            )
            for p in WITHHELD
        ),
        notes=(
            f"Means over {n_runs} runs with 95 % intervals; the paper prints no numbers here.",
            ASSUMPTIONS,
        ),
    )


def _withhold_names(context: Context, homes: Trails, n_runs: int) -> list[dict[str, Any]]:
    """Add sites while names are withheld, for each probability."""
    rows: list[dict[str, Any]] = []
    for number, probability in enumerate(WITHHELD):
        context.report(
            f"Withholding {100 * probability:.0f} % of the names", number / len(WITHHELD)
        )
        table = withhold(
            homes,
            probability,
            n_runs=n_runs,
            n_points=N_STEPS if context.full else N_STEPS // 2,
            seed=context.seed,
            n_threads=context.n_threads,
        )
        rows += _withheld_rows(table)
    return rows


def _read_withheld(needed: Mapping[float, float | None]) -> str:
    parts = [
        f"{n:,.0f} sites with {p:.0%} of the names withheld"
        for p, n in needed.items()
        if n is not None
    ]
    return (
        f"Half of the households are re-identified by {', '.join(parts) or 'no number of sites'}."
    )


def _withheld_rows(table: pa.Table) -> list[dict[str, Any]]:
    return [
        {
            "withheld": row["withheld"],
            "line": line,
            "sites": row["locations"],
            "households": row[column],
            "low": row[f"{column}_low"],
            "high": row[f"{column}_high"],
        }
        for line, column in (
            ("addresses", "released"),
            ("names", "auxiliary"),
            ("re-identified", "reidentified"),
        )
        for row in table.to_pylist()
    ]


def _sites_for_half(rows: list[dict[str, Any]], probability: float) -> float | None:
    """Return the smallest number of sites that re-identifies half of the addresses."""
    chosen = [row for row in rows if row["withheld"] == probability]
    there = _pivot(chosen, "addresses", "households")
    found = _pivot(chosen, "re-identified", "households")
    reached = [n for n in sorted(found) if found[n] >= 0.5 * max(there.values())]
    return float(reached[0]) if reached else None


EXPERIMENTS = tuple(
    Experiment(name=f"2005-figure-{number}", paper=PAPER, title=title, run=run, sources=(SOURCE,))
    for number, title, run in (
        (11, "How visits spread over sites", run_figure_11),
        (12, "Complete trails, least visited sites first", run_figure_12),
        (13, "Complete trails, most visited sites first", run_figure_13),
        (14, "Incomplete trails, names withheld at random", run_figure_14),
    )
)
