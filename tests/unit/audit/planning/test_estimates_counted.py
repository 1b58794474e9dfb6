"""
Estimates against work that is counted: three populations, and a clock that only work moves.

Each operation that parts do costs seconds by the size of what it is really given, on a machine
that is much slower than the one of the formulas, at each operation by another factor. What parts
should take is then off where they do more, or larger, operations than was planned.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.attacks.combined import match_views
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.trail import match_trails
from trailprint.audit.attacks.registry import find_attacks
from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.options import AuditOptions
from trailprint.audit.parts import Outcome
from trailprint.audit.planning import calibration, clock
from trailprint.audit.planning import estimates as formulas
from trailprint.audit.planning.calibration import calibrate
from trailprint.audit.planning.making import make_plan
from trailprint.audit.planning.seconds import Seconds
from trailprint.audit.planning.study_parts import CURVE
from trailprint.audit.sides import make_sides
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.features.trails import Trails
from trailprint.features.views import Views
from trailprint.protections.microaggregate import Microaggregate
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.simulate.gps import GpsOptions, simulate_gps
from trailprint.simulate.web import WebOptions, simulate_web
from trailprint.studies.growth.fit import fit_growth
from trailprint.workflows.views import build_views

LONG_S, FACTOR = 5.0, 2.0
#: How much slower this machine is, at everything and at each operation.
SLOWER = 40.0
OPERATIONS = {"match": 0.6, "margins": 1.5, "views": 1.7, "learning": 0.7, "trail": 2.0}
OPERATIONS |= {"events": 1.3, "microaggregate": 0.6, "select": 1.4, "curve": 0.8}
#: Loaded before their names are replaced, which they would keep otherwise.
FAMILIES = ("histogram", "combined", "trail")
find_attacks(FAMILIES)
N_PEOPLE, MOST_EVENTS = 40, 6_000
POPULATIONS: dict[str, Callable[[], pa.Table]] = {
    "campus": lambda: simulate_campus(CampusOptions(n_users=N_PEOPLE, n_days=14)),
    "gps": lambda: simulate_gps(GpsOptions(n_users=N_PEOPLE)),
    "web": lambda: simulate_web(WebOptions(n_users=N_PEOPLE)),
}


def make_events(kind: str) -> Events:
    """A population, thinned to what a test has time for."""
    table = POPULATIONS[kind]()
    step = max(table.num_rows // MOST_EVENTS, 1)
    return tp.read(table.take(pa.array(range(0, table.num_rows, step))))


@dataclass
class CountedClock:
    """Seconds that operations add."""

    seconds: float = 0.0
    seen: set[str] = field(default_factory=set)

    def read(self) -> float:
        return self.seconds

    def add(self, estimate: Any) -> None:
        for name, seconds in estimate.by_operation.items():
            self.seen.add(name)
            self.seconds += SLOWER * OPERATIONS[name] * seconds


def measure(released: Any, auxiliary: Any, n_events: int = 0) -> Sizes:
    """How much two matrices of people and places really are."""
    matrices = released, auxiliary
    n_columns = max(matrix.shape[1] for matrix in matrices)
    visitors = [np.bincount(matrix.indices, minlength=n_columns) for matrix in matrices]
    return Sizes(
        n_released=released.shape[0],
        n_auxiliary=auxiliary.shape[0],
        n_people=min(released.shape[0], auxiliary.shape[0]),
        n_locations=n_columns,
        n_events=n_events,
        n_visited=int(released.nnz),
        n_pairs=int(visitors[0].astype(np.float64) @ visitors[1]),
    )


def list_costs(counted: CountedClock) -> dict[Callable[..., Any], Callable[..., None]]:
    """What is added for each call of an operation."""

    def cost_matching(sizes: Sizes, options: Any, n_views: int = 1) -> None:
        if options is not None and options.margins:
            counted.add(formulas.margins_seconds(sizes))
        elif n_views == 1:
            counted.add(formulas.match_seconds(sizes))
        else:
            counted.add(formulas.views_seconds(sizes, n_views))

    def cost_histograms(released: Any, auxiliary: Any, options: Any = None, **_: Any) -> None:
        cost_matching(measure(released.matrix, auxiliary.matrix), options)

    def cost_views(
        released: Any, auxiliary: Any, weights: Any, options: Any = None, **_: Any
    ) -> None:
        sizes = measure(released.matrices[0], auxiliary.matrices[0])
        cost_matching(sizes, options, len(weights.shares))

    def cost_learning(released: Any, auxiliary: Any, options: Any, **_: Any) -> None:
        if isinstance(options.weights, str):
            n_events = released.count() + auxiliary.count()
            query = f'SELECT count(DISTINCT "user") FROM ({auxiliary.query})'
            n_people = int(auxiliary.engine.row(query)[0])
            sizes = replace(EMPTY, n_auxiliary=n_people, n_events=n_events)
            counted.add(formulas.learning_seconds(sizes))

    def cost_trails(released: Any, auxiliary: Any, *_: Any, **__: Any) -> None:
        counted.add(formulas.trail_seconds(replace(EMPTY, n_released=released.n_users)))

    def cost_events(released: Any, auxiliary: Any, *_: Any, **__: Any) -> None:
        n_events = released.count() + auxiliary.count()
        counted.add(formulas.events_seconds(replace(EMPTY, n_events=n_events)))

    def cost_curve(*_: Any, **__: Any) -> None:
        counted.add(CURVE)

    def cost_select(features: Any, *_: Any) -> None:
        counted.add(formulas.select_seconds(len(getattr(features, "matrices", (None,)))))

    def cost_groups(self: Any, histograms: Any, *_: Any, **__: Any) -> None:
        seconds = self.seconds(histograms.n_users, int(histograms.matrix.nnz))
        counted.add(Seconds({"microaggregate": seconds}))

    return {
        match_histograms: cost_histograms,
        match_views: cost_views,
        build_views: cost_learning,
        match_trails: cost_trails,
        build_histogram_pair: cost_events,
        Histograms.select: cost_select,
        Trails.select: cost_select,
        Views.select: cost_select,
        fit_growth: cost_curve,
        Microaggregate.change: cost_groups,
    }


EMPTY = Sizes(
    n_released=0,
    n_auxiliary=0,
    n_people=0,
    n_locations=0,
    n_events=0,
    n_visited=0,
    n_pairs=0,
)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> CountedClock:
    """A clock that counts, wherever an operation is called from."""
    made = CountedClock()
    monkeypatch.setattr(clock, "_read", made.read)
    monkeypatch.setattr(calibration, "_LEAST_S", 0.0)
    monkeypatch.setattr(calibration, "_FEWEST", 16)
    for operation, cost in list_costs(made).items():

        def count(*given: Any, _do: Any = operation, _cost: Any = cost, **named: Any) -> Any:
            _cost(*given, **named)
            return _do(*given, **named)

        for owner, name in find_uses(operation):
            monkeypatch.setattr(owner, name, count)
    return made


def find_uses(function: Callable[..., Any]) -> Iterator[tuple[Any, str]]:
    """Wherever a function goes by a name: modules, and the class of a method."""
    if "." in function.__qualname__:
        owner = function.__qualname__.partition(".")[0]
        yield getattr(sys.modules[function.__module__], owner), function.__name__
        return
    modules = [m for n, m in list(sys.modules.items()) if n.startswith("trailprint.")]
    for module in modules:
        for name, value in list(vars(module).items()):
            if value is function and isinstance(module, ModuleType):
                yield module, name


@pytest.mark.parametrize("kind", POPULATIONS)
def test_long_parts_take_what_they_should_within_a_factor_of_two(kind, counted):
    options = AuditOptions(attacks=FAMILIES, time_limit_s=None)
    sides = make_sides([make_events(kind)], None, options)
    context = AuditContext(sides, options, 1)
    parts = [part for part in make_plan(context).parts if not part.is_open_ended]
    pace = calibrate(context, parts)
    outcomes: dict[str, Outcome] = {}
    ratios: dict[str, float] = {}
    for planned in parts:
        part = planned.timed(outcomes)
        should, began = pace.seconds(part), counted.read()
        outcomes[part.name] = part.compute(outcomes, lambda share: None)
        took = counted.read() - began
        if not outcomes[part.name].is_refused:
            pace.learn(part.known(outcomes[part.name]), took)
        if took > LONG_S:
            ratios[part.name] = should / took
    assert len(ratios) >= 6, sorted(ratios)
    assert counted.seen >= {"match", "margins", "events"}
    missed = {
        name: round(ratio, 2) for name, ratio in ratios.items() if not 1 / FACTOR < ratio < FACTOR
    }
    assert not missed
