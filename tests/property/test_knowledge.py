"""Knowing a part of each person: laws that hold whatever the data, and naive twins."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.knowledge import draw_points, home_and_work

import trailprint as tp
from trailprint.events.engine import Engine
from trailprint.events.knowledge import Knowledge, restrict
from trailprint.events.person_draws import draw_order
from trailprint.events.split import Split
from trailprint.options import ViewOptions
from trailprint.simulate.campus import CampusOptions, simulate_campus

MONDAY = dt.datetime(2024, 5, 6)
ENGINE = Engine(threads=2)
COUNTED = ("top", "points", "days")

times = st.integers(0, 14 * 24 * 4).map(lambda n: MONDAY + dt.timedelta(minutes=15 * n))
rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("uvwxyz"), times, st.integers(0, 1500)),
    min_size=1,
    max_size=40,
)
seeds = st.integers(0, 5)


def open_visits(visits, names=("user", "location", "start", "end")) -> tp.Events:
    """Visits of (person, place, start, minutes), as events."""
    ended = [(*row[:3], row[2] + dt.timedelta(minutes=row[3])) for row in visits]
    columns = dict(zip(names, map(list, zip(*ended, strict=True)), strict=True))
    return tp.read(pa.table(columns), engine=ENGINE)


def open_counts(counts) -> tp.Events:
    columns = zip(("user", "location", "count"), map(list, zip(*counts, strict=True)), strict=True)
    return tp.read(pa.table(dict(columns)), engine=ENGINE)


def rows_of(events: tp.Events) -> Counter[Any]:
    names = ", ".join(f'"{name}"' for name in sorted(events.columns))
    return Counter(events.engine.rows(f"SELECT {names} FROM ({events.query})"))


def known(events: tp.Events, kind: Any, amount: int | None = None, seed: int = 0) -> Counter[Any]:
    """What is known; where nobody has that much, everything."""
    try:
        found = restrict(events, Knowledge(kind=kind, amount=amount, seed=seed))[0]
    except tp.TrailprintError:
        return rows_of(events)
    return rows_of(found)


@given(rows, st.integers(1, 6), seeds, st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_names_of_people_and_order_of_rows_change_nothing(visits, amount, seed, random) -> None:
    renamed = {"a": "z9", "b": "m", "c": "aa"}
    shuffled = [(renamed[who], *rest) for who, *rest in visits]
    random.shuffle(shuffled)
    for kind in (*COUNTED, "home-work"):
        how_many = amount if kind in COUNTED else None
        first = known(open_visits(visits), kind, how_many, seed)
        second = known(open_visits(shuffled), kind, how_many, seed)
        assert Counter({(*row[:-1], renamed[row[-1]]): n for row, n in first.items()}) == second


@given(rows, st.integers(1, 8), seeds)
@settings(max_examples=25, deadline=None)
def test_knowing_more_contains_knowing_less(visits, amount, seed) -> None:
    events = open_visits(visits)
    for kind in COUNTED:
        less, more = (known(events, kind, n, seed) for n in (amount, amount + 1))
        assert less <= more <= rows_of(events)


@given(rows, st.integers(1, 8), seeds)
@settings(max_examples=25, deadline=None)
def test_everybody_keeps_what_was_asked_for_or_all_of_theirs(visits, amount, seed) -> None:
    events = open_visits(visits)
    whole = rows_of(events)
    of_each: Counter[str] = Counter()
    for row, n in whole.items():
        of_each[row[-1]] += n
    found = known(events, "points", amount, seed)
    for person, n in of_each.items():
        n_known = sum(count for row, count in found.items() if row[-1] == person)
        assert n_known == min(amount, n) or found == whole
    for kind, column in (("top", 1), ("days", 2)):
        keys = {(row[-1], _key(row[column])) for row in whole}
        kept = known(events, kind, amount, seed)
        for person in of_each:
            own = {key for who, key in keys if who == person}
            left = {_key(row[column]) for row in kept if row[-1] == person}
            assert len(left) == min(amount, len(own)) or kept == whole
            assert all(kept[row] == n for row, n in whole.items() if _key(row[column]) in left
                       and row[-1] == person)  # fmt: skip


def _key(value):
    return value.date() if isinstance(value, dt.datetime) else value


@given(rows)
@settings(max_examples=40, deadline=None)
def test_home_and_work_are_where_the_hours_are_spent(visits) -> None:
    found = known(open_visits(visits), "home-work")
    for person in {row[0] for row in visits}:
        own = [
            (place, start, start + dt.timedelta(minutes=minutes))
            for who, place, start, minutes in visits
            if who == person
        ]
        home, work = home_and_work(own)
        places = {row[1] for row in found if row[-1] == person}
        assert home is None or home in places
        assert work is None or places == {home, work}
        assert len(places) == min(2, len({place for place, *_ in own}))


amounts = st.one_of(st.integers(0, 6), st.integers(10**6, 2**50), st.floats(0.25, 3.75))
counted = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("uvwxyz"), amounts.map(float)), min_size=1
)


@given(counted, st.integers(1, 6), seeds)
@settings(max_examples=40, deadline=None)
def test_points_of_counts_are_the_first_of_as_many_waiting_times(counts, amount, seed) -> None:
    totals: dict[str, dict[str, float]] = {}
    for who, place, n in sorted(counts, key=lambda row: row[2]):
        own = totals.setdefault(who, {})
        own[place] = own.get(place, 0.0) + n
    found = known(open_counts(counts), "points", amount, seed)
    assert found == rows_of(open_counts(counts)) or {
        who: _sum_by_place(who, found) for who in totals
    } == {who: _draw(own, amount, seed) for who, own in totals.items()}


def _sum_by_place(who: str, found: Counter[Any]) -> dict[str, float]:
    own: Counter[Any] = Counter()
    for (place, person, weight), n in found.items():
        if person == who and weight:
            own[place] += weight * n
    return dict(own)


def _draw(counts: dict[str, float], amount: int, seed: int) -> dict[str, float]:
    """What the naive twin draws, with the random numbers of DuckDB's hash."""

    def ask(sql: str, *values: object) -> int:
        return duckdb.execute(f"SELECT {sql}", values).fetchall()[0][0]

    person = ask(
        "hash(?::HUGEINT)", sum(ask("hash(?, ?::DOUBLE)", *pair) for pair in counts.items())
    )

    def draw(event: str, copy: int) -> float:
        order = draw_order("hash(?), ?::BIGINT", seed).replace("person", f"{person}::UBIGINT")
        return (ask(order, event, copy) + 1) / 2**64

    drawn: Counter[Any] = Counter()
    for _, place, weight in draw_points({k: n for k, n in counts.items() if n}, amount, draw):
        drawn[place] += weight
    return dict(drawn)


@pytest.mark.parametrize("spelt_out", [True, False])
def test_every_event_is_drawn_as_often_as_every_other(spelt_out) -> None:
    # Three of u, two of v, one of w: one point is u with probability 1/2, v with 1/3.
    counts = {"u": 3, "v": 2, "w": 1}
    if spelt_out:
        table = pa.table({"user": ["a"] * 6, "location": list("uuuvvw")})
    else:
        names = ("user", "location", "count")
        columns = (["a"] * 3, list(counts), list(counts.values()))
        table = pa.table(dict(zip(names, columns, strict=True)))
    events = tp.read(table, engine=ENGINE).materialise()
    n_draws = 200
    first: Counter[Any] = Counter()
    for seed in range(n_draws):
        (row,) = known(events, "points", 1, seed)
        first[row[0]] += 1
    for place, n in counts.items():
        expected = n / 6
        spread = (expected * (1 - expected) / n_draws) ** 0.5
        assert abs(first[place] / n_draws - expected) < 4 * spread


@given(rows)
@settings(max_examples=10, deadline=None)
def test_everything_is_the_very_same_data(visits) -> None:
    events = open_visits(visits)
    assert restrict(events, Knowledge())[0] is events


@pytest.fixture(scope="module")
def sides() -> Split:
    campus = tp.read(simulate_campus(CampusOptions(n_users=30, n_days=14)), engine=ENGINE)
    return tp.split(campus, tp.SplitOptions(at="median", active_both=True))


ATTACKS: dict[str, Callable[..., Any]] = {
    "match": tp.match,
    "views": lambda first, second, **options: tp.match(
        first, second, views=ViewOptions(), **options
    ),
    "trails": tp.trails,
    "correlate": lambda first, second, **options: tp.correlate(
        first, second, tp.CorrelateOptions(model="markov"), **options
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_knowing_every_place_is_knowing_everything(attack, sides) -> None:
    def attacked(**options):
        found = ATTACKS[attack](sides.released, sides.auxiliary, **options)
        plain = found.to_dict()
        for name in ("seconds", "peak_memory_mb", "knows"):
            plain.pop(name, None)
        return plain, found.links().to_pylist()

    whole = attacked()
    assert attacked(knows="everything") == whole
    assert attacked(knows="top:1000") == whole
    assert attacked(knows=Knowledge(kind="top", amount=1000, seed=3)) == whole


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("knows", ["home-work", "top:1", "points:4", "days:2"])
def test_every_attack_takes_every_kind_of_knowledge(attack, knows, sides) -> None:
    found = ATTACKS[attack](sides.released, sides.auxiliary, knows=knows).to_dict()
    reported = found["knows"]
    assert reported["kind"] == knows.partition(":")[0]
    whole = sides.auxiliary.count() / 30
    assert 1 <= reported["mean_points"] < whole
    assert found["accuracy"] is not None
