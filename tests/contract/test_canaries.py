"""No object of ours shows a user or a place: canaries go in, and must not come out."""

from __future__ import annotations

import dataclasses
import datetime as dt
import importlib
import pkgutil
import re
import traceback
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard, cast

import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.attacks.points.options import PointsOptions
from trailprint.display.discreet import Discreet
from trailprint.errors import TrailprintError
from trailprint.features.places import build_chain_pair
from trailprint.features.points import build_points, build_visit_order
from trailprint.features.sequences import build_sequence_pair, build_sequences
from trailprint.features.templates import build_template_pair
from trailprint.features.trails import build_trail_pair
from trailprint.protections.coarsen import CoarsenRegions
from trailprint.studies.options import FoldOptions, SweepOptions
from trailprint.workflows.folds import correlate_folds
from trailprint.workflows.protect import trade_off

#: Whatever looks like this stems from the data.
CANARY = re.compile(r"canary|91827364|47\.1234|8\.5432")
START = dt.datetime(2024, 5, 6, 8)
#: Both sides, with ids of text and of numbers.
Sides = dict[bool, tuple[tp.Events, tp.Events]]


def canaries(as_numbers: bool = False, shift: int = 0) -> list[tuple[object, ...]]:
    """Eight people at six places for six days, a day apart."""
    return [
        (
            9182736400 + i if as_numbers else f"canary-user-{i}",
            9182736450 + (i + d * d) % 6 if as_numbers else f"canary-place.{(i + d * d) % 6}",
            START + dt.timedelta(days=d + shift, hours=i % 3),
            START + dt.timedelta(days=d + shift, hours=i % 3, minutes=30),
        )
        for i in range(8)
        for d in range(6)
    ]


def positions(shift: int = 0) -> list[tuple[object, ...]]:
    return [
        (f"canary-user-{i}", 47.12345 + i / 50, 8.54321, START + dt.timedelta(days=shift, hours=h))
        for i in range(4)
        for h in range(48)
    ]


@pytest.fixture(scope="module")
def sides(make_events) -> Sides:
    names = ("user", "location", "start", "end")
    return {
        as_numbers: (
            make_events(canaries(as_numbers, 0), *names),
            make_events(canaries(as_numbers, 14), *names),
        )
        for as_numbers in (False, True)
    }


def run_everything(sides: Sides, make_events) -> Iterator[object]:
    """What every public function returns, and the features below them."""
    for pair in sides.values():
        yield from pair
        yield tp.inspect(pair[0])
        yield tp.match(*pair, tp.MatchOptions(margins=True))
        yield tp.match(*pair, tp.MatchOptions(method="one-by-one"))
        yield tp.trails(*pair)
        yield tp.points(pair[0], PointsOptions(points=(1, 2), draws=1))
        for model in ("markov", "histogram", "distance"):
            yield tp.correlate(*pair, tp.CorrelateOptions(model=model))
        yield tp.split(pair[0], tp.SplitOptions(at="median"))
        yield tp.workflows.apply_filters(pair[0], tp.FilterOptions(top_locations=3))
        yield tp.protect(pair[0], "microaggregate:k=3")
        yield tp.protect(pair[0], "coarsen-names then noise:epsilon=1")
        yield build_trail_pair(*pair)
        yield build_sequences(pair[0])
        yield build_points(pair[0], "place-time")
        yield build_visit_order(pair[0])
        yield build_template_pair(*build_sequence_pair(*pair))
    texts = sides[False]
    places = [f"canary-place.{k}" for k in range(6)]
    mapping = pa.table({"location": places, "region": [f"canary-region-{k % 2}" for k in range(6)]})
    yield tp.protect(texts[0], CoarsenRegions(mapping=mapping))
    yield trade_off(*texts, "microaggregate", SweepOptions(parameter="k", values=(2, 3)))
    yield correlate_folds(texts[0], tp.CorrelateOptions(model="markov"), FoldOptions(n_folds=2))
    moving = [make_events(positions(shift), "user", "lat", "lon", "start") for shift in (0, 7)]
    yield from moving
    yield build_chain_pair(*moving)
    yield texts[0].engine
    yield tp.audit(*texts, options=tp.AuditOptions(attacks=("histogram", "trail"), time_limit_s=20))


def walk(value: object, seen: set[int], path: str) -> Iterator[tuple[str, object]]:
    """Every object of ours that can be reached through fields, attributes and containers."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict):
        inside = [(f"{path}[{k!r}]", v) for k, v in value.items() if not CANARY.search(str(k))]
    elif isinstance(value, list | tuple) and not isinstance(value, str):
        inside = [(f"{path}[{n}]", v) for n, v in enumerate(value)]
        if hasattr(value, "_fields") and is_ours(value):
            yield path, value
    elif is_ours(value):
        yield path, value
        names = (
            [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
        )
        inside = [(f"{path}.{n}", getattr(value, n)) for n in names]
        inside += [(f"{path}.{n}", v) for n, v in getattr(value, "__dict__", {}).items()]
    else:
        return
    for where, one in inside:
        yield from walk(one, seen, where)


def is_ours(value: object) -> bool:
    return type(value).__module__.startswith("trailprint") and not isinstance(value, type)


def shown(value: object) -> str:
    """All the ways an object can be shown without asking for its data."""
    texts = [repr(value), str(value), f"{value}", repr([value])]
    html = getattr(value, "_repr_html_", None)
    return "\n".join([*texts, html() if html else ""])


def test_nothing_that_can_be_reached_shows_a_canary(sides, make_events):
    seen: set[int] = set()
    kinds: dict[str, str] = {}
    kept = []  # Ids of objects are those of living ones only.
    for result in run_everything(sides, make_events):
        kept.append(result)
        for path, value in walk(result, seen, type(result).__name__):
            text = shown(value)
            assert not CANARY.search(text), f"{path} shows data"
            kinds[type(value).__name__] = repr(value)
    wanted = {
        *("AuditResult", "CoarsenRegions", "CorrelateResult", "Engine", "Events", "FoldsResult"),
        *("Histograms", "Linkage", "MatchResult", "MobilityChains", "ProtectResult", "Protected"),
        *("Risk", "Sequences", "Split", "Summary", "TradeOffResult", "TrailResult", "Trails"),
        *("Truth", "Templates", "CandidateSets", "Sides", "Outcome"),
    }
    assert wanted <= kinds.keys()
    # The whole of an audit is the longest; a column of the data would be longer.
    assert max(len(text) for text in kinds.values()) < 40_000


@pytest.mark.parametrize("kind", ["MatchResult", "TrailResult", "CorrelateResult"])
def test_results_say_what_matters_in_a_line(sides: Sides, kind):
    pair, markov = sides[False], tp.CorrelateOptions(model="markov")
    workflows: dict[str, Callable[[], object]] = {
        "MatchResult": lambda: tp.match(*pair),
        "TrailResult": lambda: tp.trails(*pair),
        "CorrelateResult": lambda: tp.correlate(*pair, markov),
    }
    result = workflows[kind]()

    text = repr(result)

    assert text.startswith(f"{kind}(")
    assert len(text) < 200
    assert re.search(r"links=\d+, correct=\d+, accuracy=\d+\.\d %", text)


#: Whatever is typed like this may hold people's data.
HOLDS_DATA = re.compile(
    r"\b(pa\.|NDArray|Ints|Floats|Codes|sparse\.|Events|Histograms|Trails|Sequences|Linkage|Truth)"
)


def is_own_dataclass(value: object, module: str) -> TypeGuard[type]:
    is_class = isinstance(value, type) and dataclasses.is_dataclass(value)
    return is_class and value.__module__ == module


def test_every_class_that_holds_data_is_discreet():
    """Made up people and the papers' experiments have nothing to hide."""
    open_handed = []
    for module in pkgutil.walk_packages(tp.__path__, "trailprint."):
        if re.search(r"\.(simulate|papers|report|cli)\b|__main__", module.name):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if is_own_dataclass(value, module.name):
                kept = [f for f in dataclasses.fields(value) if "Callable" not in str(f.type)]
                if any(HOLDS_DATA.search(str(f.type)) for f in kept):
                    open_handed += [] if issubclass(value, Discreet) else [value.__qualname__]
    assert open_handed == []


def broken(sides: Sides) -> dict[str, Callable[[], object]]:
    """Calls that must fail, with canaries in what they are given."""
    first, second = sides[False]
    user, place = "canary-user-1", "canary-place.1"
    twice = pa.table({"released": [user, user], "auxiliary": ["canary-user-2", "canary-user-3"]})
    unknown = pa.table({"released": ["canary-x"], "auxiliary": ["canary-y"]})
    partly = pa.table({"location": [place], "region": ["canary-region"]})
    doubled = pa.table({"location": [place, place], "region": ["canary-a", "canary-b"]})
    return {
        "truth twice": lambda: tp.match(first, second, truth=twice),
        "truth unknown": lambda: tp.trails(first, second, truth=unknown),
        "mapping partly": lambda: tp.protect(first, CoarsenRegions(mapping=partly)),
        "mapping doubled": lambda: CoarsenRegions(mapping=doubled),
        "protections": lambda: tp.protect(first, cast(Any, [second])),
        "size": lambda: tp.match(first, second, tp.MatchOptions(size=99)),
        "no times": lambda: tp.split(
            tp.read(pa.table({"user": [user], "location": [place]})), tp.SplitOptions(at="median")
        ),
    }


@pytest.mark.parametrize(
    "name",
    [
        "truth twice",
        "truth unknown",
        "mapping partly",
        "mapping doubled",
        "protections",
        "size",
        "no times",
    ],
)
def test_no_error_shows_a_canary(sides, name):
    with pytest.raises(TrailprintError) as caught:
        broken(sides)[name]()
    reported = [str(caught.value), repr(caught.value)]
    # The lines of the calling code are shown too: only those of ours count.
    frames = traceback.TracebackException.from_exception(caught.value, capture_locals=False)
    reported += [f"{frame.line}" for frame in frames.stack if "trailprint" in frame.filename]
    chained = [caught.value.__cause__, caught.value.__context__]
    assert not CANARY.search("\n".join([*reported, *map(str, chained)]))
