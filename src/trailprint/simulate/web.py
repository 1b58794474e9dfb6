"""Two weeks of simulated web browsing, tuned to the 2016 paper's web histories.

Each person spends much of the time on a few popular sites, in shares that change from week to week;
returns to a long tail of sites, many of which no one else visits; and visits new sites, most of
which no one else sees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from trailprint.arguments import check_arguments, check_fields
from trailprint.arrays import Floats, Ints
from trailprint.errors import OptionError
from trailprint.simulate.grouped_draws import (
    normalise_groups,
    number_within,
    sample_groups,
    sample_without_replacement,
    spread_normal,
    vary_shares,
    zipf,
)

PAPER_USERS = 121
N_WEEKS = 2

N_SHARED = 9_000
"""Number of sites that any person may visit; all others belong to one person."""
SHARED_EXPONENT = 0.7
N_POPULAR, POPULAR_EXPONENT, MEAN_POPULAR = 26, 0.66, 5.25
"""Number of the most popular sites, Zipf exponent of their popularity, and mean number in use."""
POPULAR_SPREAD = 0.7
"""Spread between people in how evenly they use them (sigma of the logarithm)."""
POPULAR_WEEK, TAIL_WEEK = 2.6, 60.0
"""Stability of habits from week to week: low for popular sites, high for the tail."""
MEAN_TAIL, TAIL_EXPONENT, TAIL_OWN = 43.0, 2.05, 0.55
"""Mean number of sites a person returns to, Zipf exponent of their shares, and share of these sites
that no one else knows."""
POPULAR_SHARE, NEW_SHARE, NEW_SHARED = 0.64, 0.5, 0.3
"""Share of popular sites in a person's visits to known sites, share of new sites in all visits, and
share of new sites that others may visit as well."""
MEAN_VISITS, SIGMA_USER, SIGMA_WEEK = 870.0, 1.0, 1.05

_WEEK_S = 7 * 86_400
_MONDAY = np.datetime64("2011-02-07T00:00:00", "s")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebOptions:
    """
    Number of people who browse.

    Attributes
    ----------
    n_users : int
        Number of people; by default as many as in the paper.
    seed : int
        The same seed gives the same visits.

    Examples
    --------
    >>> from trailprint.simulate import WebOptions
    >>> WebOptions(n_users=5).seed
    0
    """

    n_users: int = PAPER_USERS
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.n_users < 1:
            raise OptionError(f"n_users must be at least 1, got {self.n_users} instead.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Habit:
    """Sites people return to: ``site[e]`` takes ``share[e]`` of the returns of ``owner[e]``."""

    owner: Ints
    site: Ints
    share: Floats
    steadiness: float

    def draw(self, rng: np.random.Generator, visitor: Ints, n_users: int) -> Ints:
        """Draw one site for each visitor, by this week's shares."""
        this_week = vary_shares(rng, self.steadiness * self.share, self.owner, n_users)
        return self.site[sample_groups(rng, self.owner, this_week, visitor)]


@check_arguments()
def simulate_web(options: WebOptions | None = None) -> pa.Table:
    """
    Simulate a web history: user, location (the site), start, sorted by time.

    Parameters
    ----------
    options : WebOptions, optional
        Number of people.

    Examples
    --------
    >>> from trailprint.simulate import WebOptions, simulate_web
    >>> simulate_web(WebOptions(n_users=5)).column_names
    ['user', 'location', 'start']
    """
    options = options or WebOptions()
    rng = np.random.default_rng([options.seed, 0])
    n_users = options.n_users
    popular, tail = _popular_habit(rng, n_users), _tail_habit(rng, n_users)
    shares = rng.beta(4 * POPULAR_SHARE, 4 * (1 - POPULAR_SHARE), n_users)
    curiosity = rng.beta(4 * NEW_SHARE, 4 * (1 - NEW_SHARE), n_users)
    volume = np.log(MEAN_VISITS) + SIGMA_USER * spread_normal(rng, n_users)
    user, site, week = [], [], []
    next_site = max(N_SHARED, int(tail.site.max()) + 1)
    for number in range(N_WEEKS):
        n_visits = _draw_volume(rng, volume)
        n_new = rng.binomial(n_visits, curiosity)
        n_popular = rng.binomial(n_visits - n_new, shares)
        counts = (n_popular, n_visits - n_new - n_popular, n_new)
        who = [np.repeat(np.arange(n_users), count) for count in counts]
        new = _draw_new(rng, len(who[2]), next_site)
        next_site = max(next_site, int(new.max(initial=0)) + 1)
        where = [popular.draw(rng, who[0], n_users), tail.draw(rng, who[1], n_users), new]
        user += who
        site += where
        week.append(np.full(int(n_visits.sum()), number))
    return _log(rng, n_users, tuple(np.concatenate(part) for part in (user, site, week)))


def _popular_habit(rng: np.random.Generator, n_users: int) -> _Habit:
    """Draw each person's popular sites; some use almost only one, others several evenly."""
    wanted = 1 + rng.poisson(MEAN_POPULAR - 1, n_users)
    popularity = zipf(N_POPULAR, POPULAR_EXPONENT)
    owner, site = sample_without_replacement(rng, popularity, np.minimum(wanted, N_POPULAR))
    evenness = np.exp(POPULAR_SPREAD * spread_normal(rng, n_users))
    share = vary_shares(rng, evenness[owner], owner, n_users)
    return _Habit(owner=owner, site=site, share=share, steadiness=POPULAR_WEEK)


def _tail_habit(rng: np.random.Generator, n_users: int) -> _Habit:
    """Draw each person's long tail of sites, known only to them or open to all."""
    owner, rank = number_within(rng.geometric(1 / MEAN_TAIL, n_users))
    site = rng.choice(N_SHARED, owner.size, p=zipf(N_SHARED, SHARED_EXPONENT))
    is_own = rng.random(owner.size) < TAIL_OWN
    site[is_own] = N_SHARED + np.arange(np.count_nonzero(is_own))
    share = normalise_groups(zipf(int(rank.max()) + 1, TAIL_EXPONENT)[rank], owner, n_users)
    return _Habit(owner=owner, site=site, share=share, steadiness=TAIL_WEEK)


def _draw_volume(rng: np.random.Generator, volume: Floats) -> Ints:
    """Draw the number of visits of each person in a week, at least one."""
    spread = (SIGMA_USER**2 + SIGMA_WEEK**2) / 2
    visits = np.exp(volume - spread + SIGMA_WEEK * spread_normal(rng, volume.size))
    return np.maximum(1, np.round(visits)).astype(np.int64)


def _draw_new(rng: np.random.Generator, n_visits: int, next_site: int) -> Ints:
    """Draw sites visited only once: shared ones by popularity, and ones never seen before."""
    site = rng.choice(N_SHARED, n_visits, p=zipf(N_SHARED, SHARED_EXPONENT))
    is_fresh = rng.random(n_visits) >= NEW_SHARED
    site[is_fresh] = next_site + np.arange(np.count_nonzero(is_fresh))
    return site


def _log(rng: np.random.Generator, n_users: int, visits: tuple[Ints, ...]) -> pa.Table:
    user, site, week = visits
    second = week * _WEEK_S + rng.integers(0, _WEEK_S, len(user))
    order = np.lexsort((site, user, second))
    # Sites and people are numbered at random: a number reveals nothing about popularity.
    site_number, user_number = rng.permutation(int(site.max()) + 1), rng.permutation(n_users)
    start = (_MONDAY + second[order].astype("timedelta64[s]")).astype("datetime64[us]")
    return pa.table(
        {
            "user": pa.array(user_number[user[order]]),
            "location": pa.array(site_number[site[order]]),
            "start": pa.array(start, pa.timestamp("us", "UTC")),
        }
    )
