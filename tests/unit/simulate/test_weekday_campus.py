"""A campus of Mondays and Tuesdays: who comes when, and how often devices change over."""

import numpy as np
import pyarrow.compute as pc
import pytest

from trailprint.errors import OptionError
from trailprint.simulate.weekday_campus import WeekdayCampusOptions, simulate_weekday_campus


@pytest.fixture(scope="module")
def log():
    return simulate_weekday_campus(WeekdayCampusOptions(seed=4))


def first_hours(log):
    """Each person's first record of each of the four days, in hours after midnight."""
    start = log["start"].to_numpy().astype("datetime64[s]").astype(np.int64)
    day = start // 86_400
    user = log["user"].combine_chunks().dictionary_encode().indices.to_numpy()
    days = np.unique(day)
    first = np.full((user.max() + 1, len(days)), np.inf)
    np.minimum.at(first, (user, np.searchsorted(days, day)), (start % 86_400) / 3600)
    return days, first


def test_there_are_two_mondays_and_two_tuesdays(log) -> None:
    days, _ = first_hours(log)
    assert ((days + 3) % 7).tolist() == [0, 1, 0, 1]
    assert (days[2:] - days[:2]).tolist() == [7, 7]


def test_as_many_come_early_as_in_the_paper(log) -> None:
    _, first = first_hours(log)
    mondays, tuesdays = first[:, [0, 2]], first[:, [1, 3]]
    assert (mondays <= 9).all(axis=1).sum() == 1154
    assert (mondays <= 10).all(axis=1).sum() == 2174
    assert ((mondays <= 10).all(axis=1) & (tuesdays <= 10).all(axis=1)).sum() == 1047


def test_devices_see_as_many_access_points_as_in_the_paper(log) -> None:
    day = pc.floor_temporal(log["start"], unit="day")
    monday = log.filter(pc.equal(day, day[0]))
    seen = monday.group_by("user").aggregate([("location", "count_distinct")])
    counts = seen["location_count_distinct"].to_numpy()
    assert 9 < counts.mean() < 15
    assert 7 <= np.median(counts) <= 10
    assert 7 < counts.std() < 14
    assert len(log["location"].unique()) <= 934


def test_same_seed_same_campus() -> None:
    options = WeekdayCampusOptions(n_users=30, seed=2)
    assert simulate_weekday_campus(options).equals(simulate_weekday_campus(options))


@pytest.mark.parametrize("n_users", [1, 2, 25])
def test_small_campuses_work(n_users) -> None:
    log = simulate_weekday_campus(WeekdayCampusOptions(n_users=n_users))
    assert len(log["user"].unique()) == n_users


def test_sizes_are_checked() -> None:
    with pytest.raises(OptionError, match="n_users"):
        WeekdayCampusOptions(n_users=0)
