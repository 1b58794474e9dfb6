"""Call records of a population of city dwellers, two weeks, truth known.

The recipe is section 6 of the design's methods: cities with Zipf populations, antennas of
Pareto popularity, users with a few habitual antennas and a share of calls elsewhere in town.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MEAN_ANTENNAS = 4.5
HABIT_CONCENTRATION = 0.6
WEEK_CONCENTRATION = 14.0
MEAN_CALLS = 50.6
SIGMA_CALLS = 1.2
ELSEWHERE_SHARE = 0.08
N_WEEKS = 2
BLOCK_KEYS = 4_000_000
"""Random keys drawn at a time while choosing antennas: bounds memory in large cities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekCalls:
    """One week's calls: ``count[e]`` calls of ``user[e]`` at ``antenna[e]``, sorted by both."""

    user: Ints
    antenna: Ints
    count: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPopulation:
    """Who called where in each week; user ``i`` is the same person in every week."""

    n_users: int
    n_cities: int
    n_antennas: int
    user_city: Ints
    antenna_city: Ints
    weeks: tuple[WeekCalls, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Towns:
    """Antennas of one city are contiguous: city ``c`` owns ``start[c]:start[c + 1]``."""

    start: Ints
    antenna_city: Ints
    popularity: Floats


def simulate_calls(
    n_users: int, *, n_cities: int = 60, n_antennas: int = 1211, seed: int = 0
) -> CallPopulation:
    """Draw two weeks of calls for ``n_users`` people.

    Parameters
    ----------
    n_users, n_cities, n_antennas
        Sizes; every city has at least one antenna, so ``n_antennas >= n_cities``.
    seed
        The same seed gives the same population.
    """
    if n_users < 1 or n_cities < 1 or n_antennas < n_cities:
        raise ValueError(
            "simulate_calls must have n_users >= 1 and n_antennas >= n_cities >= 1, got "
            f"n_users={n_users}, n_cities={n_cities}, n_antennas={n_antennas} instead."
        )
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, n_cities + 1)
    share /= share.sum()
    towns = _build_towns(rng, share, n_antennas)
    user_city = np.sort(rng.choice(n_cities, size=n_users, p=share)).astype(np.int64)
    owner, antenna = _choose_antennas(rng, towns, user_city)
    habit = _normalise(rng.standard_gamma(HABIT_CONCENTRATION, owner.size), owner, n_users)
    weeks = tuple(_draw_week(rng, towns, user_city, owner, antenna, habit) for _ in range(N_WEEKS))
    # People are numbered at random, so that neighbouring numbers say nothing about the city.
    number = rng.permutation(n_users)
    return CallPopulation(
        n_users=n_users,
        n_cities=n_cities,
        n_antennas=n_antennas,
        user_city=user_city[np.argsort(number)],
        antenna_city=towns.antenna_city,
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
            row, column = _sample_without_replacement(rng, popularity, wanted[users])
            owners.append(users[row])
            antennas.append(towns.start[city] + column)
    return np.concatenate(owners), np.concatenate(antennas)


def _sample_without_replacement(
    rng: np.random.Generator, popularity: Floats, wanted: Ints
) -> tuple[Ints, Ints]:
    """Sample ``wanted[r]`` columns for each row: the smallest exponential clocks ring first."""
    most = int(min(wanted.max(), popularity.size))
    clocks = rng.standard_exponential((wanted.size, popularity.size)) / popularity
    first = np.argpartition(clocks, most - 1, axis=1)[:, :most]
    order = np.argsort(np.take_along_axis(clocks, first, axis=1), axis=1)
    ranked = np.take_along_axis(first, order, axis=1)
    row, rank = np.nonzero(np.arange(most) < wanted[:, None])
    return row, ranked[row, rank]


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
    this_week = _normalise(rng.standard_gamma(WEEK_CONCENTRATION * habit), owner, n_users)
    at_home = np.repeat(np.arange(n_users), calls - elsewhere)
    home = antenna[_sample_groups(rng, owner, this_week, at_home)]
    roaming = np.repeat(np.arange(n_users), elsewhere)
    n_cities = towns.start.size - 1
    popularity = _normalise(towns.popularity, towns.antenna_city, n_cities)
    away = _sample_groups(rng, towns.antenna_city, popularity, user_city[roaming])
    return np.concatenate([at_home, roaming]), np.concatenate([home, away])


def _normalise(weight: Floats, group: Ints, n_groups: int) -> Floats:
    """Scale weights to sum to one within each group."""
    scaled: Floats = weight / np.bincount(group, weight, n_groups)[group]
    return scaled


def _sample_groups(
    rng: np.random.Generator, group: Ints, probability: Floats, wanted: Ints
) -> Ints:
    """Sample one entry of group ``wanted[k]`` for each k; ``group`` must be sorted."""
    ladder = np.cumsum(probability)
    first = np.searchsorted(group, wanted)
    last = np.searchsorted(group, wanted, side="right") - 1
    below = np.where(first > 0, ladder[first - 1], 0.0)
    height = below + rng.random(wanted.size) * (ladder[last] - below)
    # Rounding may push a draw one step off its own group's rungs.
    return np.clip(np.searchsorted(ladder, height, side="right"), first, last)


def _count(user: Ints, antenna: Ints, n_antennas: int) -> WeekCalls:
    """Count the calls of each (user, antenna) pair."""
    key, count = np.unique(user * n_antennas + antenna, return_counts=True)
    return WeekCalls(user=key // n_antennas, antenna=key % n_antennas, count=count)
