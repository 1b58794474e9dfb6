"""Draws for many groups at once: each keeps to its own group, and to its own shares."""

from __future__ import annotations

import numpy as np
import pytest

from trailprint.simulate.grouped_draws import (
    normalise_groups,
    number_within,
    sample_groups,
    sample_without_replacement,
    spread_normal,
    vary_shares,
    zipf,
)

GROUP = np.array([0, 0, 1, 2, 2, 2])


def test_shares_add_up_to_one_in_each_group():
    share = normalise_groups(np.array([1.0, 3, 5, 1, 1, 2]), GROUP, 3)
    np.testing.assert_allclose(share, [0.25, 0.75, 1, 0.25, 0.25, 0.5])


def test_varied_shares_are_on_average_what_they_were():
    rng = np.random.default_rng(0)
    drawn = [
        vary_shares(rng, 5 * np.array([0.25, 0.75, 1, 0.2, 0.3, 0.5]), GROUP, 3)
        for _ in range(2_000)
    ]
    np.testing.assert_allclose(np.mean(drawn, axis=0), [0.25, 0.75, 1, 0.2, 0.3, 0.5], atol=0.02)


def test_samples_come_from_the_group_asked_for_and_by_its_shares():
    wanted = np.repeat([2, 0, 1], 4_000)
    share = np.array([0.25, 0.75, 1, 0.2, 0.3, 0.5])
    drawn = sample_groups(np.random.default_rng(1), GROUP, share, wanted)
    np.testing.assert_array_equal(GROUP[drawn], wanted)
    np.testing.assert_allclose(np.bincount(drawn) / 4_000, share, atol=0.03)


def test_without_replacement_means_no_column_twice():
    wanted = np.array([3, 1, 5, 9])
    row, column = sample_without_replacement(np.random.default_rng(2), zipf(5, 1.0), wanted)
    assert np.bincount(row).tolist() == [3, 1, 5, 5]
    assert len(np.unique(row * 5 + column)) == len(row)


def test_numbers_within_groups_start_from_zero():
    group, number = number_within(np.array([2, 0, 3]))
    assert group.tolist() == [0, 0, 2, 2, 2]
    assert number.tolist() == [0, 1, 0, 1, 2]


def test_spread_deviates_are_normal_and_hardly_vary():
    drawn = [spread_normal(np.random.default_rng(seed), 200) for seed in range(20)]
    assert np.std([d.mean() for d in drawn]) < 0.005
    assert np.mean([d.std() for d in drawn]) == pytest.approx(1, abs=0.02)
    assert drawn[0].tolist() != drawn[1].tolist()
