"""Call records by day: a quiet Tuesday, and people who call on both Mondays."""

from __future__ import annotations

import numpy as np
import pytest

from trailprint.simulate.call_records import QUIET_TUESDAY_CALLS, call_records
from trailprint.simulate.calls import simulate_calls

N_USERS = 8_000


@pytest.fixture(scope="module")
def records():
    table = call_records(simulate_calls(N_USERS, seed=1), seed=1)
    day = (table["start"].to_numpy() - np.datetime64("2012-04-09")) // np.timedelta64(1, "D")
    return table, day.astype(int)


def test_calls_cover_fourteen_days_and_the_first_tuesday_is_quiet(records):
    calls = np.bincount(records[1], minlength=14) / N_USERS
    assert len(calls) == 14
    assert calls[1] == pytest.approx(QUIET_TUESDAY_CALLS, rel=0.1)
    assert np.delete(calls, 1).min() > 3 * calls[1]
    assert calls.sum() == pytest.approx(101.2, rel=0.06)


def test_two_thirds_call_on_both_mondays(records):
    user = records[0]["user"].to_numpy()
    both = np.intersect1d(user[records[1] == 0], user[records[1] == 7])
    assert len(both) / N_USERS == pytest.approx(30_937 / 46_986, abs=0.025)


def test_the_region_follows_from_the_antenna(records):
    pairs = {
        tuple(pair)
        for pair in zip(*(records[0][c].to_pylist() for c in ("location", "region")), strict=True)
    }
    assert len(pairs) == len({antenna for antenna, _ in pairs})


def test_nights_are_quiet(records):
    second = records[0]["start"].to_numpy() - records[0]["start"].to_numpy().astype("datetime64[D]")
    hours = np.bincount((second // np.timedelta64(1, "h")).astype(int), minlength=24)
    assert hours[2:5].max() < hours[18:21].min() / 4
