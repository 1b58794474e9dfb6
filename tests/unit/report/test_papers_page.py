"""Experiments on a page: their numbers, their label, and nothing from elsewhere."""

import csv
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from trailprint.errors import OutputError
from trailprint.papers.comparison import PREDICTED, Comparison, compare_share, tuned
from trailprint.papers.experiment import Chart, Experiment, ExperimentOutcome, Reproduction
from trailprint.report.papers_files import (
    ResultFolder,
    open_folder,
    write_experiment,
    write_page,
)
from trailprint.report.papers_page import render_papers_page


def make(population="simulated", charts=(), rows=None, title="A thing") -> Reproduction:
    rows = rows or [
        {"place": "<b>here</b>", "method": m, "n": n, "share": n / 10, "low": 0.0, "high": 1.0}
        for m in ("x", "y")
        for n in (1, 2, 5)
    ]
    outcome = ExperimentOutcome(
        rows=rows,
        comparisons=(
            compare_share("found", 52.9, 0.61, PREDICTED),
            compare_share("fitted", 30.0, 0.31, tuned("Somebody turned a knob.")),
            Comparison(quantity="unprinted", paper=None, ours=3.0, basis=PREDICTED, unit="sites"),
        ),
        reading="One sees it.",
        charts=charts,
        notes=("A note.",),
    )
    experiment = Experiment(
        name="2099-figure-7", paper="Nobody 2099", title=title, run=lambda context: outcome
    )
    return Reproduction(
        experiment=experiment,
        outcome=outcome,
        population=population,
        full=False,
        seed=3,
        seconds=1.5,
    )


def chart(kind, **more) -> Chart:
    fields = {"x": "n", "y": "share", "x_title": "number", "y_title": "share found"} | more
    return Chart(kind=kind, **fields)


def test_the_papers_number_stands_beside_ours() -> None:
    page = render_papers_page([make()])
    for text in (
        "52.9\u00a0%",
        "61.0\u00a0%",
        "+8.1\u00a0points",
        "3\u00a0sites",
        "One sees it.",
    ):
        assert text in page
    assert "Figure 7: A thing" in page
    assert "A note." in page


def test_only_predicted_figures_and_own_data_have_a_difference_on_the_page() -> None:
    page = render_papers_page([make()])
    speaking, silent = re.findall(r"<table.*?</table>", page, re.DOTALL)[:2]
    assert "found" in speaking
    assert "fitted" not in speaking
    assert "predicted" in speaking
    assert "fitted" in silent
    assert "Difference" not in silent
    assert "tuned: Somebody turned a knob." in page
    assert "2 of 3" in page
    assert "method is the paper's" not in page


def test_an_experiment_the_data_do_not_suit_is_on_the_page_and_has_no_files(tmp_path) -> None:
    outcome = ExperimentOutcome(rows=(), comparisons=(), reading="Not run: Too few days.")
    refused = replace(
        make(population="your data"), outcome=outcome, refused="Too few days.", seconds=0.0
    )
    folder = ResultFolder(tmp_path)
    folder.add(make())
    folder.add(replace(refused, experiment=replace(refused.experiment, name="2099-figure-8")))
    assert "Not run: Too few days." in (tmp_path / "papers.html").read_text()
    kept = json.loads((tmp_path / "papers.json").read_text())["experiments"]
    assert [each["refused"] for each in kept] == [None, "Too few days."]
    assert not list(tmp_path.glob("2099-figure-8*"))


@pytest.mark.parametrize("kind", ["line", "bar", "point"])
def test_every_kind_of_chart_is_drawn_and_labelled(kind) -> None:
    drawn = chart(kind, series="method", low="low", high="high", y_is_share=True)
    page = render_papers_page([make(charts=(drawn,))])
    assert page.count("<svg") >= 1
    figures = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    assert figures
    assert all("simulated people" in figure for figure in figures)


def test_own_data_is_not_called_simulated() -> None:
    page = render_papers_page([make(population="your data")])
    assert "simulated people" not in page
    assert "your data" in page


def test_text_is_escaped_and_nothing_is_loaded() -> None:
    drawn = chart("bar", x="place", series="method", paper="high")
    page = render_papers_page([make(charts=(drawn,), title="<script>alert(1)</script>")])
    assert "<script" not in page
    assert "<b>here" not in page
    loaded = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?!#|data:)([^"')\s>]+)""", page)
    assert loaded == []


def test_logarithmic_axes_leave_zero_out() -> None:
    rows = [{"n": n, "share": n / 10} for n in (0, 1, 10)]
    page = render_papers_page([make(rows=rows, charts=(chart("line", log_x=True, log_y=True),))])
    assert "NaN" not in page


def test_only_the_rows_asked_for_are_drawn_and_long_tables_are_cut() -> None:
    rows = [{"n": n, "share": 0.5, "method": "x" if n < 90 else "y"} for n in range(100)]
    page = render_papers_page([make(rows=rows, charts=(chart("line", where={"method": "x"}),))])
    assert "the first 60 of 90 rows" in page


def test_files_hold_everything(tmp_path) -> None:
    folder = open_folder(tmp_path / "a" / "b")
    result = make(charts=(chart("bar", x="place", series="method"),))
    write_experiment(folder, result)
    write_page(folder, [result])
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "2099-figure-7.csv",
        "2099-figure-7-compared.csv",
        "2099-figure-7-1.svg",
        "papers.html",
        "papers.json",
    }
    rows = list(csv.DictReader(io.StringIO((folder / "2099-figure-7.csv").read_text())))
    assert len(rows) == 6
    assert {row["population"] for row in rows} == {"simulated"}
    kept = json.loads((folder / "papers.json").read_text())["experiments"]
    assert kept[0]["comparisons"][0]["difference"] == pytest.approx(8.1)
    assert [each["standing"] for each in kept[0]["comparisons"]] == [
        "predicted",
        "tuned",
        "predicted",
    ]
    assert kept[0]["comparisons"][1]["because"] == "Somebody turned a knob."


def test_a_chart_stands_alone_with_title_and_key(tmp_path) -> None:
    drawn = chart("line", series="method", title="A & B")
    write_experiment(tmp_path, make(charts=(drawn,)))
    picture = ElementTree.parse(tmp_path / "2099-figure-7-1.svg").getroot()
    texts = [element.text for element in picture.iter() if element.text]
    assert "A & B (simulated people)" in texts
    assert {"x", "y"} <= set(texts)


def test_a_file_is_no_folder(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="out must"):
        open_folder(tmp_path / "file")


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (324.0, "sites", "324\u00a0sites"),
        (99.4, "people", "99.4\u00a0people"),
        (2.88, "of 3", "2.88\u00a0of 3"),
        (50.0, "%", "50.0\u00a0%"),
        (1.0, "", "1.00"),
    ],
)
def test_counts_are_whole_and_measures_have_digits(value, unit, shown) -> None:
    result = make()
    compared = (Comparison(quantity="q", paper=None, ours=value, basis=PREDICTED, unit=unit),)
    result = replace(result, outcome=replace(result.outcome, comparisons=compared))
    assert f">{shown}<" in render_papers_page([result])


def test_a_stopped_run_leaves_a_page_of_what_was_finished(tmp_path) -> None:
    ResultFolder(tmp_path).add(make())
    kept = json.loads((tmp_path / "papers.json").read_text())
    assert [each["name"] for each in kept["experiments"]] == ["2099-figure-7"]
    assert "Figure 7: A thing" in (tmp_path / "papers.html").read_text()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_run_stopped_at_once_leaves_the_last_page_alone(tmp_path) -> None:
    (tmp_path / "papers.html").write_text("before")
    ResultFolder(tmp_path)
    assert (tmp_path / "papers.html").read_text() == "before"


def test_a_folder_must_have_a_name() -> None:
    with pytest.raises(OutputError, match="got nothing"):
        open_folder("")
