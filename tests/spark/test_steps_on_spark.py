"""Every relational step gives the same on DuckDB and on Spark, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.spark.random_events import make_events, read_both

import trailprint as tp
from trailprint.events.engine import Engine
from trailprint.events.filters import FilterOptions, apply_filters
from trailprint.events.halving import HALVINGS, suitable_halving
from trailprint.events.knowledge import Knowledge, restrict
from trailprint.events.options import Window
from trailprint.events.periods import periods_overlap
from trailprint.events.places.grid import to_regions
from trailprint.events.places.placing import PlaceOptions, place
from trailprint.features.histograms import count_by_location
from trailprint.features.options import HistogramOptions
from trailprint.features.places import build_chains
from trailprint.features.points import build_points, build_visit_order
from trailprint.features.sequences import build_sequences
from trailprint.features.view_kinds import View
from trailprint.features.views import SAME_PERIOD_VIEWS, VIEWS

Step = Callable[[tp.Events], Any]


def _rows(events: tp.Events) -> list[tuple[Any, ...]]:
    chosen = ", ".join(f'"{name}"' for name in sorted(events.columns))
    found = events.engine.rows(f"SELECT {chosen} FROM ({events.query})")
    return sorted((tuple(map(_exactly, row)) for row in found), key=repr)


def _exactly(value: Any) -> Any:
    return value.hex() if isinstance(value, float) else value


def _table(table: Any) -> list[Any]:
    columns = [table[name].to_pylist() for name in sorted(table.column_names)]
    return sorted((tuple(map(_exactly, row)) for row in zip(*columns, strict=True)), key=repr)


def _arrays(made: Any, *names: str) -> list[Any]:
    return [np.asarray(getattr(made, name)).tolist() for name in names]


def _filter(**options: Any) -> Step:
    return lambda events: _rows(apply_filters(events, FilterOptions(**options)))


def _split(**options: Any) -> Step:
    def step(events: tp.Events) -> Any:
        sides = tp.split(events, tp.SplitOptions(**options))
        return _rows(sides.released), _rows(sides.auxiliary), sides.description

    return step


def _halve(way: str) -> Step:
    return lambda events: [_rows(side) for side in HALVINGS[way](events, 3)[:2]]


def _place(**options: Any) -> Step:
    return lambda events: _rows(place([events], PlaceOptions(**options))[0])


def _count(**options: Any) -> Step:
    return lambda events: _table(count_by_location(events, HistogramOptions(**options)))


def _know(text: str) -> Step:
    def step(events: tp.Events) -> Any:
        known, facts = restrict(events, Knowledge.parse(text, seed=4))
        return _rows(known), facts

    return step


def _view(view: View) -> Step:
    return lambda events: view.lacks((events, events)) or _table(view.count(events, events)[0])


def _sequences(events: tp.Events) -> Any:
    made = build_sequences(events)
    return _arrays(made, "user", "location", "day", "duration_s", "weekday", "slot", "next")


def _points(events: tp.Events) -> Any:
    made = build_points(events, "place-time", 1800)
    return _arrays(made, "indptr", "keys", "counts", "key_place", "key_time", "users")


STEPS: dict[str, tuple[str, Step]] = {
    "read": ("counted", _rows),
    "tally and duplicates": ("stays", lambda events: tp.inspect(events).to_dict()),
    "inspect positions": ("positions", lambda events: tp.inspect(events).to_dict()),
    "range": (
        "zoned",
        _filter(time_range="2024-03-15..2024-04-05", hours=Window.parse("08:00-17:00")),
    ),
    "weekdays": ("zoned", _filter(weekdays=("sat", "sun"), top_locations=9)),
    "active": ("counted", _filter(min_active_days=3, min_events=9, max_events=60)),
    "median": ("stays", _split(at="median", active_both=True)),
    "weeks": ("zoned", _split(halves_of_weeks=True, min_events=3)),
    "busiest": ("zoned", _split(busiest_weeks=True)),
    "fold": ("zoned", _split(fold="2/5")),
    "fold of counts": ("counted", _split(fold="1/4")),
    "drawn": ("stays", _split(at="2024-03-31", released_users=4, auxiliary_users=4, seed=3)),
    "suitable": ("zoned", suitable_halving),
    **{way: ("zoned", _halve(way)) for way in HALVINGS},
    "random positions": ("positions", _halve("random-events")),
    "cells": ("positions", _place(cell_m=300.0)),
    "box": ("positions", _place(cell_m=300.0, box="46.2,6.1,46.8,6.9")),
    "short names": ("stays", _place(truncate=1)),
    "stays of fixes": ("positions", _place(stays="100km,1min,10d")),
    "visits": ("counted", _count()),
    "durations": ("zoned", _count(weight="duration", slots="four-hour")),
    "balanced": ("counted", _count(weight="day-balanced", slots="weekday")),
    **{
        f"view {view.name}": ("zoned", _view(view))
        for view in (*VIEWS.values(), *SAME_PERIOD_VIEWS.values())
        if not {"lat", "lon"} & view.needs
    },
    "view cells": ("positions", _view(VIEWS["cells-3km"])),
    "sequences": ("zoned", _sequences),
    "points": ("counted", _points),
    "visit order": ("zoned", lambda events: _arrays(build_visit_order(events), "places")),
    "chains": ("positions", lambda events: _arrays(build_chains(events), "centre_m")),
    "know points": ("counted", _know("points:3")),
    "know days": ("zoned", _know("days:2")),
    "know top": ("stays", _know("top:2")),
    "know home and work": ("zoned", _know("home-work")),
    "overlap": ("zoned", lambda events: periods_overlap(events, events)),
    "brought here": ("zoned", lambda events: _rows(events.bring_here())),
    "kept": ("zoned", lambda events: _rows(events.materialise())),
}


@pytest.fixture(scope="module")
def both(spark):
    """The same random events in DuckDB and on Spark, by kind."""
    table = make_events(seed=1)
    return {
        kind: read_both(spark, table, kind) for kind in ("stays", "zoned", "counted", "positions")
    }


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_the_same(both, name):
    kind, step = STEPS[name]
    here, there = both[kind]
    assert there.engine.is_on_spark
    assert step(there) == step(here)


def test_regions_are_the_same(both, tmp_path):
    path = tmp_path / "regions.csv"
    names = [f"b{a}.f{b},region {a}" for a in range(4) for b in range(4)]
    path.write_text("location,region\n" + "\n".join(names))
    here, there = (_rows(to_regions(events, path)) for events in both["stays"])
    assert there == here


def test_h3_cells_are_the_same(both):
    pytest.importorskip("h3")
    here, there = (_rows(place([events], PlaceOptions(h3=7))[0]) for events in both["positions"])
    assert there == here


def test_events_of_both_engines_meet_on_spark(both):
    (here, there), (zoned, _) = both["stays"], both["zoned"]
    options = tp.SplitOptions(at="median")
    sides = tp.split(here, options).released, tp.split(there, options).auxiliary
    assert periods_overlap(*sides) is False
    assert periods_overlap(zoned, there) is True
    elsewhere = tp.read(make_events(seed=2), engine=Engine(threads=1))
    assert periods_overlap(there, elsewhere) is True
