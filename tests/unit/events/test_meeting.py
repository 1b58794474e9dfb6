"""Datasets of two reads meet: in the process's own engine, or in two different ones."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import trailprint as tp
from trailprint.events.engine import default_engine
from trailprint.events.filters import most_visited_together
from trailprint.events.periods import periods_overlap
from trailprint.studies.options import SweepOptions
from trailprint.workflows.protect import trade_off

N_USERS = 12


def _table(first: int, n_users: int = N_USERS, week: int = 0) -> pa.Table:
    """Habits of ``n_users`` people, numbered from ``first`` on, in one week."""
    draw = np.random.default_rng(week)
    user = np.repeat(np.arange(first, first + n_users), 20)
    place = (user * 3 + draw.integers(0, 4, len(user))) % 29
    start = dt.datetime(2024, 5, 6) + dt.timedelta(days=7 * week)
    minutes = draw.integers(0, 7 * 24 * 60, len(user))
    return pa.table(
        {
            "user": [f"u{u}" for u in user],
            "location": [f"p{p}" for p in place],
            "start": pa.array([start + dt.timedelta(minutes=int(m)) for m in minutes]),
        }
    )


def _csv(table: pa.Table, folder: Path, name: str) -> Any:
    pacsv.write_csv(table, folder / f"{name}.csv")
    return folder / f"{name}.csv"


def _parquet(table: pa.Table, folder: Path, name: str) -> Any:
    pq.write_table(table, folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


def _relation(table: pa.Table, folder: Path, name: str) -> Any:
    return duckdb.connect().from_arrow(table)


FORMS: dict[str, Callable[[pa.Table, Path, str], Any]] = {
    "csv": _csv,
    "parquet": _parquet,
    "pandas": lambda table, folder, name: table.to_pandas(),
    "polars": lambda table, folder, name: pl.from_arrow(table),
    "arrow": lambda table, folder, name: table,
    "relation": _relation,
}


def _pair(form: str, folder: Path, engines: tuple[Any, Any]) -> tuple[tp.Events, tp.Events]:
    """Six people of twelve in common; weeks apart."""
    make = FORMS[form]
    sources = make(_table(0), folder, "a"), make(_table(6, week=1), folder, "b")
    first, second = (tp.read(s, engine=e) for s, e in zip(sources, engines, strict=True))
    return first, second


def _found(result: Any) -> dict[str, Any]:
    timed = ("seconds", "peak_memory_mb")
    return {key: value for key, value in result.to_dict().items() if key not in timed}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["default", "different"])
def test_two_reads_answer_like_one_engine(form: str, kind: str, tmp_path: Path) -> None:
    shared = tp.Engine(threads=1)
    expected = _found(tp.match(*_pair(form, tmp_path, (shared, shared))))
    other = tp.Engine(threads=1) if kind == "different" else None
    found = _found(tp.match(*_pair(form, tmp_path, (None, other))))
    assert found == expected
    assert found["common_users"] == 6
    assert found["periods_overlap"] is False


@pytest.mark.parametrize("is_default", [True, False])
def test_trails_and_correlation_of_two_reads(is_default: bool, tmp_path: Path) -> None:
    shared = tp.Engine(threads=1)
    engines = (None, None) if is_default else (tp.Engine(threads=1), tp.Engine(threads=1))
    expected = _pair("csv", tmp_path, (shared, shared))
    sides = _pair("csv", tmp_path, engines)
    assert _found(tp.trails(*sides)) == _found(tp.trails(*expected))
    options = tp.CorrelateOptions(model="markov")
    found = [_found(tp.correlate(*pair, options)) for pair in (sides, expected)]
    assert found[0] == found[1]


def test_an_audit_of_two_engines(tmp_path: Path) -> None:
    # There is time for the attack that is asked for, and for nothing else.
    options = tp.AuditOptions(attacks=("histogram",), time_limit_s=0.001)
    shared = tp.Engine(threads=1)
    expected = tp.audit(*_pair("pandas", tmp_path, (shared, shared)), options).to_dict()
    for engines in ((None, None), (tp.Engine(threads=1), tp.Engine(threads=1))):
        found = tp.audit(*_pair("pandas", tmp_path, engines), options).to_dict()
        assert found["headline"] == expected["headline"]
        assert found["attacks"][0]["accuracy"] == expected["attacks"][0]["accuracy"]


def test_filters_and_protections_of_two_engines(tmp_path: Path, rows_of) -> None:
    shared = tp.Engine(threads=1)
    expected = _pair("arrow", tmp_path, (shared, shared))
    sides = _pair("arrow", tmp_path, (tp.Engine(threads=1), tp.Engine(threads=1)))
    for ours, theirs in zip(
        most_visited_together(sides, 5), most_visited_together(expected, 5), strict=True
    ):
        assert rows_of(ours) == rows_of(theirs)
    sweep = SweepOptions(parameter="n", values=(5, 10))
    found = [trade_off(*pair, ["top-locations"], sweep).to_dict() for pair in (sides, expected)]
    assert found[0] == found[1]


def test_ids_of_128_bits_stay_apart_when_copied() -> None:
    huge = duckdb.connect().sql(
        "SELECT (170141183460469231731687303715884105720 + i)::HUGEINT AS user, "
        "'p' || i AS location FROM range(5) t(i)"
    )
    released, auxiliary = tp.read(huge), tp.read(huge, engine=tp.Engine(threads=1))
    assert tp.match(released, auxiliary).to_dict()["common_users"] == 5


def test_overlap_is_seen_across_reads() -> None:
    first, second = tp.read(_table(0)), tp.read(_table(0))
    apart = tp.read(_table(0, week=3).to_pandas())
    assert periods_overlap(first, second) is True
    assert periods_overlap(first, apart) is False


def test_names_are_never_used_twice() -> None:
    engines = [tp.Engine(threads=1) for _ in range(3)]
    names = [engine.new_name("events") for engine in engines for _ in range(5)]
    assert len(set(names)) == len(names)


def test_all_reads_share_the_default_engine() -> None:
    assert tp.read(_table(0)).engine is tp.read(_table(1)).engine is default_engine()


def test_threads_share_an_engine() -> None:
    """Each thread gets the answers to its own questions."""
    engine, wrong = default_engine(), []

    def ask(number: int) -> None:
        for turn in range(50):
            wanted = number * 1000 + turn
            wrong.extend([1] * (engine.row(f"SELECT {wanted}")[0] != wanted))
            wrong.extend([1] * (engine.arrow(f"SELECT {wanted} AS n")["n"][0].as_py() != wanted))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_reads_from_several_threads_at_once() -> None:
    counts: dict[int, int] = {}

    def work(number: int) -> None:
        frame = pd.DataFrame({"user": range(number + 1), "location": "p"})
        counts[number] = tp.inspect(tp.read(frame)).users

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == {number: number + 1 for number in range(6)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_its_own_engine() -> None:
    """DuckDB does not survive a fork: the child must not wait for threads it has not got."""
    parent = default_engine()
    table = _table(0)
    child = os.fork()
    if child == 0:
        is_fine = False
        with contextlib.suppress(BaseException):
            own = default_engine()
            is_fine = own is not parent and tp.inspect(tp.read(table)).users == N_USERS
            shutil.rmtree(own.scratch)
        os._exit(0 if is_fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert parent.row("SELECT 1") == (1,)
