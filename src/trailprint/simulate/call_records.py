"""The simulated call population as a log: who, at which antenna, when."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from trailprint.simulate.calls import CallPopulation

_WEEK_S = 7 * 86_400
_MONDAY = np.datetime64("2012-04-09T00:00:00", "s")


def call_records(population: CallPopulation, *, seed: int = 0) -> pa.Table:
    """
    One row per call: user, location (antenna), start, sorted by time.

    Calls fall anywhere in their week with equal chance. Pseudonyms are numbers in a drawn order,
    so that a user's tells nothing about her city.
    """
    random = np.random.default_rng([seed, 1])
    user = np.concatenate([np.repeat(week.user, week.count) for week in population.weeks])
    antenna = np.concatenate([np.repeat(week.antenna, week.count) for week in population.weeks])
    n_calls = [int(week.count.sum()) for week in population.weeks]
    week = np.repeat(np.arange(len(n_calls)), n_calls)
    second = week * _WEEK_S + random.integers(0, _WEEK_S, len(user))
    order = np.lexsort((user, second))
    pseudonym = random.permutation(population.n_users)
    start = (_MONDAY + second[order].astype("timedelta64[s]")).astype("datetime64[us]")
    return pa.table(
        {
            "user": pa.array(pseudonym[user[order]]),
            "location": pa.array(antenna[order]),
            "start": pa.array(start, pa.timestamp("us", "UTC")),
        }
    )
