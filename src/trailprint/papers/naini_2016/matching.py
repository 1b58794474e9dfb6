"""Naini et al. 2016: joint and one-by-one matching with its four metrics, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from trailprint.arrays import Ints
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions, MetricName
from trailprint.evaluation.risk import Risk, measure_risk
from trailprint.evaluation.truth import Truth, truth_from_ids
from trailprint.features.histograms import Histograms
from trailprint.linkage import Linkage
from trailprint.papers.experiment import Chart, Context
from trailprint.papers.naini_2016.people import Sides

#: The paper's names for our metrics, in the order of its Table II.
METRICS: dict[str, MetricName] = {
    "proposed": "jensen-shannon",
    "l1": "l1",
    "cosine": "cosine",
    "dot": "dot",
}


def match_sides(
    context: Context, sides: Sides, options: MatchOptions | None = None
) -> tuple[Linkage, Risk]:
    """Match two sides and compare with the truth: equal ids are equal people."""
    linkage = match_histograms(*sides, options, n_threads=context.n_threads)
    return linkage, compare_with_truth(linkage, truth_from_ids(sides[0].users, sides[1].users))


def compare_with_truth(linkage: Linkage, truth: Truth) -> Risk:
    """Measure how many links are correct; the sides must have people in common."""
    risk = measure_risk(linkage, truth)
    if risk is None:
        raise RuntimeError("the two sides of an experiment must have people in common")
    return risk


def share_right(context: Context, sides: Sides, metric: str = "proposed") -> float:
    """Return the share of people whom the joint matching (A1) identifies."""
    options = MatchOptions(metric=METRICS[metric], seed=context.seed)
    return match_sides(context, sides, options)[1].accuracy or 0.0


def share_one_by_one(context: Context, sides: Sides) -> float:
    """Return the share of people identified when each released record is matched alone."""
    options = MatchOptions(method="one-by-one", seed=context.seed)
    return match_sides(context, sides, options)[1].accuracy or 0.0


def metric_rows(
    context: Context, sides: Sides, metrics: Iterable[str] = METRICS
) -> list[dict[str, Any]]:
    """Return one row per metric: accuracy of the joint matching, its interval and chance."""
    chosen = {metric: MatchOptions(metric=METRICS[metric], seed=context.seed) for metric in metrics}
    return [
        {"metric": metric, **risk_row(match_sides(context, sides, options)[1])}
        for metric, options in chosen.items()
    ]


def risk_row(risk: Risk) -> dict[str, Any]:
    """Return accuracy with Wilson's 95 % interval and chance."""
    low, high = risk.accuracy_interval or (0.0, 1.0)
    return {
        "accuracy": risk.accuracy or 0.0,
        "low": low,
        "high": high,
        "chance": risk.chance or 0.0,
    }


def draw_rows(seed: tuple[int, ...], n_rows: int, n_wanted: int) -> Ints:
    """Draw ``n_wanted`` of ``n_rows`` rows at random, in ascending order."""
    drawn = np.random.default_rng(seed).choice(n_rows, n_wanted, replace=False)
    return np.sort(drawn)


def some_people(sides: Sides, rows: Ints) -> Sides:
    """Select the same people on both sides."""
    return sides[0].select(rows), sides[1].select(rows)


def n_used(sides: Sides) -> int:
    """Number of locations with data on either side."""
    return len(np.union1d(sides[0].matrix.indices, sides[1].matrix.indices))


def visits_by_location(sides: Sides) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the number of visits to each location, summed over both sides."""
    return np.asarray(sides[0].matrix.sum(axis=0) + sides[1].matrix.sum(axis=0)).reshape(-1)


def only_locations(histograms: Histograms, locations: Ints) -> Histograms:
    """Keep only these locations."""
    return Histograms(
        matrix=histograms.matrix[:, locations],
        users=histograms.users,
        locations=histograms.locations.take(locations),
        slots=histograms.slots,
    )


def accuracy_chart(x: str, x_title: str, *, log_x: bool = False, interval: bool = False) -> Chart:
    """Return a line chart of accuracy, one line per metric, optionally with intervals."""
    return Chart(
        kind="line",
        x=x,
        y="accuracy",
        series="metric",
        x_title=x_title,
        y_title="people identified",
        low="low" if interval else None,
        high="high" if interval else None,
        log_x=log_x,
        y_is_share=True,
    )
