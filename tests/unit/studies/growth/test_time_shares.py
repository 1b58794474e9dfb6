"""Which shares of people's days are observed, without observing: for estimates."""

from __future__ import annotations

import datetime as dt

from trailprint.studies.growth.time import grow_time, list_usual_shares
from trailprint.studies.repeated import prepare_histograms


def visits(n_users, n_days):
    first = dt.datetime(2024, 1, 1, 9, tzinfo=dt.UTC)
    return [
        (f"u{user}", f"p{(user + day) % 5}", first + dt.timedelta(days=day))
        for user in range(n_users)
        for day in range(n_days)
    ]


def test_as_many_as_the_study_looks_at(make_events):
    from trailprint.attacks.histogram import match_histograms

    for n_days in (4, 7, 20):
        sides = [make_events(visits(6, n_days), "user", "location", "start") for _ in range(2)]
        shares = list_usual_shares(*sides)
        grown = grow_time(prepare_histograms(match_histograms), *sides)
        assert shares == [length / n_days for length, _ in grown.points]


def test_none_where_one_day_or_no_times_are_there(make_events):
    one_day = make_events(visits(6, 1), "user", "location", "start")
    assert list_usual_shares(one_day, one_day) == []
    timeless = make_events([("a", "p"), ("b", "q")], "user", "location")
    assert list_usual_shares(timeless, timeless) == []
