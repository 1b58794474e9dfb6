"""What the page on Python says of every result holds for each of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.audit.planning.plan import Plan
from trailprint.audit.showing import Shown
from trailprint.display.plots import Plot
from trailprint.display.tables import ResultTable
from trailprint.errors import OptionError
from trailprint.events.results import Result
from trailprint.options import FoldOptions, SensitivityOptions, SweepOptions
from trailprint.reproduce import list_experiments, reproduce
from trailprint.simulate import simulate_calls
from trailprint.workflows import (
    correlate_folds,
    plan_match,
    plan_points,
    score,
    study_sensitivity,
    trade_off,
)

EXAMPLE = Path(__file__).parents[1] / "examples" / "result.json"
PERSON = "person-"
MARKOV = tp.CorrelateOptions(model="markov")
#: Bases of results, which are returned by no function.
BASES = {Shown.__name__}


@pytest.fixture(scope="module")
def sides():
    rows = [
        (f"{PERSON}{user}", f"place-{(user * 7 + day * day) % 9}", f"2024-03-{day + 1:02} 08:00")
        for user in range(12)
        for day in range(24)
    ]
    events = tp.read(pd.DataFrame(rows, columns=["user", "location", "start"]))
    return tp.split(events, tp.SplitOptions(at="median"))


@pytest.fixture(scope="module")
def plans() -> list[Plan]:
    return []


@pytest.fixture(scope="module")
def results(sides, plans) -> dict[str, Any]:
    pair = sides.released, sides.auxiliary
    asked = tp.AuditOptions(attacks=("histogram",), protections=("top-locations:n=5",))
    trails = tp.trails(*pair)
    return {
        "audit": tp.audit(*pair, asked, on_plan=plans.append),
        "compare": tp.compare(EXAMPLE, EXAMPLE),
        "correlate": tp.correlate(*pair, MARKOV),
        "correlate_folds": correlate_folds(pair[0], MARKOV, FoldOptions(n_folds=3)),
        "inspect": tp.inspect(pair[0]),
        "match": tp.match(*pair),
        "plan_match": plan_match(*pair),
        "plan_points": plan_points(pair[0]),
        "points": tp.points(pair[0]),
        "protect": tp.protect(pair[0], "top-locations:n=5"),
        "reproduce": reproduce("2005-figure-11")[0],
        "split": sides,
        "study_sensitivity": study_sensitivity(
            trails, SensitivityOptions(sensitivity="popularity")
        ),
        "trade_off": trade_off(
            *pair, "top-locations:n=3", SweepOptions(parameter="n", values=(3, 6))
        ),
        "trails": trails,
    }


NAMES = (
    *("audit", "compare", "correlate", "correlate_folds", "inspect", "match", "plan_match"),
    *("plan_points", "points", "protect", "reproduce", "split", "study_sensitivity"),
    *("trade_off", "trails"),
)


def list_kinds(kind: type[Result] = Result) -> set[str]:
    """Names of all classes of results in the package; those with slots are made twice."""
    own = {one for one in kind.__subclasses__() if one.__module__.startswith("trailprint.")}
    return {one.__name__ for one in own}.union(*map(list_kinds, own))


def test_every_class_of_results_is_tried(results):
    assert set(results) == set(NAMES)
    assert list_kinds() - BASES == {type(result).__name__ for result in results.values()}


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_had_by_name(results, name):
    result = results[name]
    for table in map(result.table, result.tables):
        assert isinstance(table, ResultTable)
        assert isinstance(table.to_arrow(), pa.Table)
        assert table.columns == tuple(table.to_pandas().columns)
        assert len(table.columns), table.name
    with pytest.raises(OptionError, match="A table must be one of"):
        result.table("no such table")


@pytest.mark.parametrize("name", NAMES)
def test_there_is_a_chart_or_a_reason_why_not(results, name):
    result = results[name]
    if result.plots:
        assert isinstance(result.plot(), Plot)
    else:
        with pytest.raises(OptionError, match="A plot must have something to draw, but"):
            result.plot()


@pytest.mark.parametrize("name", NAMES)
def test_pages_and_files_hold_nobody_unless_they_are_named(results, name, tmp_path):
    result = results[name]
    page = result.to_html()
    assert page.lower().startswith("<!doctype html>")
    assert PERSON not in page + result._repr_html_() + repr(result) + str(result.to_dict())
    written = result.save(tmp_path)
    assert written
    assert all(path.is_file() for path in written)
    for path in written:
        if name == "split":
            assert path.stat().st_mode & 0o077 == 0
        else:
            assert PERSON.encode() not in path.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_shown_in_a_few_words(results, name):
    assert len(repr(results[name])) < 300


def test_what_is_no_result_is_shown_in_a_few_words_too(results, sides, plans):
    links = results["match"].table("links")
    shown = [
        *(sides.released, links, score(links, links), plans[0], simulate_calls(100)),
        *(results["reproduce"].outcome, list_experiments()[0], results["match"].linkage),
    ]
    for one in shown:
        assert len(repr(one)) < 300, type(one)
    assert "<table" in plans[0]._repr_html_()
