"""Every way to cut a dataset, against a naive twin: nothing is lost and nothing invented."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from trailprint import ReadOptions, SplitOptions, read, split
from trailprint.errors import InputError, OptionError

FIRST = dt.datetime(2024, 3, 4)  # a Monday; daylight saving starts in its fourth week
ZONES = ("UTC", "Europe/Zurich", "America/New_York")


def moments(weeks=6):
    return st.integers(0, weeks * 7 * 24 * 4).map(lambda n: FIRST + dt.timedelta(minutes=15 * n))


rows = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), moments()), min_size=1, max_size=40
)
zones = st.sampled_from(ZONES)
Quarters = Counter[tuple[str, str, dt.datetime]]
quick = settings(max_examples=25, deadline=None)


def as_events(engine, data, timezone="UTC"):
    user, location, start = zip(*data, strict=True)
    times = pa.array(start, pa.timestamp("us", "UTC"))
    table = pa.table({"user": user, "location": location, "start": times})
    return read(table, ReadOptions(timezone=timezone), engine=engine)


def bag(events):
    return Counter(events.engine.rows(f'SELECT "user", location, "start" FROM ({events.query})'))


def check(engine, data, timezone, expected, **options):
    """A split gives the expected sides, or says that one of them is empty."""
    events = as_events(engine, data, timezone)
    released, auxiliary = Counter(expected[0]), Counter(expected[1])
    if not released or not auxiliary:
        with pytest.raises(InputError):
            split(events, SplitOptions(**options))
        return
    sides = split(events, SplitOptions(**options))
    assert bag(sides.released) == released
    assert bag(sides.auxiliary) == auxiliary


def local_day(moment, timezone):
    return moment.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(timezone)).date()


def monday(moment, timezone):
    day = local_day(moment, timezone)
    return day - dt.timedelta(days=day.weekday())


@quick
@given(rows, zones, moments())
def test_at_a_time(engine, data, timezone, at):
    local = at.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(timezone)).replace(tzinfo=None)
    assume(local.replace(tzinfo=ZoneInfo(timezone)).astimezone(dt.UTC).replace(tzinfo=None) == at)
    expected = [r for r in data if r[2] < at], [r for r in data if r[2] >= at]
    check(engine, data, timezone, expected, at=local.isoformat())
    check(engine, data, timezone, expected, at=at.isoformat() + "Z")


@quick
@given(rows, zones)
def test_at_the_median(engine, data, timezone):
    median = sorted(r[2] for r in data)[(len(data) - 1) // 2]
    expected = [r for r in data if r[2] < median], [r for r in data if r[2] >= median]
    check(engine, data, timezone, expected, at="median")


@quick
@given(rows, zones, st.integers(0, 20), st.integers(0, 15), st.integers(1, 10), st.integers(0, 15))
def test_two_named_ranges(engine, data, timezone, begin, length, gap, other):
    days = [FIRST.date() + dt.timedelta(days=n) for n in range(80)]
    first = days[begin], days[begin + length]
    second = days[begin + length + gap], days[begin + length + gap + other]
    expected = [
        [r for r in data if low <= local_day(r[2], timezone) <= high]
        for low, high in (first, second)
    ]
    ranges = ",".join(f"{low}..{high}" for low, high in (first, second))
    check(engine, data, timezone, expected, ranges=ranges)


@quick
@given(rows, zones, st.integers(2, 10), st.integers(1, 10))
def test_folds(engine, data, timezone, n, k):
    assume(k <= n)
    days = defaultdict(list)
    for user, _, start in data:
        days[user].append(local_day(start, timezone).toordinal())

    def bin_of(user, start):
        first, last = min(days[user]), max(days[user])
        return (local_day(start, timezone).toordinal() - first) * n // (last - first + 1) + 1

    expected = (
        [r for r in data if bin_of(r[0], r[2]) != k],
        [r for r in data if bin_of(r[0], r[2]) == k],
    )
    check(engine, data, timezone, expected, fold=f"{k}/{n}")


@quick
@given(rows, zones, st.integers(2, 10), st.integers(1, 10), st.data())
def test_a_fold_cuts_stays_between_its_bins(engine, data, timezone, n, k, lengths):
    """Quarter by quarter of an hour, a stay belongs to the bin of the day it is in."""
    assume(k <= n)
    quarter = dt.timedelta(minutes=15)
    stays = [(*row, row[2] + quarter * lengths.draw(st.integers(0, 400))) for row in data]
    days = defaultdict(list)
    for user, _, start in data:
        days[user].append(local_day(start, timezone).toordinal())

    def is_held_out(user, moment):
        first, last = min(days[user]), max(days[user])
        nth = (local_day(moment, timezone).toordinal() - first) * n // (last - first + 1) + 1
        return min(nth, n) == k

    expected: tuple[Quarters, Quarters] = Counter(), Counter()
    for user, location, start, end in stays:
        moments = [start + quarter * i for i in range(max(1, (end - start) // quarter))]
        for moment in moments:
            amount = 1 if end > start else 0
            expected[is_held_out(user, moment)][user, location, moment] += amount
    table = pa.table(
        {
            "user": [stay[0] for stay in stays],
            "location": [stay[1] for stay in stays],
            "start": pa.array([stay[2] for stay in stays], pa.timestamp("us", "UTC")),
            "end": pa.array([stay[3] for stay in stays], pa.timestamp("us", "UTC")),
        }
    )
    events = read(table, ReadOptions(timezone=timezone), engine=engine)
    options = SplitOptions(fold=f"{k}/{n}")
    if not expected[0] or not expected[1]:
        with pytest.raises(InputError):
            split(events, options)
        return
    sides = split(events, options)
    for side, wanted in zip((sides.released, sides.auxiliary), expected, strict=True):
        found: Quarters = Counter()
        for user, location, start, end in side.engine.rows(
            f'SELECT "user", location, "start", "end" FROM ({side.query})'
        ):
            for i in range((end - start) // quarter):
                found[user, location, start + quarter * i] += 1
        assert +found == +wanted


@quick
@given(rows, zones)
@example([("a", "x", FIRST + dt.timedelta(weeks=w)) for w in range(3)], "UTC")
def test_halves_of_weeks(engine, data, timezone):
    """Of an odd number of weeks the middle one is released; one week alone counts for nothing."""
    weeks = defaultdict(set)
    for user, _, start in data:
        weeks[user].add(monday(start, timezone))
    sides: tuple[list[Any], list[Any]] = [], []
    for row in data:
        own = sorted(weeks[row[0]])
        if len(own) >= 2:
            nth = own.index(monday(row[2], timezone))
            sides[nth >= (len(own) + 1) // 2].append(row)
    check(engine, data, timezone, sides, halves_of_weeks=True)


@quick
@given(rows, zones)
def test_busiest_weeks(engine, data, timezone):
    active = defaultdict(set)
    for user, _, start in data:
        active[monday(start, timezone)].add(user)
    week = dt.timedelta(days=7)
    both = {m: len(active[m] & active.get(m + week, set())) for m in list(active)}
    best = max(both.values())
    chosen = min(m for m in both if both[m] == best) if best else None
    expected = [
        [r for r in data if chosen is not None and monday(r[2], timezone) == m]
        for m in (chosen, chosen and chosen + week)
    ]
    check(engine, data, timezone, expected, busiest_weeks=True)


@quick
@given(rows, st.integers(0, 4), st.booleans())
def test_users_active_on_both_sides(engine, data, min_events, active_both):
    at = FIRST + dt.timedelta(weeks=3)
    sides = [r for r in data if r[2] < at], [r for r in data if r[2] >= at]
    counts = [Counter(r[0] for r in side) for side in sides]
    least = max(min_events if min_events > 1 else 0, int(active_both))
    expected = [[r for r in side if min(c[r[0]] for c in counts) >= least] for side in sides]
    check(
        engine,
        data,
        "UTC",
        expected,
        at=at.isoformat(),
        active_both=active_both,
        min_events=min_events,
    )


def users_of(events):
    return {user for (user,) in events.engine.rows(f'SELECT DISTINCT "user" FROM ({events.query})')}


@pytest.fixture(scope="module")
def twenty(engine):
    """Twenty users active on both sides of 2024-03-06, five on one side only."""
    days = [FIRST, FIRST + dt.timedelta(days=3)]
    data = [(f"u{i}", "x", day) for i in range(20) for day in days]
    data += [(f"one{i}", "x", days[i % 2]) for i in range(5)]
    return as_events(engine, data)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("released", "auxiliary", "common"),
    [(5, 10, 5), (5, 10, 2), (10, 10, 0), (8, 8, 8), (12, 12, 4)],
)
def test_random_users_meet_in_exactly_so_many(twenty, released, auxiliary, common, seed):
    options = SplitOptions(
        at="2024-03-06",
        released_users=released,
        auxiliary_users=auxiliary,
        common_users=common,
        seed=seed,
    )
    sides = split(twenty, options)
    first, second = users_of(sides.released), users_of(sides.auxiliary)
    assert (len(first), len(second), len(first & second)) == (released, auxiliary, common)
    assert not any(user.startswith("one") for user in first | second)


@pytest.mark.parametrize(
    ("released", "auxiliary", "common", "expected"),
    [
        (10, 10, 0.5, (10, 10, 5)),
        (0.5, 0.6, 0.8, (10, 12, 8)),
        (5, 10, 0.999, (5, 10, 5)),
        (6, 6, 3.0, (6, 6, 3)),
        (6, 6, 0.0, (6, 6, 0)),
    ],
)
def test_common_users_may_be_a_share_of_the_released_ones(
    twenty, released, auxiliary, common, expected
):
    sides = split(
        twenty,
        SplitOptions(
            at="2024-03-06",
            released_users=released,
            auxiliary_users=auxiliary,
            common_users=common,
        ),
    )
    first, second = users_of(sides.released), users_of(sides.auxiliary)
    assert (len(first), len(second), len(first & second)) == expected


def test_random_users_are_nested_unless_asked_otherwise(twenty):
    sides = split(twenty, SplitOptions(at="2024-03-06", released_users=4, auxiliary_users=0.5))
    assert users_of(sides.released) < users_of(sides.auxiliary)
    assert len(users_of(sides.auxiliary)) == 10


def test_a_seed_draws_the_same_users_and_another_seed_others(twenty):
    def drawn(seed):
        return users_of(
            split(twenty, SplitOptions(at="2024-03-06", released_users=8, seed=seed)).released
        )

    assert drawn(1) == drawn(1)
    assert len({frozenset(drawn(seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"at": "median", "busiest_weeks": True},
        {"at": "median", "min_events": -1},
        {"at": "median", "released_users": float("inf")},
        {"at": "median", "released_users": float("nan")},
        {"at": "median", "released_users": 2.5},
        {"at": "median", "released_users": 0},
        {"at": "median", "common_users": 3},
        {"at": "median", "released_users": 3, "auxiliary_users": 3, "common_users": -1},
        {"at": "median", "released_users": 3, "auxiliary_users": 3, "common_users": 1.5},
        {"at": "median", "released_users": 3, "auxiliary_users": 3, "common_users": float("nan")},
    ],
)
def test_options_that_break_their_rule(options):
    with pytest.raises(OptionError):
        SplitOptions(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"at": "tomorrow"},
        {"at": "infinity"},
        {"at": "12000-01-01"},
        {"ranges": "2024-03-01..2024-03-02"},
        {"ranges": "2024-03-01..2024-03-05,2024-03-04..2024-03-09"},
        {"fold": "0/0"},
        {"fold": "3/2"},
        {"fold": "1/1"},
        {"fold": "1/99999999999999999999"},
        {"at": "2024-03-06", "released_users": 21},
        {"at": "2024-03-06", "released_users": 15, "auxiliary_users": 15, "common_users": 2},
        {"at": "2024-03-06", "released_users": 5, "auxiliary_users": 5, "common_users": 6},
    ],
)
def test_splits_that_the_data_does_not_allow(twenty, options):
    with pytest.raises(OptionError):
        split(twenty, SplitOptions(**options))


def test_a_split_needs_times(make_events):
    events = make_events([("a", "x", 3)], "user", "location", "count")
    with pytest.raises(InputError, match="needs a column 'start'"):
        split(events, SplitOptions(at="median"))
