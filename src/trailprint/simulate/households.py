"""Two months of simulated web visits and purchases by the members of households."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.arguments import check_arguments, check_fields
from trailprint.arrays import Floats, Ints
from trailprint.errors import OptionError

#: Numbers of households with one, two, … six members (2005 paper, section 4.2.3).
SIZES = (56, 9, 14, 5, 1, 1)
#: In section 4.1, 26 of 86 households buy; three of these have several buyers, as many as listed.
N_BUYING, MANY_BUYERS = 26, (3, 2, 2)
#: Thirteen more households only look; ten further people of buying or looking households look too.
N_LOOKING, N_BESIDES = 13, 10
MEAN_SITES, SD_SITES = 100.0, 95.0
"""Mean number of sites of a person, and standard deviation between households; with the members'
shares of the computer this gives a standard deviation of 120 sites between people."""
COMPUTER_SHARES = 0.3
"""Dirichlet concentration of members' shares of the household's computer: mostly one uses it."""
ZIPF_EXPONENT, TOP_SHARE, TAIL_SHARE = 0.62, 0.97, 0.03
MEAN_SHOPS, SD_SHOPS = 6.0, 3.0
N_KNOWN, KNOWN_EXPONENT = 100, 0.3
LOOK_EXPONENT = 8.0
LOYAL_SHARE, SECOND_SHOP_SHARE = 0.4, 0.3
MEAN_MORE = 1.5
MEAN_PAGES = 4.5
FAMILY_SHARE = 0.15
BLOCK_HOUSEHOLDS = 500
"""Number of households drawn at a time: bounds memory."""
_FIRST = np.datetime64("2000-02-01T00:00:00", "s")
_SPAN_S = 60 * 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseholdOptions:
    """
    Numbers of people, sites and shops.

    Attributes
    ----------
    n_users : int
        Number of people; 147 make the paper's 86 households.
    n_sites, n_shops : int
        Number of sites, and of those among them that sell.
    seed : int
        The same seed gives the same families.

    Examples
    --------
    >>> from trailprint.simulate import HouseholdOptions
    >>> HouseholdOptions(n_users=20).n_shops
    24
    """

    n_users: int = 147
    n_sites: int = 5000
    n_shops: int = 24
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("n_users", "n_shops"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} must be at least 1, got {getattr(self, name)} instead.")
        if self.n_sites <= self.n_shops:
            raise OptionError(
                f"n_sites must be more than n_shops, got {self.n_sites} and {self.n_shops} instead."
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Families:
    """
    Each person's household, and the sites where they visited and bought.

    ``household[i]`` is person i's; ``visits`` and ``purchases`` are (person, site) pairs, each
    once; every purchase is also a visit. Sites below ``n_shops`` are the shops.
    """

    household: Ints
    visits: Ints
    purchases: Ints
    n_sites: int


def simulate_families(options: HouseholdOptions | None = None) -> Families:
    """Draw households, the sites their members browse and the shops they buy at."""
    options = options or HouseholdOptions()
    random = np.random.default_rng(options.seed)
    household = _households(random, options.n_users)
    looks, purchases = simulate_shopping(random, household, options.n_shops)
    browsed = _browse(random, household, options.n_sites - options.n_shops)
    browsed[:, 1] += options.n_shops
    return Families(
        household=household,
        visits=np.concatenate([looks, browsed]),
        purchases=purchases,
        n_sites=options.n_sites,
    )


@check_arguments()
def simulate_households(options: HouseholdOptions | None = None) -> pa.Table:
    """
    Simulate page views: user, household, location (site), start, bought.

    Parameters
    ----------
    options : HouseholdOptions, optional
        Numbers of people, sites and shops.

    Examples
    --------
    >>> from trailprint.simulate import HouseholdOptions, simulate_households
    >>> simulate_households(HouseholdOptions(n_users=20)).column_names
    ['user', 'household', 'location', 'start', 'bought']
    """
    options = options or HouseholdOptions()
    families = simulate_families(options)
    random = np.random.default_rng([options.seed, 1])
    n_pages = 1 + random.poisson(MEAN_PAGES - 1, len(families.visits))
    pairs = np.concatenate([np.repeat(families.visits, n_pages, axis=0), families.purchases])
    bought = np.arange(len(pairs)) >= n_pages.sum()
    start = _FIRST + random.integers(0, _SPAN_S, len(pairs)).astype("timedelta64[s]")
    # Numbers are given in random order: a pseudonym reveals nothing about its person.
    person = random.permutation(options.n_users)
    home = random.permutation(int(families.household.max()) + 1)
    order = np.lexsort((pairs[:, 0], start))
    user, site = pairs[order, 0], pairs[order, 1]
    return pa.table(
        {
            "user": _named("person", person[user]),
            "household": _named("home", home[families.household[user]]),
            "location": _named("site", random.permutation(options.n_sites)[site]),
            "start": pa.array(start[order].astype("datetime64[us]"), pa.timestamp("us", "UTC")),
            "bought": pa.array(bought[order]),
        }
    )


def _named(kind: str, numbers: Ints) -> pa.Array:
    names = pa.array([f"{kind}{n:05}" for n in range(int(numbers.max(initial=0)) + 1)])
    return names.take(pa.array(numbers))


def _households(random: np.random.Generator, n_users: int) -> Ints:
    """Assign people to households of the paper's sizes, repeated until all have a home."""
    sizes = np.repeat(np.arange(1, len(SIZES) + 1), SIZES)
    n_rounds = -(-n_users // int(sizes.sum()))
    drawn = np.concatenate([random.permutation(sizes) for _ in range(n_rounds)])
    return np.repeat(np.arange(len(drawn)), drawn)[:n_users].astype(np.int64)


def simulate_shopping(
    random: np.random.Generator, household: Ints, n_shops: int
) -> tuple[Ints, Ints]:
    """Draw who looks at which shops, and who buys: pairs of person and shop."""
    is_buyer, is_looker = _shoppers(random, household)
    buyers, lookers = np.flatnonzero(is_buyer), np.flatnonzero(is_looker)
    purchases = _buy(random, household, buyers, n_shops)
    popularity = np.arange(1.0, n_shops + 1) ** -LOOK_EXPONENT
    keys = np.log(popularity) - np.log(-np.log(_tastes(random, household, n_shops)[lookers]))
    bought = np.zeros((len(household), n_shops), dtype=bool)
    bought[purchases[:, 0], purchases[:, 1]] = True
    keys[bought[lookers]] = np.inf
    shape = (MEAN_SHOPS / SD_SHOPS) ** 2
    n_wanted = np.rint(random.gamma(shape, MEAN_SHOPS / shape, len(lookers))).astype(np.int64)
    n_wanted = np.clip(n_wanted, np.maximum(1, bought[lookers].sum(axis=1)), n_shops)
    looks = _largest(keys, n_wanted)
    looks[:, 0] = lookers[looks[:, 0]]
    return looks, purchases


def _shoppers(
    random: np.random.Generator, household: Ints
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Draw who buys, and who at least looks, in the paper's proportions."""
    sizes = np.bincount(household)
    n_rounds = max(1, round(len(sizes) / sum(SIZES)))
    share = min(1.0, len(sizes) / sum(SIZES) / n_rounds)
    n_buyers = np.zeros(len(sizes), dtype=np.int64)
    free = random.permutation(len(sizes))
    for n in sorted(set(MANY_BUYERS), reverse=True):
        wanted = MANY_BUYERS.count(n) * n_rounds
        chosen = free[sizes[free] >= n][:wanted]
        n_buyers[chosen] = n
        free = free[~np.isin(free, chosen)]
    n_single = max(1, round((N_BUYING - len(MANY_BUYERS)) * n_rounds * share))
    n_buyers[free[:n_single]] = 1
    n_lookers = n_buyers.copy()
    n_lookers[free[n_single : n_single + round(N_LOOKING * n_rounds * share)]] = 1
    nth = np.arange(len(household)) - np.searchsorted(household, household)
    is_looker = nth < n_lookers[household]
    spare = np.flatnonzero(~is_looker & (n_lookers[household] > 0))
    is_looker[random.permutation(spare)[: N_BESIDES * n_rounds]] = True
    return nth < n_buyers[household], is_looker


def _buy(random: np.random.Generator, household: Ints, buyers: Ints, n_shops: int) -> Ints:
    """
    Draw purchases: two shops per buyer on average, and every shop sells.

    Some single buyers are loyal to the largest shops, which reveals nothing about them; families
    with several buyers have a small shop of their own; all others buy at random shops.
    """
    home = household[buyers]
    in_family = np.bincount(home)[home] > 1
    is_loyal = ~in_family & (random.random(len(buyers)) < LOYAL_SHARE)
    n_loyal = int(is_loyal.sum())
    large = (random.random(n_loyal) < SECOND_SHOP_SHARE).astype(np.int64) % n_shops
    family = np.unique(home[in_family], return_inverse=True)[1]
    own_shop = n_shops - 1 - family % max(1, n_shops // 3)
    n_others = max(1, n_shops - len(np.unique(own_shop)))
    who, shop = _buy_around(random, buyers[~is_loyal], n_others)
    bought = np.concatenate([buyers[is_loyal], buyers[in_family], who])
    return np.unique(
        np.column_stack([bought, np.concatenate([large, own_shop, shop])]), axis=0
    ).astype(np.int64)


def _buy_around(random: np.random.Generator, buyers: Ints, n_shops: int) -> tuple[Ints, Ints]:
    """Draw who buys at which shop: each shop once, then any."""
    n_bought = 1 + random.poisson(MEAN_MORE, len(buyers))
    who = random.permutation(np.repeat(buyers, n_bought))
    shop = random.integers(0, n_shops, len(who))
    shop[:n_shops] = random.permutation(n_shops)[: len(who)]
    return who, shop


def _tastes(random: np.random.Generator, household: Ints, n_sites: int) -> Floats:
    """Draw numbers between 0 and 1 for every person and site, some shared within families."""
    own: Floats = random.random((len(household), n_sites))
    family = random.random((int(household[-1] - household[0]) + 1, n_sites))
    shared = random.random((len(household), n_sites)) < FAMILY_SHARE
    return np.where(shared, family[household - household[0]], own)


def _browse(random: np.random.Generator, household: Ints, n_sites: int) -> Ints:
    """
    Draw who visits which site.

    Person i visits site r with probability 1 − exp(−a_i λ_r): a_i is their share of the time that
    their household's computer is in use, and λ_r is such that the r-th site is visited by a share
    of households proportional to r^−0.62, with a floor in the long tail. Every household knows the
    most popular sites, so activity matters less there.
    """
    spread = np.log(1 + (SD_SITES / MEAN_SITES) ** 2)
    used = random.lognormal(-spread / 2, np.sqrt(spread), int(household[-1]) + 1)[household]
    weight = random.standard_gamma(COMPUTER_SHARES, len(household)) + 1e-12
    share = weight / np.bincount(household, weight)[household]
    rank = np.arange(1.0, n_sites + 1)
    wanted = np.maximum(TOP_SHARE * rank**-ZIPF_EXPONENT, TAIL_SHARE)
    parts = []
    for sites, time in ((rank <= N_KNOWN, used**KNOWN_EXPONENT), (rank > N_KNOWN, used)):
        activity = time * share
        of_household = np.bincount(household, activity).astype(np.float64)
        pairs = _visit(random, household, activity, _rates(of_household, wanted[sites]))
        pairs[:, 1] += 0 if sites[0] else N_KNOWN
        parts.append(pairs)
    return np.concatenate(parts)


def _visit(random: np.random.Generator, household: Ints, active: Floats, rate: Floats) -> Ints:
    """Draw pairs of person and site, in blocks of households to bound memory."""
    pairs = []
    for first in range(0, int(household[-1]) + 1, BLOCK_HOUSEHOLDS):
        low, high = np.searchsorted(household, [first, first + BLOCK_HOUSEHOLDS])
        tastes = _tastes(random, household[low:high], len(rate))
        person, site = np.nonzero(tastes > np.exp(-active[low:high, None] * rate))
        pairs.append(np.column_stack([low + person, site]))
    return np.concatenate(pairs).astype(np.int64)


def _rates(active: Floats, wanted: Floats) -> Floats:
    """Return the λ at which the wanted shares of households visit; ``active`` is per household."""
    ladder = np.geomspace(1e-5, 1e3, 400)
    shares = np.array([np.mean(-np.expm1(-active * rate)) for rate in ladder])
    return np.exp(np.interp(wanted, shares, np.log(ladder)))


def _largest(keys: Floats, n_wanted: Ints) -> Ints:
    """Return pairs of row and column: the ``n_wanted[r]`` columns with row r's largest keys."""
    ranked = np.argsort(-keys, axis=1, kind="stable")
    row, place = np.nonzero(np.arange(keys.shape[1]) < n_wanted[:, None])
    return np.column_stack([row, ranked[row, place]]).astype(np.int64)
