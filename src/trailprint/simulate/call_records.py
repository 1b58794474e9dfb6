"""The simulated call population as a log: user, antenna, region and time.

Shares of days are drawn for each person and week, so that people have busy and silent days; the
first Tuesday is as quiet as the one after the holiday in the 2016 paper's Figure 7.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from trailprint.arrays import Floats, Ints
from trailprint.simulate.calls import MEAN_CALLS, CallPopulation, WeekCalls

QUIET_TUESDAY_CALLS = 1.9
"""Mean number of calls per person on the Tuesday after the holiday."""
DAY_CONCENTRATION = 12.0
"""Evenness of a person's days: tuned so that two thirds call on both Mondays."""

_DAY_S = 86_400
_MONDAY = np.datetime64("2012-04-09T00:00:00", "s")
#: Calls by hour of the day: few at night, most in the evening.
_HOURS = np.array(
    [2, 1, 1, 1, 1, 2, 4, 6, 7, 8, 8, 8, 8, 7, 7, 7, 8, 9, 10, 11, 11, 9, 6, 4], float
)


def call_records(population: CallPopulation, *, seed: int = 0) -> pa.Table:
    """
    Return one row per call: user, location (antenna), region, start, sorted by time.

    Pseudonyms are numbers in random order, so that they reveal nothing about a user's city.
    """
    random = np.random.default_rng([seed, 1])
    user = np.concatenate([np.repeat(week.user, week.count) for week in population.weeks])
    antenna = np.concatenate([np.repeat(week.antenna, week.count) for week in population.weeks])
    day = np.concatenate(
        [
            7 * number + _draw_days(random, week, population.n_users, _day_shares(number))
            for number, week in enumerate(population.weeks)
        ]
    )
    hour = random.choice(24, len(user), p=_HOURS / _HOURS.sum())
    second = day * _DAY_S + hour * 3600 + random.integers(0, 3600, len(user))
    order = np.lexsort((user, second))
    pseudonym = random.permutation(population.n_users)
    start = (_MONDAY + second[order].astype("timedelta64[s]")).astype("datetime64[us]")
    return pa.table(
        {
            "user": pa.array(pseudonym[user[order]]),
            "location": pa.array(antenna[order]),
            "region": pa.array(population.antenna_region[antenna[order]]),
            "start": pa.array(start, pa.timestamp("us", "UTC")),
        }
    )


def _day_shares(week: int) -> Floats:
    """Return the share of a week's calls on each day; the first Tuesday is quiet."""
    if week > 0:
        return np.full(7, 1 / 7)
    quiet = QUIET_TUESDAY_CALLS / MEAN_CALLS
    shares = np.full(7, (1 - quiet) / 6)
    shares[1] = quiet
    return shares


def _draw_days(random: np.random.Generator, week: WeekCalls, n_users: int, shares: Floats) -> Ints:
    """Draw the weekday of each call, Monday being zero; day shares differ between people."""
    weight = random.standard_gamma(DAY_CONCENTRATION * shares, (n_users, 7))
    ladder = np.cumsum(weight, axis=1)
    caller = np.repeat(week.user, week.count)
    height = random.random(len(caller)) * ladder[caller, -1]
    days: Ints = np.count_nonzero(height[:, None] > ladder[caller, :-1], axis=1)
    return days
