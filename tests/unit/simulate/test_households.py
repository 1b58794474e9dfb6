"""Families on the web: the paper's counts, and what they were tuned to."""

import numpy as np
import pytest

from trailprint.errors import OptionError
from trailprint.simulate.households import (
    SIZES,
    HouseholdOptions,
    simulate_families,
    simulate_households,
)


@pytest.fixture(scope="module")
def families():
    return simulate_families(HouseholdOptions(seed=5))


def test_households_have_the_papers_sizes(families) -> None:
    sizes = np.bincount(np.bincount(families.household), minlength=7)
    assert tuple(sizes[1:]) == SIZES
    assert len(families.household) == 147


def test_shoppers_have_the_papers_numbers(families) -> None:
    looking = families.visits[families.visits[:, 1] < 24, 0]
    buying = families.purchases[:, 0]
    homes = families.household
    assert len(np.unique(looking)) == 53
    assert len(np.unique(homes[looking])) == 39
    assert len(np.unique(buying)) == 30
    assert len(np.unique(homes[buying])) == 26
    assert len(np.unique(families.purchases[:, 1])) == 24
    n_buyers = np.bincount(homes[np.unique(buying)])
    assert np.bincount(n_buyers)[1:].tolist() == [23, 2, 1]


def test_every_purchase_is_a_visit_and_pairs_are_listed_once(families) -> None:
    visits = {tuple(pair) for pair in families.visits.tolist()}
    assert len(visits) == len(families.visits)
    assert {tuple(pair) for pair in families.purchases.tolist()} <= visits


def test_people_visit_about_a_hundred_sites(families) -> None:
    n_sites = np.bincount(families.visits[:, 0], minlength=147)
    assert 80 < n_sites.mean() < 125
    assert 70 < n_sites.std() < 170
    assert len(np.unique(families.visits[:, 1])) > 4500


def test_shopping_does_not_depend_on_how_many_sites_there_are(families) -> None:
    few = simulate_families(HouseholdOptions(seed=5, n_sites=25))
    assert np.array_equal(few.purchases, families.purchases)


@pytest.mark.parametrize("n_users", [1, 2, 10, 300])
def test_other_sizes_work(n_users) -> None:
    table = simulate_households(HouseholdOptions(n_users=n_users, n_sites=200, seed=1))
    assert table.column_names == ["user", "household", "location", "start", "bought"]
    assert len(table["user"].unique()) <= n_users
    assert table["bought"].to_numpy().any()


def test_same_seed_same_families() -> None:
    options = HouseholdOptions(n_users=20, n_sites=100, seed=9)
    assert simulate_households(options).equals(simulate_households(options))
    other = HouseholdOptions(n_users=20, n_sites=100, seed=8)
    assert not simulate_households(options).equals(simulate_households(other))


def test_sizes_are_checked() -> None:
    with pytest.raises(OptionError, match="n_users"):
        HouseholdOptions(n_users=0)
    with pytest.raises(OptionError, match="n_sites"):
        HouseholdOptions(n_sites=24)
