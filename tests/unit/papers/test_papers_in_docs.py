"""The documentation gives every figure the standing and the quotation that the code gives it."""

from dataclasses import replace
from pathlib import Path

import pytest

from trailprint.events.engine import Engine
from trailprint.events.reading.read import read
from trailprint.papers.experiment import Context
from trailprint.papers.malin_2005 import EXPERIMENTS as MALIN
from trailprint.papers.malin_2005 import household_growth, popularity, shops
from trailprint.papers.tan_2011 import EXPERIMENTS as TAN
from trailprint.papers.unnikrishnan_naini_2013 import EXPERIMENTS as UNNIKRISHNAN
from trailprint.report.papers_page import write_paper
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.simulate.weekday_campus import WeekdayCampusOptions, simulate_weekday_campus

DOCS = Path(__file__).parents[3] / "docs" / "papers"
PAGES = sorted(path.name for path in DOCS.glob("*-*.md"))
STANDINGS = ("own data", "predicted", "tuned", "forced")


def rows_of(page: str) -> list[dict[str, str]]:
    """Every row of every table with a column named standing."""
    rows: list[dict[str, str]] = []
    columns: list[str] = []
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            columns = []
        elif "standing" in cells:
            columns = cells
        elif columns and not set(line) <= set("|-: "):
            rows.append(dict(zip(columns, cells, strict=True)))
    return rows


@pytest.mark.parametrize("page", PAGES)
def test_every_figure_has_a_standing_and_only_those_that_speak_a_difference(page) -> None:
    rows = rows_of(page)
    assert rows
    for row in rows:
        assert row["standing"] in STANDINGS
        if row["standing"] in ("tuned", "forced"):
            assert row.get("difference", "—") == "—"


def assert_documented(page: str, compared) -> None:
    documented = {(row["quantity"], row["paper"], row["standing"]) for row in rows_of(page)}
    declared = {
        (each.quantity, write_paper(each).replace("\u00a0", " "), each.standing)
        for each in compared
    }
    assert declared == documented


def test_2005_is_documented_as_declared(monkeypatch) -> None:
    monkeypatch.setattr(shops, "N_DRAWS", 2)
    monkeypatch.setattr(popularity, "N_RUNS", 3)
    monkeypatch.setattr(popularity, "N_STEPS", 20)
    monkeypatch.setattr(household_growth, "N_POPULATIONS", 2)
    context = Context(seed=3)
    assert_documented(
        "trails-2005.md",
        [each for experiment in MALIN for each in experiment.run(context).comparisons],
    )


def test_2013_is_documented_as_declared() -> None:
    context = Context(seed=1)
    table = simulate_weekday_campus(WeekdayCampusOptions(n_users=60, seed=1))
    context.share("2013 log", lambda: read(table, engine=Engine(threads=1)))
    assert_documented(
        "statistics-2013.md",
        [each for experiment in UNNIKRISHNAN for each in experiment.run(context).comparisons],
    )


def test_2011_is_documented_as_declared() -> None:
    context = Context(seed=1, n_threads=1)
    options = replace(CampusOptions.paper(seed=1), n_users=6, n_access_points=60)
    context.share("2011 log", lambda: read(simulate_campus(options), engine=Engine(threads=1)))
    assert_documented(
        "correlation-2011.md",
        [each for experiment in TAN for each in experiment.run(context).comparisons],
    )
