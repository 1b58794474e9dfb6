"""Random draws for many groups at once: one call for all people, without a loop over them."""

from __future__ import annotations

import numpy as np

from trailprint.arrays import Floats, Ints

#: Minimum weight of a choice: gamma draws of tiny shape may round to zero.
_TINY = 1e-300


def normalise_groups(weight: Floats, group: Ints, n_groups: int) -> Floats:
    """Scale weights to sum to one within each group."""
    scaled: Floats = weight / np.bincount(group, weight, n_groups)[group]
    return scaled


def vary_shares(rng: np.random.Generator, share: Floats, group: Ints, n_groups: int) -> Floats:
    """Draw new shares around ``share`` (already times its concentration): a Dirichlet per group."""
    return normalise_groups(rng.standard_gamma(share) + _TINY, group, n_groups)


def sample_groups(rng: np.random.Generator, group: Ints, probability: Floats, wanted: Ints) -> Ints:
    """Sample one entry of group ``wanted[k]`` for each k; ``group`` must be sorted."""
    ladder = np.cumsum(probability)
    first = np.searchsorted(group, wanted)
    last = np.searchsorted(group, wanted, side="right") - 1
    below = np.where(first > 0, ladder[first - 1], 0.0)
    height = below + rng.random(wanted.size) * (ladder[last] - below)
    # Rounding may push a draw one step outside its own group.
    return np.clip(np.searchsorted(ladder, height, side="right"), first, last)


def sample_without_replacement(
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


def number_within(sizes: Ints) -> tuple[Ints, Ints]:
    """Return, for groups of these sizes, each entry's group and its number within it from 0."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def zipf(n: int, exponent: float) -> Floats:
    """Return shares proportional to rank^-``exponent``."""
    share = np.arange(1.0, n + 1) ** -exponent
    shares: Floats = share / share.sum()
    return shares


def spread_normal(rng: np.random.Generator, n: int) -> Floats:
    """
    Draw normal deviates, one from each of n equally likely intervals, in random order.

    Small populations then differ less from seed to seed than with independent draws.
    """
    from scipy.special import ndtri

    deviates: Floats = ndtri((rng.permutation(n) + rng.random(n)) / n)
    return deviates
