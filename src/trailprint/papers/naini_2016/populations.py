"""Naini et al. 2016: small populations, simulated several times and averaged.

With about a hundred people, results differ by several points between simulated populations. The
populations of an experiment have consecutive seeds, starting with that of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from trailprint.evaluation.intervals import mean_interval
from trailprint.papers.experiment import Context
from trailprint.progress import Progress

N_POPULATIONS, N_POPULATIONS_FULL = 5, 20

AVERAGED = (
    f"Web users and receivers are simulated {N_POPULATIONS} times ({N_POPULATIONS_FULL} times with "
    "--full), with consecutive seeds: means over these populations with 95 % intervals of the "
    "mean. Your own data are one population, with Wilson's interval."
)

Row = dict[str, Any]


def n_populations(context: Context, source: str) -> int:
    """Return the number of populations for this dataset: one if the data are the user's own."""
    if context.own(source) is not None:
        return 1
    return N_POPULATIONS_FULL if context.full else N_POPULATIONS


def average_populations(
    context: Context, source: str, measure: Callable[[Context], list[Row]]
) -> list[Row]:
    """
    Measure every population and average corresponding rows.

    ``measure`` returns the same rows in the same order for each population; they must have an
    ``accuracy``. Its interval becomes that of the mean; with a single population rows stay
    unchanged. Other numbers are averaged, and ``populations`` says over how many.
    """
    found = [measure(population) for population in _populations(context, source)]
    return [_average(same) for same in zip(*found, strict=True)]


def _populations(context: Context, source: str) -> Iterator[Context]:
    """Yield the run's context, then ones with other seeds; each is freed before the next."""
    n = n_populations(context, source)
    yield replace(context, progress=_part(context, 0, n))
    for number in range(1, n):
        yield Context(
            seed=context.seed + number,
            full=context.full,
            data=context.data,
            reading=context.reading,
            settings=context.settings,
            n_threads=context.n_threads,
            memory=context.memory,
            progress=_part(context, number, n),
        )


def _part(context: Context, number: int, n: int) -> Progress | None:
    """Scale the progress of one population to that of all."""
    if n == 1:
        return context.progress

    def report(what: str, done: float | None) -> None:
        context.report(f"Population {number + 1}: {what}", (number + (done or 0.0)) / n)

    return report


def _average(rows: Sequence[Row]) -> Row:
    """Average rows into one: names stay, numbers become means."""
    if len(rows) == 1:
        return {**rows[0], "populations": 1}
    low, high = mean_interval(np.array([row["accuracy"] for row in rows]))
    means = {name: _mean([row[name] for row in rows]) for name in rows[0]}
    return {**means, "low": max(0.0, low), "high": min(1.0, high), "populations": len(rows)}


def _mean(values: Sequence[Any]) -> Any:
    """Return the mean of numbers; equal values stay unchanged, and all others must be equal."""
    if all(value == values[0] for value in values):
        return values[0]
    return float(np.mean(values))
