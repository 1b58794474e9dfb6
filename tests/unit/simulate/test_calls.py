"""The simulated call records: shape, repeatability, and how identifiable people are."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving import solve_sides

from trailprint.errors import OptionError
from trailprint.kernels.matching.metrics import METRICS
from trailprint.simulate.calls import MEAN_CALLS, simulate_calls


def csr_of(week, n_users, metric):
    """One week as CSR arrays, scaled as the metric asks."""
    ptr = np.searchsorted(week.user, np.arange(n_users + 1))
    value = week.count.astype(float)
    if metric.scaling == "sum":
        value = value / np.bincount(week.user, value, n_users)[week.user]
    elif metric.scaling == "norm":
        value = value / np.sqrt(np.bincount(week.user, value**2, n_users))[week.user]
    return ptr, week.antenna.astype(np.int32), value


def accuracy(population, name):
    """Share of people whom the exact joint matching of the two weeks identifies."""
    metric = METRICS[name]
    first, second = (csr_of(week, population.n_users, metric) for week in population.weeks)
    column = solve_sides(first, second, population.n_antennas, metric).column
    return (column == np.arange(population.n_users)).mean()


def test_the_same_seed_gives_the_same_people():
    one, same, other = (simulate_calls(200, seed=seed) for seed in (3, 3, 4))
    for a, b in zip(one.weeks, same.weeks, strict=True):
        np.testing.assert_array_equal(a.count, b.count)
        np.testing.assert_array_equal(a.antenna, b.antenna)
    assert one.weeks[0].count.tolist() != other.weeks[0].count.tolist()


def test_everybody_calls_every_week_from_the_own_city():
    population = simulate_calls(2000, seed=1)
    for week in population.weeks:
        assert np.unique(week.user).size == 2000
        assert (week.count > 0).all()
        key = week.user * population.n_antennas + week.antenna
        assert (np.diff(key) > 0).all()
        np.testing.assert_array_equal(
            population.antenna_city[week.antenna], population.user_city[week.user]
        )


def test_cities_and_calls_have_the_sizes_of_the_recipe():
    population = simulate_calls(20_000, seed=2)
    users = np.bincount(population.user_city, minlength=60)
    antennas = np.bincount(population.antenna_city, minlength=60)
    share = 1 / np.arange(1, 61) / (1 / np.arange(1, 61)).sum()
    np.testing.assert_allclose(users / 20_000, share, atol=0.01)
    np.testing.assert_allclose(antennas / 1211, share, atol=0.02)
    assert antennas.min() >= 1
    for week in population.weeks:
        assert week.count.sum() / 20_000 == pytest.approx(MEAN_CALLS, rel=0.06)


def test_the_number_of_a_person_says_nothing_about_the_city():
    population = simulate_calls(5000, seed=5)
    correlation = np.corrcoef(np.arange(5000), population.user_city)[0, 1]
    assert abs(correlation) < 5 / np.sqrt(5000)


def test_a_thousand_people_are_as_identifiable_as_in_the_paper():
    found = np.mean([accuracy(simulate_calls(1000, seed=s), "jensen-shannon") for s in range(6)])
    assert 0.73 <= found <= 0.80


def test_metrics_are_ordered_as_in_the_papers_table():
    population = simulate_calls(10_000, seed=0)
    found = [accuracy(population, name) for name in ("jensen-shannon", "l1", "cosine", "dot")]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 4


@pytest.mark.parametrize("sizes", [(0, 60, 1211), (10, 0, 10), (10, 20, 10)])
def test_impossible_sizes_are_refused(sizes):
    with pytest.raises(OptionError, match="must have"):
        simulate_calls(sizes[0], n_cities=sizes[1], n_antennas=sizes[2])


def test_a_small_country_is_as_identifiable_as_the_papers_whole_population():
    """21.1 % of 46,986 in the paper; with as many people to an antenna, size hardly matters."""
    population = simulate_calls(12_000, n_cities=15, n_antennas=309, seed=1)
    assert 0.20 <= accuracy(population, "jensen-shannon") <= 0.26


def test_regions_lie_in_one_city_and_are_as_many_as_in_the_paper():
    population = simulate_calls(50, seed=3)
    region, city = population.antenna_region, population.antenna_city
    assert len(np.unique(region)) == 237
    assert len(np.unique(region * 100 + city)) == 237
    sizes = np.bincount(region)
    assert sizes.max() > 5 * np.median(sizes)


def test_a_small_country_has_regions_in_proportion():
    population = simulate_calls(50, n_cities=13, n_antennas=258, seed=3)
    assert len(np.unique(population.antenna_region)) == round(237 * 258 / 1211)


def test_as_many_regions_as_antennas_allow():
    population = simulate_calls(5, n_cities=4, n_antennas=4, seed=0)
    assert population.antenna_region.tolist() == [0, 1, 2, 3]
