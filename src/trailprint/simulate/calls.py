"""Two weeks of call records of a population of city dwellers, with known truth.

The recipe is section 6 of the design's methods: cities with Zipf populations, antennas of
Pareto popularity, users with a few habitual antennas and a share of calls elsewhere in town.
Antennas lie in regions, some of one city much larger than others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arguments import check_arguments
from trailprint.arrays import Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.simulate.grouped_draws import (
    normalise_groups,
    sample_groups,
    sample_without_replacement,
    zipf,
)

MEAN_ANTENNAS = 4.5
HABIT_CONCENTRATION = 0.6
WEEK_CONCENTRATION = 14.0
MEAN_CALLS = 50.6
SIGMA_CALLS = 1.2
ELSEWHERE_SHARE = 0.08
N_WEEKS = 2
PAPER_USERS, PAPER_CITIES, PAPER_ANTENNAS, PAPER_REGIONS = 46_986, 60, 1_211, 237
REGION_EXPONENT = 0.8
"""Inequality of region sizes within a city: tuned to the accuracy in the 2016 paper's IV-A6."""
BLOCK_KEYS = 4_000_000
"""Number of random keys drawn at a time when choosing antennas: bounds memory in large cities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekCalls(Discreet):
    """One week's calls: ``count[e]`` calls of ``user[e]`` at ``antenna[e]``, sorted by both."""

    user: Ints
    antenna: Ints
    count: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPopulation(Discreet):
    """
    Who called where in each week; user ``i`` is the same person in every week.

    Cities and regions are numbered from zero; a region lies in one city.
    """

    n_users: int
    n_cities: int
    n_antennas: int
    user_city: Ints
    antenna_city: Ints
    antenna_region: Ints
    weeks: tuple[WeekCalls, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Towns:
    """Antennas of one city are contiguous: city ``c`` owns ``start[c]:start[c + 1]``."""

    start: Ints
    antenna_city: Ints
    popularity: Floats


@check_arguments()
def simulate_calls(
    n_users: int, *, n_cities: int = 60, n_antennas: int = 1211, seed: int = 0
) -> CallPopulation:
    """
    Draw two weeks of calls for ``n_users`` people.

    Parameters
    ----------
    n_users, n_cities, n_antennas : int
        Sizes; every city has at least one antenna, so ``n_antennas >= n_cities``.
    seed : int
        The same seed gives the same population.

    Examples
    --------
    >>> from trailprint.simulate import simulate_calls
    >>> len(simulate_calls(30, n_cities=2, n_antennas=10).weeks)
    2
    """
    if n_users < 1 or n_cities < 1 or n_antennas < n_cities:
        raise OptionError(
            "simulate_calls must have n_users >= 1 and n_antennas >= n_cities >= 1, got "
            f"n_users={n_users}, n_cities={n_cities}, n_antennas={n_antennas} instead."
        )
    rng = np.random.default_rng(seed)
    share = zipf(n_cities, 1.0)
    towns = _build_towns(rng, share, n_antennas)
    user_city = np.sort(rng.choice(n_cities, size=n_users, p=share)).astype(np.int64)
    owner, antenna = _choose_antennas(rng, towns, user_city)
    habit = normalise_groups(rng.standard_gamma(HABIT_CONCENTRATION, owner.size), owner, n_users)
    weeks = tuple(_draw_week(rng, towns, user_city, owner, antenna, habit) for _ in range(N_WEEKS))
    # People are numbered at random, so that neighbouring numbers reveal nothing about the city.
    number = rng.permutation(n_users)
    return CallPopulation(
        n_users=n_users,
        n_cities=n_cities,
        n_antennas=n_antennas,
        user_city=user_city[np.argsort(number)],
        antenna_city=towns.antenna_city,
        antenna_region=_group_antennas(np.random.default_rng([seed, 2]), towns.antenna_city),
        weeks=tuple(_count(number[user], antenna, n_antennas) for user, antenna in weeks),
    )


def _build_towns(rng: np.random.Generator, share: Floats, n_antennas: int) -> _Towns:
    """Give every city one antenna and the rest in proportion to its population."""
    n_cities = share.size
    ends = np.round(np.cumsum(share) * (n_antennas - n_cities)).astype(np.int64)
    start = np.concatenate([[0], ends + np.arange(1, n_cities + 1)])
    return _Towns(
        start=start,
        antenna_city=np.repeat(np.arange(n_cities), np.diff(start)),
        popularity=rng.pareto(1.2, n_antennas) + 0.1,
    )


def _group_antennas(rng: np.random.Generator, antenna_city: Ints) -> Ints:
    """
    Group each city's antennas into regions, with the paper's ratio of antennas to regions.

    Every region has an antenna; the others go to the regions of their city by Zipf shares.
    """
    n_antennas = np.bincount(antenna_city)
    n_wanted = round(PAPER_REGIONS * antenna_city.size / PAPER_ANTENNAS)
    n_spare = max(0, n_wanted - n_antennas.size)
    ends = np.cumsum(n_antennas - 1) * n_spare / max(1, (n_antennas - 1).sum())
    n_regions = 1 + np.diff(np.round(ends).astype(np.int64), prepend=0)
    region = np.empty(antenna_city.size, dtype=np.int64)
    first_antenna = np.cumsum(n_antennas) - n_antennas
    first_region = np.cumsum(n_regions) - n_regions
    for city in range(n_antennas.size):
        n_own = min(n_regions[city], n_antennas[city])
        rest = rng.choice(n_own, n_antennas[city] - n_own, p=zipf(n_own, REGION_EXPONENT))
        own = rng.permutation(np.concatenate([np.arange(n_own), rest]))
        region[first_antenna[city] :][: own.size] = first_region[city] + own
    return region


def _choose_antennas(rng: np.random.Generator, towns: _Towns, user_city: Ints) -> tuple[Ints, Ints]:
    """Choose each user's antennas by popularity without replacement: (user, antenna) pairs."""
    wanted = rng.geometric(1.0 / MEAN_ANTENNAS, user_city.size)
    n_cities = towns.start.size - 1
    first_user = np.searchsorted(user_city, np.arange(n_cities + 1))
    owners, antennas = [], []
    for city in range(n_cities):
        popularity = towns.popularity[towns.start[city] : towns.start[city + 1]]
        block = max(1, BLOCK_KEYS // popularity.size)
        for low in range(first_user[city], first_user[city + 1], block):
            users = np.arange(low, min(low + block, first_user[city + 1]))
            row, column = sample_without_replacement(rng, popularity, wanted[users])
            owners.append(users[row])
            antennas.append(towns.start[city] + column)
    return np.concatenate(owners), np.concatenate(antennas)


def _draw_week(
    rng: np.random.Generator,
    towns: _Towns,
    user_city: Ints,
    owner: Ints,
    antenna: Ints,
    habit: Floats,
) -> tuple[Ints, Ints]:
    """Draw one week's calls, one (user, antenna) pair per call."""
    n_users = user_city.size
    mu = np.log(MEAN_CALLS) - SIGMA_CALLS**2 / 2
    calls = np.maximum(1, np.round(rng.lognormal(mu, SIGMA_CALLS, n_users))).astype(np.int64)
    elsewhere = rng.binomial(calls, ELSEWHERE_SHARE)
    this_week = normalise_groups(rng.standard_gamma(WEEK_CONCENTRATION * habit), owner, n_users)
    at_home = np.repeat(np.arange(n_users), calls - elsewhere)
    home = antenna[sample_groups(rng, owner, this_week, at_home)]
    roaming = np.repeat(np.arange(n_users), elsewhere)
    n_cities = towns.start.size - 1
    popularity = normalise_groups(towns.popularity, towns.antenna_city, n_cities)
    away = sample_groups(rng, towns.antenna_city, popularity, user_city[roaming])
    return np.concatenate([at_home, roaming]), np.concatenate([home, away])


def _count(user: Ints, antenna: Ints, n_antennas: int) -> WeekCalls:
    """Count the calls of each (user, antenna) pair."""
    key, count = np.unique(user * n_antennas + antenna, return_counts=True)
    return WeekCalls(user=key // n_antennas, antenna=key % n_antennas, count=count)
