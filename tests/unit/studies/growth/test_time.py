"""Risk by days observed: the same people, ever longer."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.errors import OptionError
from trailprint.evaluation.risk import measure_risk
from trailprint.evaluation.truth import truth_from_ids
from trailprint.features.histograms import build_histogram_pair
from trailprint.studies.growth.events import PeopleFound
from trailprint.studies.growth.time import TimeOptions, TimeStudy, grow_time
from trailprint.studies.repeated import prepare_histograms

N_USERS, N_DAYS = 40, 16


def attack(released, auxiliary):
    return match_histograms(released, auxiliary, MatchOptions())


def period(make_events, first_day, prefix, gap=1):
    random = np.random.default_rng([5, first_day])
    habits = np.random.default_rng(5).dirichlet(np.full(25, 0.3), N_USERS)
    rows = []
    for user, habit in enumerate(habits):
        # The last ten come late: they have ten days.
        days = range(6 if user >= 30 else 0, N_DAYS)
        for day in days:
            for place in random.choice(25, 2, p=habit):
                when = dt.datetime(2024, 1, 1, 9, tzinfo=dt.UTC)
                when += dt.timedelta(days=first_day + gap * day)
                rows.append((f"{prefix}{user:02}", f"p{place}", when))
    return make_events(rows, "user", "location", "start")


@pytest.fixture(scope="module")
def sides(make_events):
    return period(make_events, 0, "u"), period(make_events, 30, "u", gap=2)


def test_longer_observation_reveals_more(sides):
    grown = grow_time(prepare_histograms(attack), *sides)
    found = grown.to_finding()
    assert found is not None
    points = found.points
    assert [point.x for point in points] == [1, 2, 3, 5, 7, 14, 16]
    assert {point.people for point in points} == {30}
    assert grown.points[-1][1].n_found > grown.points[0][1].n_found + 9
    assert "same 30 people" in found.reading
    assert "of 40 on both sides: those with at least 16 days on each side" in found.reading
    assert "Days are each person's own" in found.reading


def observed_days(histograms):
    """Every event of `one_place_a_day` is at a place of its own day: places are days."""
    return np.diff(histograms.matrix.indptr)


def one_place_a_day(make_events, n_early, period):
    """Most people come late; a few are there a month before, so that the side starts early."""
    rows = []
    for user in range(30):
        first = 0 if user < n_early else 35 + user % 3
        # Gaps of a day, and one side in the zone's own night.
        for day in range(0, 2 * (3 if user == 29 else 20), 2):
            when = dt.datetime(2024, 1 + 3 * period, 1, 23, 30, tzinfo=dt.UTC)
            when += dt.timedelta(days=first + day)
            rows.append((f"u{user:02}", f"{user}-{day}", when))
    return make_events(rows, "user", "location", "start")


@pytest.mark.parametrize("n_early", [0, 3])
def test_a_number_of_days_means_the_same_for_everybody(make_events, n_early):
    sides = tuple(one_place_a_day(make_events, n_early, period) for period in (0, 1))
    seen = []

    def look(released, auxiliary):
        seen.append((observed_days(released), observed_days(auxiliary)))
        return attack(released, auxiliary)

    found = grow_time(
        prepare_histograms(look), sides[0], sides[1], TimeOptions(days=(1, 3, 7, 14, 20, 99))
    )
    assert [days for days, _ in found.points] == [1, 3, 7, 14, 20]
    for (days, outcome), counted in zip(found.points, seen, strict=True):
        assert outcome.n_people == 29  # one has three days only
        assert all((side == days).all() for side in counted)
    assert "29 people are looked at throughout, of 30" in present(found.to_finding()).reading


def test_all_days_of_fixed_people_equal_the_plain_attack(sides):
    found = grow_time(prepare_histograms(attack), sides[0], sides[1], TimeOptions(days=(7, 16)))
    days, outcome = found.points[-1]
    assert (days, outcome.n_people) == (16, 30)
    early = [side.having("\"user\" < 'u30'") for side in sides]
    pair = build_histogram_pair(*early)
    risk = measure_risk(attack(*pair), truth_from_ids(pair[0].users, pair[1].users))
    assert risk is not None
    assert outcome.n_found == risk.n_correct


def test_the_sentence_compares_the_shortest_time_with_the_longest():
    found = {1: 20, 2: 50, 7: 80}
    points = tuple(
        (days, PeopleFound(n_people=100, n_found=n, n_locations=5)) for days, n in found.items()
    )
    finding = present(TimeStudy(points=points, n_common=120).to_finding())
    assert [(point.x, point.accuracy) for point in finding.points] == [(1, 0.2), (2, 0.5), (7, 0.8)]
    assert finding.reading.startswith(
        "After 1 day of observation 20% are linked correctly, after 7 days 80%."
    )


def test_one_side_may_be_cut_alone(sides):
    full = grow_time(prepare_histograms(attack), sides[0], sides[1], TimeOptions(days=(1, 16)))
    only = grow_time(
        prepare_histograms(attack), sides[0], sides[1], TimeOptions(days=(1, 16), sides="released")
    )
    assert only.points[0][1].n_found > full.points[0][1].n_found


def test_people_may_have_other_names_on_the_other_side(make_events, sides):
    renamed = period(make_events, 30, "x", gap=2)
    pairs = pa.table(
        {
            "released": [f"u{i:02}" for i in range(N_USERS)],
            "auxiliary": [f"x{i:02}" for i in range(N_USERS)],
        }
    )
    named = grow_time(
        prepare_histograms(attack), sides[0], renamed, TimeOptions(days=(3, 8)), pairs=pairs
    )
    same = grow_time(prepare_histograms(attack), sides[0], sides[1], TimeOptions(days=(3, 8)))
    assert named.to_finding() == same.to_finding()
    assert grow_time(prepare_histograms(attack), sides[0], renamed).why_not is not None


def test_without_times_there_is_a_reason(make_events):
    events = make_events([("a", "p"), ("b", "q")], "user", "location")
    found = grow_time(prepare_histograms(attack), events, events)
    assert found.to_finding() is None
    assert found.why_not == "The data has no times."


def test_one_day_cannot_be_cut(sides):
    day = [side.having("\"start\" < TIMESTAMP '2024-02-01'") for side in sides]
    assert "too few days with events" in (grow_time(prepare_histograms(attack), *day).why_not or "")


@pytest.mark.parametrize(
    "options", [{"days": (0,)}, {"days": (7, 1)}, {"sides": "left"}, {"least_people": 2}]
)
def test_bad_options_get_one_sentence(options):
    with pytest.raises(OptionError, match="must be"):
        TimeOptions(**options)
