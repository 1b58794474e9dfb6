"""The same data in another order, with other threads or hash seeds, gives the same answer."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.attacks.options import MatchOptions, Model
from trailprint.features.options import HistogramOptions
from trailprint.studies.options import FoldOptions, SweepOptions
from trailprint.workflows.folds import correlate_folds
from trailprint.workflows.protect import trade_off

START = dt.datetime(2024, 5, 6, 8)
COSTS = ("seconds", "peak_memory_mb")


def visits(shift: int = 0) -> dict[str, list[Any]]:
    """Twelve people, many with equal histograms and trails, some starts and whole rows equal."""
    rng = np.random.default_rng(3)
    rows = []
    for i in range(12):
        for d in range(8):
            start = START + dt.timedelta(days=d + shift, hours=int(rng.integers(0, 3)))
            place = f"b{(i // 3 + d % 2) % 4}.f{int(rng.integers(0, 2))}"
            rows.append((f"u{i}", place, start, start + dt.timedelta(minutes=20 + d)))
            if d % 3 == 0:
                rows.append((f"u{i}", f"b{i % 2}.f0", start, start + dt.timedelta(minutes=5)))
        rows.append(rows[-1])
    return dict(
        zip(("user", "location", "start", "end"), map(list, zip(*rows, strict=True)), strict=True)
    )


def counts() -> dict[str, list[Any]]:
    """Fractions, whose sum depends on the order in the last digit."""
    rng = np.random.default_rng(5)
    users = [f"u{i % 9}" for i in range(90)]
    places = [f"b{int(k)}" for k in rng.integers(0, 5, 90)]
    return {"user": users, "location": places, "count": (rng.random(90) / 3).tolist()}


def positions() -> dict[str, list[Any]]:
    rng = np.random.default_rng(7)
    n = 4 * 60
    return {
        "user": [f"u{i % 4}" for i in range(n)],
        "lat": (47 + np.round(rng.normal(0, 0.004, n), 5) + np.arange(n) % 4 / 30).tolist(),
        "lon": (8 + np.round(rng.normal(0, 0.004, n), 5)).tolist(),
        "start": [START + dt.timedelta(minutes=20 * (i // 4)) for i in range(n)],
    }


def open_table(columns: dict[str, list[Any]], order: int, threads: int) -> tp.Events:
    """Read a table whose rows are in one of several orders."""
    n_rows = len(columns["user"])
    rows = np.random.default_rng(order).permutation(n_rows) if order else np.arange(n_rows)
    table = pa.table(columns).take(pa.array(rows))
    return tp.read(table, engine=tp.Engine(threads=threads))


def digest(*found: Any) -> str:
    """What was found, without what it cost, as one number."""
    text = json.dumps([_plain(one) for one in found], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(found: Any) -> Any:
    if isinstance(found, tp.Events):
        names = ", ".join(f'"{name}"' for name in sorted(found.columns))
        return sorted(map(repr, found.engine.rows(f"SELECT {names} FROM ({found.query})")))
    if isinstance(found, pa.Table):
        return sorted(map(repr, found.to_pylist()))
    if hasattr(found, "to_dict"):
        return {k: v for k, v in found.to_dict().items() if k not in COSTS}
    return found


Study = Callable[[int, int], str]


def matching(weight: str = "visits", knows: str | None = None, **options: Any) -> Study:
    def study(order: int, threads: int) -> str:
        sides = tp.split(open_table(visits(), order, threads), tp.SplitOptions(at="median"))
        found = tp.match(
            sides.released,
            sides.auxiliary,
            MatchOptions(
                **{k: v for k, v in options.items() if k not in ("weight", "knows")}, seed=4
            ),
            histograms=HistogramOptions(weight=options.get("weight", "visits")),
            knows=options.get("knows"),
            n_threads=threads,
        )
        return digest(found, found.links())

    return study


def match_counts(order: int, threads: int) -> str:
    side = open_table(counts(), order, threads)
    found = tp.match(side, side, MatchOptions(margins=True), n_threads=threads)
    return digest(found, found.links(), tp.inspect(side))


def trails(order: int, threads: int) -> str:
    sides = tp.split(open_table(visits(), order, threads), tp.SplitOptions(fold="1/2"))
    found = tp.trails(sides.released, sides.auxiliary, n_threads=threads)
    return digest(found, found.links())


def correlating(model: Model, joint: bool = False) -> Study:
    def study(order: int, threads: int) -> str:
        sides = tp.split(open_table(visits(), order, threads), tp.SplitOptions(at="median"))
        options = tp.CorrelateOptions(model=model, joint=joint, seed=2)
        found = tp.correlate(sides.released, sides.auxiliary, options, n_threads=threads)
        return digest(found, found.links())

    return study


def folding(order: int, threads: int) -> str:
    events = open_table(visits(), order, threads)
    options = tp.CorrelateOptions(model="markov")
    found = correlate_folds(events, options, FoldOptions(n_folds=3), n_threads=threads)
    return digest(found)


def wandering(order: int, threads: int) -> str:
    events = open_table(positions(), order, threads)
    sides = tp.split(events, tp.SplitOptions(at="median"))
    options = tp.CorrelateOptions(model="mobility-markov")
    found = tp.correlate(sides.released, sides.auxiliary, options, n_threads=threads)
    return digest(found, found.links())


def protecting(text: str, columns: Callable[[], dict[str, list[Any]]] = visits) -> Study:
    def study(order: int, threads: int) -> str:
        events = open_table(columns(), order, threads)
        found = tp.protect(events, text, seed=9, n_threads=threads)
        return digest(found, found.histograms(), found.events)

    return study


def sweeping(order: int, threads: int) -> str:
    sides = tp.split(open_table(visits(), order, threads), tp.SplitOptions(at="median"))
    options = SweepOptions(parameter="k", values=(2, 3, 5), target_risk=0.3, seed=1)
    found = trade_off(sides.released, sides.auxiliary, "microaggregate", options, n_threads=threads)
    return digest(found)


def splitting(**options: Any) -> Study:
    def study(order: int, threads: int) -> str:
        sides = tp.split(open_table(visits(), order, threads), tp.SplitOptions(**options))
        return digest(sides.released, sides.auxiliary, sides.description)

    return study


def inspecting(order: int, threads: int) -> str:
    events = open_table(visits(), order, threads)
    top = tp.workflows.apply_filters(events, tp.FilterOptions(top_locations=3, min_events=2))
    return digest(tp.inspect(events), tp.inspect(top))


STUDIES: dict[str, Study] = {
    "match": matching(),
    "match with margins": matching(margins=True),
    "match a few": matching(size=5),
    "match l1": matching(metric="l1"),
    "match likelihood": matching(metric="likelihood"),
    "match one by one": matching(method="one-by-one"),
    "match one by one back": matching(method="one-by-one", direction="auxiliary"),
    "match durations": matching(weight="duration"),
    "match days": matching(weight="day-balanced"),
    "match points": matching(knows="points:2"),
    "match top places": matching(knows="top:1"),
    "match home and work": matching(knows="home-work"),
    "match random days": matching(knows="days:2"),
    "match counts": match_counts,
    "trails": trails,
    "correlate markov": correlating("markov"),
    "correlate jointly": correlating("markov", joint=True),
    "correlate histogram": correlating("histogram"),
    "correlate distance": correlating("distance"),
    "correlate crf": correlating("crf"),
    "correlate folds": folding,
    "correlate positions": wandering,
    "microaggregate": protecting("microaggregate:k=3"),
    "microaggregate mdav": protecting("microaggregate:k=3,method=mdav"),
    "microaggregate counts": protecting("microaggregate:k=3", counts),
    "noise": protecting("noise:epsilon=1"),
    "noise whole": protecting("noise:epsilon=1,kind=geometric"),
    "top locations": protecting("top-locations:n=3"),
    "top by events": protecting("top-locations:n=3,by=events"),
    "perturb locations": protecting("perturb-locations"),
    "perturb times": protecting("perturb-times:sigma_s=600"),
    "perturb counts": protecting("perturb-times:sigma_s=600,order=redraw"),
    "coarsen": protecting("coarsen-names then microaggregate:k=3"),
    "coarsen time": protecting("coarsen-time"),
    "coarsen grid": protecting("coarsen-grid:cell_m=500", positions),
    "sweep": sweeping,
    "split at median": splitting(at="median"),
    "split weeks": splitting(halves_of_weeks=True),
    "split busiest": splitting(busiest_weeks=True),
    "split fold": splitting(fold="2/3"),
    "split users": splitting(at="median", released_users=5, auxiliary_users=6, common_users=3),
    "inspect": inspecting,
}


@pytest.mark.parametrize("name", STUDIES)
def test_rows_and_threads_change_nothing(name):
    study = STUDIES[name]
    first = study(0, 1)
    assert [study(order, threads) for order, threads in ((1, 1), (2, 2), (0, 2))] == [first] * 3


def test_hash_seeds_change_nothing():
    quick = ("match", "trails", "correlate markov", "microaggregate", "split users", "inspect")
    here = {name: STUDIES[name](0, 1) for name in quick}
    # Here the seed is another: Python draws it, or the environment of the tests sets it.
    other = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, __file__, *quick],
        env={**os.environ, "PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == here


_PROGRAM = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("row_order", sys.argv[1])
row_order = importlib.util.module_from_spec(spec)
spec.loader.exec_module(row_order)
print(json.dumps({name: row_order.STUDIES[name](0, 1) for name in sys.argv[2:]}))
"""
