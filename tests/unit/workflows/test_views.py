"""Views in `match`: weights know neither the released side nor the truth; what each view adds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from tests.presence import present

import trailprint as tp
from trailprint.attacks import combined
from trailprint.errors import InputError, OptionError
from trailprint.events.halving import halve_suitably
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.workflows.learning_cuts import cut_by_times
from trailprint.workflows.match import MatchResult
from trailprint.workflows.match_plan import plan_match
from trailprint.workflows.options import ViewOptions, open_views
from trailprint.workflows.views import build_views


@pytest.fixture(scope="module")
def campus():
    table = simulate_campus(CampusOptions(n_users=60, n_days=21))
    halves = tp.split(tp.read(table), tp.SplitOptions(at="median", active_both=True))
    return halves.released.materialise(), halves.auxiliary.materialise()


def accuracy_of(result: MatchResult) -> float:
    return present(present(result.risk).accuracy)


def as_table(events):
    columns = ", ".join(f'"{name}"' for name in sorted(events.columns))
    return events.engine.arrow(f"SELECT {columns} FROM ({events.query})")


def learnt(released, auxiliary, **choices):
    return build_views(released, auxiliary, ViewOptions(**choices))[2]


def test_more_views_find_more_people_than_one(campus):
    single = tp.match(*campus)
    combined = tp.match(*campus, views=ViewOptions())
    assert present(combined.view_weights).source == "learnt"
    assert accuracy_of(combined) >= accuracy_of(single) - 0.01
    assert combined.linkage.facts["exact"]
    assert sum(share.weight for share in combined.views) == pytest.approx(1.0)


@pytest.mark.parametrize("names", ["visits,days", ["visits", "days"], ("visits", "days"), "all"])
def test_names_of_views_are_enough(campus, names):
    meant = ViewOptions(names=None if names == "all" else ["visits", "days"])
    assert open_views(names) == open_views(meant) == meant
    assert plan_match(*campus, views=names).pairs == plan_match(*campus, views=meant).pairs


def test_a_matching_takes_names_of_views(campus):
    result = tp.match(*campus, views="visits, days")
    assert {share.name for share in result.views} == {"visits", "days"}
    with pytest.raises(OptionError, match=r"^views must be all or some of .*got 'visit'"):
        tp.match(*campus, views="visit")
    with pytest.raises(OptionError, match="views must be ViewOptions or text or a list of text"):
        tp.match(*campus, views=cast(Any, 3))


def test_weights_ignore_the_released_side_and_the_truth(campus):
    released, auxiliary = campus
    names = ["weekdays", "moves", "hour-of-day"]
    weights = learnt(released, auxiliary, names=names)
    assert len(weights.shares) == 3
    table = as_table(released)
    permuted = table.set_column(
        table.column_names.index("user"),
        "user",
        table["user"].take(pa.array(np.random.default_rng(0).permutation(len(table)))),
    )
    corrupted = table.slice(0, 200)
    for other in (permuted, corrupted):
        assert learnt(tp.read(other), auxiliary, names=names) == weights
    assert learnt(auxiliary, released, names=names) != weights


def test_what_each_view_adds_is_measured_and_can_be_left_out(campus):
    result = tp.match(*campus, views=ViewOptions(names=["visits", "days"], weights="equal"))
    alone = {
        name: accuracy_of(
            tp.match(*campus, views=ViewOptions(names=[name], weights="equal", contributions=False))
        )
        for name in ("visits", "days")
    }
    found = {share.name: share for share in result.views}
    assert {name: share.accuracy_alone for name, share in found.items()} == alone
    assert found["visits"].accuracy_without == alone["days"]
    plain = tp.match(*campus, views=ViewOptions(contributions=False))
    assert all(share.accuracy_alone is None for share in plain.views)


def numbered(events):
    """The same events with numbers for ids, which sort otherwise than as text."""
    number = "CAST(regexp_extract(\"user\", '[0-9]+') AS BIGINT)"
    return events.derive(f'SELECT * REPLACE ({number} AS "user") FROM ({events.query})')


@pytest.mark.parametrize("views", [{"names": ["visits"]}, {"weights": {"visits": 1.0}}])
@pytest.mark.parametrize("gate_from", [0, 4_000])
@pytest.mark.parametrize("ids", [lambda events: events, numbered], ids=["text", "numbers"])
def test_one_view_equals_the_histogram_attack(campus, views, gate_from, ids, monkeypatch):
    monkeypatch.setattr(combined, "GATE_FROM", gate_from)
    released, auxiliary = (ids(side) for side in campus)
    options = tp.MatchOptions(margins=True, seed=3)
    view = tp.match(released, auxiliary, options, views=ViewOptions(contributions=False, **views))
    plain = tp.match(released, auxiliary, options)
    assert view.links().equals(plain.links())
    assert view.to_dict()["accuracy"] == plain.to_dict()["accuracy"]


def test_margins_sizes_and_one_by_one_work_with_views(campus: tuple[tp.Events, tp.Events]):
    views = ViewOptions(weights="equal", contributions=False)
    sized = tp.match(*campus, tp.MatchOptions(size=10, margins=True), views=views)
    assert sized.linkage.n_links == 10
    assert (sized.linkage.confidence >= 0).all()
    single = tp.match(*campus, tp.MatchOptions(method="one-by-one"), views=views)
    assert single.linkage.n_links == single.linkage.n_released


def without_times(count=1.0):
    rows = [
        {"user": f"u{i}", "location": f"{(i * k) % 7}/{k}", "count": count}
        for i in range(30)
        for k in range(9)
    ]
    return tp.read(pa.Table.from_pylist(rows), tp.ReadOptions(column_names={"weight": "count"}))


def test_an_auxiliary_side_without_times_is_cut_by_lot():
    events = without_times()
    assert present(tp.match(events, events, views=ViewOptions()).view_weights).source == "learnt"


def test_an_auxiliary_side_that_cannot_be_cut_gets_equal_weights_and_the_reason():
    events = without_times(count=0.5)
    result = tp.match(events, events, views=ViewOptions())
    assert present(result.view_weights).source == "equal"
    assert "no times to cut it by" in result.to_dict()["weights_note"]


def thinned(seed=0):
    """People without habits; an event goes to one of two sources only, some to a wrong place."""
    rng = np.random.default_rng(seed)
    begin = datetime(2024, 5, 6)
    sources: tuple[list[Any], list[Any]] = ([], [])
    for person in range(100):
        for block in range(21 * 4):
            usual = rng.integers(3)
            for minute in rng.integers(0, 60, 2):
                place = f"cell{rng.integers(3) if rng.random() < 0.15 else usual}"
                at = begin + timedelta(hours=6 * block, minutes=int(minute))
                event = {"user": f"p{person:03}", "location": place, "start": at}
                sources[int(rng.integers(2))].append(event)
    return tuple(tp.read(pa.Table.from_pylist(rows)) for rows in sources)


def test_a_cut_that_leaves_too_few_people_gives_way_to_one_that_suits(campus):
    released, auxiliary = campus
    day = auxiliary.having(
        "\"start\" BETWEEN TIMESTAMP '2024-03-18' AND TIMESTAMP '2024-03-19'"
    ).materialise()
    with pytest.raises(InputError):
        cut_by_times(day, "halves-of-weeks", 0)
    weights = learnt(released, day, cut="halves-of-weeks")
    assert weights.source == "learnt"
    assert weights == build_views(released, day, ViewOptions(), cut=halve_suitably)[2]


def test_two_sources_of_one_period_are_linked_by_calendar_time():
    sides = thinned()
    plain = tp.match(*sides, views=ViewOptions(contributions=False))
    views = ViewOptions(same_period=True, contributions=False)
    same = tp.match(*sides, views=views)
    assert {"calendar-days", "calendar-hours"} <= {share.name for share in same.views}
    assert accuracy_of(same) > accuracy_of(plain) + 0.2
    assert same.to_dict()["same_period"]
    assert not plain.to_dict()["same_period"]


def test_views_that_the_data_cannot_give_are_named_with_the_reason(campus):
    few = ViewOptions(names=["visits", "cells-1km"], contributions=False)
    left_out = tp.match(*campus, views=few).to_dict()["views_left_out"]
    assert left_out == {"cells-1km": "needs lat and lon on both sides"}
    with pytest.raises(InputError, match="none is: cells-1km needs lat and lon on both sides"):
        tp.match(*campus, views=ViewOptions(names=["cells-1km"]))


def test_calendar_views_need_the_same_period():
    with pytest.raises(OptionError, match="calendar-days means something only where both sides"):
        ViewOptions(names=["calendar-days"])


def test_options_that_do_not_go_together_are_refused(campus):
    from trailprint.attacks.options import RejectionOptions
    from trailprint.features.options import HistogramOptions

    with pytest.raises(OptionError, match="weights and slots of their own"):
        tp.match(*campus, histograms=HistogramOptions(slots="weekday"), views=ViewOptions())
    for length in (50, None):
        rejection = RejectionOptions(reject_lambda=1.0, string_length=length)
        with pytest.raises(OptionError, match="does not go with views"):
            tp.match(*campus, views=ViewOptions(), rejection=rejection)
    with pytest.raises(OptionError, match="learnt, equal or NAME=WEIGHT"):
        ViewOptions(weights=cast(Any, "best"))
    with pytest.raises(OptionError, match="cut must be one of median"):
        ViewOptions(cut=cast(Any, "thirds"))


def test_locations_are_counted_whatever_the_views_count(campus):
    single = tp.match(*campus).to_dict()["locations"]
    for names in (["visits"], ["moves"], ["hour-of-day"], ["hours", "days"]):
        views = ViewOptions(names=names, weights="equal", contributions=False)
        assert tp.match(*campus, views=views).to_dict()["locations"] == single


def test_where_all_people_look_alike_the_first_view_counts_alone():
    """No gain beyond rounding is a clear one."""
    rows = [
        {
            "user": f"u{user}",
            "location": f"p{day % 3}",
            "start": datetime(2024, 1, 1 + day, 8 + day),
        }
        for user in range(25)
        for day in range(12)
    ]
    alike = tp.read(pa.Table.from_pylist(rows))
    assert learnt(alike, alike).shares == {"visits": 1.0}


def test_a_chart_shows_what_each_view_finds_alone_and_what_is_found_without_it(campus):
    views = ViewOptions(names=["visits", "days"], weights={"visits": 1.0})
    bars = tp.match(*campus, views=views).plot("views").to_dict()["data"]["values"]
    assert [bar["view"] for bar in bars] == [
        "places by visits, alone",
        "places by days present, alone",
        "places by days present, without it",
    ]
    assert all(0 <= bar["share"] <= 1 for bar in bars)
