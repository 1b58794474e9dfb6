"""Candidate sets of correlations as rates, table rows, a chart and costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trailprint.attacks.options import CorrelateOptions
from trailprint.display.plots import Plot, draw_bars
from trailprint.display.tables import ResultTable
from trailprint.evaluation.candidates import TOP, AverageSets, CandidateSets


def describe_options(options: CorrelateOptions) -> dict[str, Any]:
    """Return the options that results include."""
    return {
        "model": options.model,
        "joint": options.joint,
        "days": options.days,
        "all_pairs": options.all_pairs,
    }


def describe_rates(sets: AverageSets) -> dict[str, Any]:
    """Return the share of people among the k likeliest, with intervals, and candidate set sizes."""
    intervals = {k: found and list(found) for k, found in sets.top_interval.items()}
    return {
        "top": {str(k): share for k, share in sets.top.items()},
        "top_interval": {str(k): found for k, found in intervals.items()},
        "top1_interval": intervals[TOP[0]],
        "mscis_median": sets.mscis_median,
        "chance": sets.chance,
    }


def _top_rows(sets: AverageSets) -> list[dict[str, Any]]:
    """Rows of how often the right person is among the k likeliest, one for each k."""
    ends = {k: sets.top_interval[k] or (None, None) for k in sets.top}
    return [
        {"k": k, "share": share, "low": ends[k][0], "high": ends[k][1]}
        for k, share in sets.top.items()
        if share is not None
    ]


def top_table(sets: AverageSets) -> ResultTable:
    """Return a table of how often the right person is among the k likeliest."""
    return ResultTable.from_rows("top", _top_rows(sets), ("k", "share", "low", "high"))


def plot_top(sets: AverageSets) -> Plot:
    """Draw how often the right person is among the k likeliest, as bars."""
    rows = [{"name": f"among {row['k']}", **row} for row in _top_rows(sets)]
    return draw_bars(rows, "name", "share")


def sum_costs(facts: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return total costs over rounds; zero for a model that is not trained or run."""
    names = ("models_trained", "taggings", "taggings_all_pairs")
    return {name: sum(one.get(name, 0) for one in facts) for name in names}


def top1(sets: CandidateSets | None) -> float | None:
    """Return how often the right person is the likeliest, or None if nothing was measured."""
    return None if sets is None else sets.top(1)
