"""Tables, charts, pages and files of every result; nobody's id unless a table is named."""

from __future__ import annotations

import json
import stat

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import trailprint as tp
from trailprint.display.plots import Plot, draw_bars
from trailprint.display.tables import ResultTable
from trailprint.errors import OptionError, OutputError
from trailprint.studies.options import SweepOptions
from trailprint.workflows.folds import correlate_folds
from trailprint.workflows.protect import trade_off
from trailprint.workflows.risk_plots import plot_risk

PERSON = "person-"
MIME = "application/vnd.vegalite.v5+json"
MARKOV = tp.CorrelateOptions(model="markov")


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
def results(sides):
    pair = sides.released, sides.auxiliary
    sweep = SweepOptions(parameter="n", values=(3, 6))
    audit = tp.AuditOptions(attacks=("histogram", "trail"), protections=("top-locations:n=5",))
    return {
        "match": tp.match(*pair, tp.MatchOptions(margins=True)),
        "trails": tp.trails(*pair),
        "correlate": tp.correlate(*pair, MARKOV),
        "folds": correlate_folds(sides.released, MARKOV),
        "protect": tp.protect(sides.released, "microaggregate:k=2"),
        "suppress": tp.protect(sides.released, "top-locations:n=5"),
        "sweep": trade_off(*pair, "top-locations:n=3", sweep),
        "audit": tp.audit(*pair, audit),
    }


NAMES = ("match", "trails", "correlate", "folds", "protect", "suppress", "sweep", "audit")


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_had_in_three_libraries(results, name):
    result = results[name]
    assert result.tables
    for table in map(result.table, result.tables):
        arrow = table.to_arrow()
        assert isinstance(arrow, pa.Table)
        pandas, polars = table.to_pandas(), table.to_polars()
        assert isinstance(pandas, pd.DataFrame)
        assert isinstance(polars, pl.DataFrame)
        assert len(table) == len(pandas) == len(polars)
        assert table.columns == tuple(pandas.columns) == tuple(polars.columns)


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_in_the_tables_that_say_so_only(results, name):
    for table in map(results[name].table, results[name].tables):
        text = json.dumps(table.to_arrow().to_pylist(), default=str)
        assert (PERSON in text) == table.is_private or not len(table), table.name
        assert PERSON not in repr(table) + table._repr_html_()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_holds_no_id(results, name):
    result = results[name]
    page = result.to_html()
    assert page.lower().startswith("<!doctype html>")
    for text in (repr(result), result._repr_html_(), page, json.dumps(result.to_dict())):
        assert PERSON not in text
    assert len(repr(result)) < 300


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_for_notebooks(results, name):
    for plot in map(results[name].plot, results[name].plots):
        bundle = plot._repr_mimebundle_()
        assert bundle[MIME]["$schema"].endswith("v5.json")
        assert bundle["image/svg+xml"].startswith("<svg")
        assert PERSON not in json.dumps(bundle)
    assert results[name].plot().to_dict() == results[name].plot(results[name].plots[0]).to_dict()


@pytest.mark.parametrize("name", NAMES)
def test_saving_writes_nobody_unless_asked(results, name, tmp_path):
    written = results[name].save(tmp_path / "out")
    assert {path.name for path in written} >= {"result.json"}
    assert all(PERSON not in path.read_text() for path in written)
    kept = {path for path in (tmp_path / "out").rglob("*") if path.is_file()} - set(written)
    # An audit keeps what its next run and comparisons need, for its owner, under keyed hashes.
    assert all((tmp_path / "out" / "work") in path.parents for path in kept)
    assert all(PERSON.encode() not in path.read_bytes() for path in kept)
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)


def test_saving_people_is_private(results, tmp_path):
    written = results["match"].save(tmp_path, private="links")
    links = next(path for path in written if path.name == "links.parquet")
    assert stat.S_IMODE(links.stat().st_mode) == 0o600
    assert pq.read_table(links).num_rows == results["match"].linkage.n_links
    audit = results["audit"].save(tmp_path / "audit", private=["links", "per_user"])
    assert {"links.parquet", "per_user.parquet", "report.html"} <= {path.name for path in audit}


def test_an_audit_shows_the_tiles_of_its_report(results):
    html = results["audit"]._repr_html_()
    assert "<iframe" in html
    assert "sandbox" in html
    assert html.count("&lt;svg") > 3
    assert "<script" not in html


def test_margins_distinguish_right_links(results):
    table = results["match"].table("margins").to_pandas()
    assert table["correct"].sum() == results["match"].risk.n_correct
    assert table["margin"].is_monotonic_decreasing


def test_an_unknown_table_or_chart_is_refused(results):
    with pytest.raises(OptionError, match="one of links, per_user, margins, curve, views, got 'x'"):
        results["match"].table("x")
    with pytest.raises(OptionError, match="must be one of risk, curve"):
        results["match"].plot("x")


@pytest.mark.parametrize("private", [None, 3, ["links", 3]])
@pytest.mark.parametrize("name", ["match", "audit"])
def test_what_names_no_private_table_is_refused(results, name, private, tmp_path):
    with pytest.raises(OptionError, match=r"^private must be text or a list of text, such as"):
        results[name].save(tmp_path / "out", private=private)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [["links"], 3, {}])
def test_a_name_that_is_no_text_is_refused(results, name):
    with pytest.raises(OptionError, match=rf"got {type(name).__name__} instead\.$"):
        results["match"].table(name)
    with pytest.raises(OptionError, match=rf"got {type(name).__name__} instead\.$"):
        results["match"].plot(name)


@pytest.mark.parametrize("precision", ["0.9", None, 90, 0, float("nan")])
def test_a_precision_is_a_share(results, precision):
    with pytest.raises(OptionError, match=r"^precision must be a"):
        results["match"].margin_for(precision)


@pytest.mark.parametrize("name", ["match", "audit"])
def test_nothing_is_saved_in_a_folder_without_a_name(results, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match="must not be empty"):
        results[name].save("")
    assert not any(tmp_path.iterdir())


def test_without_truth_there_is_no_chart():
    table = {"user": ["a", "b"], "location": ["x", "y"]}
    result = tp.match(pa.table(table), pa.table({**table, "user": ["c", "d"]}))
    with pytest.raises(OptionError, match="needs a truth"):
        result.plot()
    assert "<img" not in result._repr_html_()


def test_a_column_of_mixed_kinds_becomes_text():
    rows: list[dict[str, object]] = [{"linked": 3}, {"linked": "<10"}]
    assert ResultTable.from_rows("x", rows).to_arrow()["linked"].to_pylist() == ["3", "<10"]


def test_the_chart_of_a_risk_stands_next_to_chance(results):
    spec = plot_risk(results["match"].risk).to_dict()
    assert '"by chance"' in json.dumps(spec)


def test_a_curve_without_points_keeps_its_columns(sides):
    without = tp.match(sides.released, sides.auxiliary)
    assert without.table("curve").columns == ("margin", "coverage", "precision", "links")
    assert without.table("views").to_pandas()["weight"].tolist() == []
    tasks = tp.protect(sides.released, "microaggregate:k=2").table("tasks")
    assert len(tasks.columns) > 3


def test_a_plot_is_a_copy():
    plot = draw_bars([{"name": "a", "share": 0.5, "low": 0.4, "high": 0.6}], "name", "share")
    assert isinstance(plot, Plot)
    plot.to_dict()["layer"].clear()
    assert len(plot.to_dict()["layer"]) == 2
