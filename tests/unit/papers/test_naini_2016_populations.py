"""Small populations are simulated several times; one's own data are one population."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trailprint.evaluation.intervals import mean_interval
from trailprint.papers.experiment import Context
from trailprint.papers.naini_2016.populations import (
    N_POPULATIONS,
    N_POPULATIONS_FULL,
    average_populations,
)


def measure(context):
    """Two synthetic rows that depend on the seed."""
    share = (context.seed % 7) / 10
    return [
        {
            "metric": "a",
            "people": 9,
            "places": context.seed,
            "accuracy": share,
            "low": 0,
            "high": 1,
        },
        {"metric": "b", "people": 9, "places": 3, "accuracy": 0.25, "low": 0, "high": 1},
    ]


def test_rows_become_means_over_consecutive_seeds_with_their_interval():
    first, second = average_populations(Context(seed=4), "geolife", measure)
    shares = np.array([0.4, 0.5, 0.6, 0.0, 0.1])
    low, high = mean_interval(shares)
    assert first == {
        "metric": "a",
        "people": 9,
        "places": 6.0,
        "accuracy": pytest.approx(shares.mean()),
        "low": pytest.approx(max(0, low)),
        "high": pytest.approx(high),
        "populations": N_POPULATIONS,
    }
    assert (second["accuracy"], second["low"], second["high"]) == (0.25, 0.25, 0.25)


def test_the_full_run_has_more_populations_and_each_keeps_its_own():
    seen = []

    def keep(context):
        seen.append((context.seed, context.share("population", lambda: context.seed)))
        return measure(context)

    rows = average_populations(Context(seed=10, full=True), "geolife", keep)
    assert seen == [(seed, seed) for seed in range(10, 10 + N_POPULATIONS_FULL)]
    assert rows[0]["populations"] == N_POPULATIONS_FULL


def test_own_data_are_one_population_with_the_interval_of_its_people():
    context = Context(seed=4, data={"geolife": Path("anywhere")})
    rows = average_populations(context, "geolife", measure)
    assert rows == [{**row, "populations": 1} for row in measure(context)]


def test_intervals_stay_among_the_shares():
    def extreme(context):
        return [{"accuracy": float(context.seed % 2), "low": 0.0, "high": 1.0}]

    (row,) = average_populations(Context(), "web-history", extreme)
    assert (row["low"], row["high"]) == (0.0, 1.0)


def test_progress_runs_once_over_all_populations():
    reported = []

    def halfway(context):
        context.report("Matching", 0.5)
        return measure(context)

    context = Context(progress=lambda what, done: reported.append((what, done)))
    average_populations(context, "geolife", halfway)
    assert [done for _, done in reported] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
    assert reported[1][0] == "Population 2: Matching"
