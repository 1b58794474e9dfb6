"""Malin 2005, section 4.1: purchases and weblogs of 24 shops, and Figure 10."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail import match_trails
from trailprint.evaluation.intervals import mean_interval
from trailprint.evaluation.truth import Truth
from trailprint.features.trails import Trails
from trailprint.papers.comparison import (
    PREDICTED,
    Comparison,
    compare_share,
    forced,
    tuned,
)
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.papers.malin_2005.families import (
    SOURCE,
    Shoppers,
    load_shoppers,
    same_rows,
    simulate_shoppers,
)
from trailprint.studies.trail_sensitivity import leave_one_out

PAPER = "Malin 2005"
COMPLETE = TrailOptions(algorithm="complete", reserved="none")
INCOMPLETE = TrailOptions(algorithm="incomplete", reserved="auxiliary")
MULTIPLE = TrailOptions(algorithm="multiple", reserved="auxiliary")
N_DRAWS, N_DRAWS_FULL = 100, 1000
ASSUMPTIONS = (
    "Assumed, as in the paper (2.1–2.3): entries are truthful, listed once at a place, and the "
    "same entry means the same person or household everywhere."
)
_ONE_OF_MANY = " The rows show one population, the comparison is a mean over {n}."

_RATES = tuned(
    "The makers of the simulated households adjusted the share of loyal buyers, the number of "
    "purchases and the popularity of shops until REIDIT-C and REIDIT-I found about as many."
)
#: Why REIDIT-M finds the households with several buyers and REIDIT-I does not.
_FULL_HOUSEHOLDS = {
    "multiple": forced(
        "Built into the recipe: simulated families with several buyers have a shop of their own."
    ),
    "incomplete": forced(
        "REIDIT-I gives an address at most one name, whatever the data.", on_any_data=True
    ),
}
#: Numbers re-identified in the paper, and totals; the paper rounds the shares.
_PAPER = {
    ("complete", "people"): (20, 30),
    ("complete", "households"): (16, 26),
    ("incomplete", "people"): (15, 30),
    ("incomplete", "households"): (9, 26),
}
#: Households with several buyers, all of whom REIDIT-M re-identified.
_PAPER_FULL_HOUSEHOLDS = 3
#: Relative rise of the rate in percent without the most revealing shop: "around" and "about".
_PAPER_GAIN = {"complete": 25.0, "incomplete": 25.0}

_READINGS = {
    "complete": "Where they bought identifies {:.0%} of the buyers and {:.0%} of their households.",
    "incomplete": "Among all visitors {:.0%} of the buyers and {:.0%} of the households are found.",
}

Sides = tuple[Trails, Trails, TrailOptions, Truth]


def _sides(shoppers: Shoppers, algorithm: str, level: str) -> Sides:
    """Return de-identified and identified trails, matching options and truth."""
    visits, bought = shoppers.visits, shoppers.purchases
    if algorithm == "multiple":
        return shoppers.of_households(visits), bought, MULTIPLE, shoppers.home_truth()
    if level == "households":
        visits, bought = shoppers.of_households(visits), shoppers.of_households(bought)
    if algorithm == "complete":
        return bought, bought, COMPLETE, same_rows(bought)
    return visits, bought, INCOMPLETE, same_rows(bought)


def _draws(context: Context) -> list[Shoppers]:
    """Return the user's own shoppers, or many simulated populations."""
    if context.own(SOURCE) is not None:
        return [load_shoppers(context).at_shops()]

    def make() -> list[Shoppers]:
        n_draws = N_DRAWS_FULL if context.full else N_DRAWS
        seeds = np.random.SeedSequence(context.seed).generate_state(n_draws)
        return [simulate_shoppers(int(seed), n_sites=25).at_shops() for seed in seeds]

    return context.share("2005 drawn shoppers", make)


def _count(shoppers: Shoppers, algorithm: str, level: str, context: Context) -> dict[str, float]:
    released, auxiliary, options, truth = _sides(shoppers, algorithm, level)
    links = match_trails(released, auxiliary, options, n_threads=context.n_threads)
    n_right = int(truth.holds(links.released, links.auxiliary).sum())
    return {
        "deidentified": links.n_released,
        "identified": links.n_auxiliary,
        "reidentified": links.n_links,
        "right": n_right,
        "rate": links.n_links / max(1, links.n_auxiliary),
    }


def _summary(counts: Sequence[dict[str, float]]) -> dict[str, Any]:
    """Return means over the draws, with an interval of the rate if there are several."""
    row: dict[str, Any] = {
        name: float(np.mean([count[name] for count in counts])) for name in counts[0]
    }
    rates = np.array([count["rate"] for count in counts])
    low, high = mean_interval(rates) if len(rates) > 1 else (None, None)
    return {**row, "rate_low": low, "rate_high": high, "draws": len(counts)}


def _run_levels(algorithm: str) -> Callable[[Context], ExperimentOutcome]:
    """Return an experiment that runs one algorithm on people and on households."""

    def run(context: Context) -> ExperimentOutcome:
        rows, comparisons = [], []
        for number, level in enumerate(("people", "households")):
            context.report(f"Linking {level}", number / 2)
            counts = [_count(each, algorithm, level, context) for each in _draws(context)]
            row = {"algorithm": algorithm, "level": level, **_summary(counts)}
            rows.append(row)
            linked, of = _PAPER[algorithm, level]
            comparisons.append(
                compare_share(
                    f"{level} re-identified ({algorithm})",
                    100 * linked / of,
                    row["rate"],
                    _RATES,
                    is_derived=True,
                )
            )
        return ExperimentOutcome(
            rows=rows,
            comparisons=comparisons,
            reading=_READINGS[algorithm].format(*(row["rate"] for row in rows)),
            charts=(_bars("level"),),
            notes=_notes(context, rows[0]["draws"]),
        )

    return run


def _notes(context: Context, n_draws: int, *more: str) -> tuple[str, ...]:
    if context.own(SOURCE) is not None:
        return (*more, ASSUMPTIONS)
    drawn = (
        f"Means over {n_draws} simulated populations, 95 % intervals. Their numbers of people and "
        "households are the paper's by construction."
    )
    return (drawn, *more, ASSUMPTIONS)


def _bars(x: str) -> Chart:
    return Chart(
        kind="bar",
        x=x,
        y="rate",
        low="rate_low",
        high="rate_high",
        x_title="",
        y_title="re-identified, of the identified",
        y_is_share=True,
    )


def run_multiple(context: Context) -> ExperimentOutcome:
    """Section 4.1.3: several people behind one address."""
    counts = {
        algorithm: [_count_multiple(each, options, context) for each in _draws(context)]
        for algorithm, options in (("multiple", MULTIPLE), ("incomplete", INCOMPLETE))
    }
    rows = [
        {"algorithm": algorithm, **_summary([c for c, _ in found])}
        | {"full_households": float(np.mean([full for _, full in found]))}
        for algorithm, found in counts.items()
    ]
    comparisons = [
        Comparison(
            quantity=f"households with several buyers, all found ({row['algorithm']})",
            paper=paper,
            ours=row["full_households"],
            basis=_FULL_HOUSEHOLDS[row["algorithm"]],
            unit="of 3" if context.own(SOURCE) is None else "households",
        )
        for row, paper in zip(rows, (_PAPER_FULL_HOUSEHOLDS, 0), strict=True)
    ]
    return ExperimentOutcome(
        rows=rows,
        comparisons=comparisons,
        reading=_read_multiple(rows),
        charts=(_bars("algorithm"),),
        notes=_notes(
            context,
            rows[0]["draws"],
            "The paper's sizes of the two tracks here are at odds with its text; ours are all "
            "households that looked and all people who bought.",
        ),
    )


def _read_multiple(rows: Sequence[dict[str, Any]]) -> str:
    digits, average = (1, " on average") if rows[0]["draws"] > 1 else (0, "")
    multiple, incomplete = (f"{row['full_households']:.{digits}f}" for row in rows)
    return (
        f"Of the households with several buyers, REIDIT-M finds all buyers of {multiple}{average} "
        f"and REIDIT-I of {incomplete}, which allows one name for an address only."
    )


def _count_multiple(
    shoppers: Shoppers, options: TrailOptions, context: Context
) -> tuple[dict[str, float], int]:
    """Count links of buyers to homes, and households with several buyers that are all linked."""
    homes = shoppers.of_households(shoppers.visits)
    links = match_trails(homes, shoppers.purchases, options, n_threads=context.n_threads)
    right = shoppers.home_truth().holds(links.released, links.auxiliary)
    buyers = shoppers.household[shoppers.purchases.lengths > 0]
    n_buyers = np.bincount(buyers, minlength=homes.n_users)
    n_linked = np.bincount(links.released[right], minlength=homes.n_users)
    count = {
        "deidentified": links.n_released,
        "identified": links.n_auxiliary,
        "reidentified": links.n_links,
        "right": int(right.sum()),
        "rate": links.n_links / max(1, links.n_auxiliary),
    }
    return count, int(np.count_nonzero((n_buyers > 1) & (n_linked == n_buyers)))


def run_figure_10(context: Context) -> ExperimentOutcome:
    """Leave out each shop in turn, for the three algorithms."""
    draws = _draws(context)
    rows = [
        row
        for algorithm in ("complete", "incomplete", "multiple")
        for row in _without_each(draws[0], algorithm, context)
    ]
    comparisons = []
    for number, algorithm in enumerate(_PAPER_GAIN):
        context.report(f"Leaving out shops ({algorithm})", number / 2)
        gains = [_largest_gain(_without_each(each, algorithm, context)) for each in draws]
        comparisons.append(
            Comparison(
                quantity="largest relative increase of the rate without a shop "
                f"({algorithm}, people)",
                paper=_PAPER_GAIN[algorithm],
                paper_says="about",
                ours=100 * float(np.mean(gains)),
                basis=PREDICTED,
            )
        )
    return ExperimentOutcome(
        rows=rows,
        comparisons=comparisons,
        reading="Leaving out the most revealing shop changes the rate of those who remain by "
        f"{_signed(comparisons[0])} % of itself for complete trails and by "
        f"{_signed(comparisons[1])} % for incomplete ones.",
        charts=tuple(_scatter(algorithm) for algorithm in ("complete", "incomplete", "multiple")),
        notes=(
            "Rates are of the population that remains. The paper's text can also be read as 25 "
            "percentage points; ours is in percent of the rate itself."
            + (_ONE_OF_MANY.format(n=len(draws)) if len(draws) > 1 else ""),
            ASSUMPTIONS,
        ),
    )


def _signed(comparison: Comparison) -> str:
    return f"{comparison.ours:+.0f}".replace("-", "−")


def _without_each(shoppers: Shoppers, algorithm: str, context: Context) -> list[dict[str, Any]]:
    released, auxiliary, options, truth = _sides(shoppers, algorithm, "people")
    table = leave_one_out(released, auxiliary, options, truth, n_threads=context.n_threads)
    table = table.sort_by([("released_visitors", "descending")])
    rows = table.drop_columns(["location"]).to_pylist()
    return [{"algorithm": algorithm, "shop": f"#{n}", **row} for n, row in enumerate(rows, 1)]


def _largest_gain(rows: Sequence[dict[str, Any]]) -> float:
    best = max(rows, key=lambda row: row["change"])
    base = best["rate"] - best["change"]
    return float(best["change"] / base) if base else 0.0


def _scatter(algorithm: str) -> Chart:
    return Chart(
        kind="point",
        title=f"REIDIT-{algorithm[0].upper()}",
        x="auxiliary_visitors",
        y="rate",
        x_title="buyers at the shop left out",
        y_title="re-identified, of those who remain",
        y_is_share=True,
        where={"algorithm": algorithm},
    )


EXPERIMENTS = (
    Experiment(
        name="2005-section-4.1.1",
        paper=PAPER,
        title="Complete trails: buyers' lists against address lists",
        run=_run_levels("complete"),
        sources=(SOURCE,),
    ),
    Experiment(
        name="2005-section-4.1.2",
        paper=PAPER,
        title="Incomplete trails: buyers' lists against all visitors",
        run=_run_levels("incomplete"),
        sources=(SOURCE,),
    ),
    Experiment(
        name="2005-section-4.1.3",
        paper=PAPER,
        title="Several people behind one address",
        run=run_multiple,
        sources=(SOURCE,),
    ),
    Experiment(
        name="2005-figure-10",
        paper=PAPER,
        title="One shop left out at a time",
        run=run_figure_10,
        sources=(SOURCE,),
    ),
)
