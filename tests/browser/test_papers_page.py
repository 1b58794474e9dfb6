"""The papers' page as a reader meets it: opened in Chromium, wide and narrow, light and dark."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import pytest

from trailprint.papers.comparison import PREDICTED, Comparison, compare_share
from trailprint.papers.experiment import Chart, Experiment, ExperimentOutcome, Reproduction
from trailprint.report.papers_page import render_papers_page

VISIBLE = "[...document.querySelectorAll('svg.chart')].filter(svg => svg.getClientRects().length)"
LONG = "largest relative increase of the rate without a shop (incomplete, people)"
Kind = Literal["line", "bar", "point"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def make_chart(kind: Kind) -> Chart:
    return Chart(
        kind=kind,
        x="n",
        y="share",
        series="method",
        low="low",
        high="high",
        paper="paper" if kind == "bar" else None,
        x_title="people released at once",
        y_title="identified, of those released",
        log_x=kind != "bar",
        y_is_share=True,
    )


def make_result(name: str, paper: str) -> Reproduction:
    rows = [
        {"method": m, "n": n, "share": s, "low": s - 0.05, "high": s + 0.05, "paper": 0.5}
        for m in ("one at a time", "all at once")
        for n, s in ((1, 0.2), (10, 0.4), (10_000, 0.9))
    ]
    outcome = ExperimentOutcome(
        rows=rows,
        comparisons=(
            compare_share(LONG, 52.9, 0.61, PREDICTED),
            Comparison(
                quantity="sites visited", paper=102.0, ours=99.4, basis=PREDICTED, unit="sites"
            ),
        ),
        reading="Everybody at once finds more than one at a time.",
        charts=[make_chart(kind) for kind in KINDS],
        notes=("Rates are of the population that remains.",),
    )
    experiment = Experiment(
        name=name, paper=paper, title="What was found", run=lambda context: outcome
    )
    return Reproduction(
        experiment=experiment,
        outcome=outcome,
        population="simulated",
        full=False,
        seed=0,
        seconds=71.0,
    )


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    own = replace(make_result("2099-table-1", "Somebody 2099"), population="your data")
    results = [make_result("2098-figure-3", "Nobody 2098"), own]
    path = tmp_path_factory.mktemp("papers") / "papers.html"
    path.write_text(render_papers_page(results), encoding="utf-8")
    return path


def test_it_opens_without_complaint_script_or_network(visit, page_file) -> None:
    page = visit(page_file)
    assert page.complaints == []
    assert [url for url in page.requested if not url.startswith("data:")] == [page_file.as_uri()]
    assert page.evaluate("document.scripts.length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_every_chart_is_drawn_and_nothing_overflows(visit, page_file, width, scheme) -> None:
    page = visit(page_file, width=width, color_scheme=scheme)
    drawn = page.evaluate(
        f"""{VISIBLE}.map(svg => {{
            const box = svg.getBoundingClientRect();
            return {{right: box.right, height: box.height,
                     marks: svg.querySelectorAll('path, rect, line, circle').length,
                     texts: [...svg.querySelectorAll('text')].map(
                         text => text.getBoundingClientRect())
                         .filter(box => box.left < 0 || box.right > {width}).length}};
        }})"""
    )
    assert len(drawn) == 2 * len(KINDS)
    for chart in drawn:
        assert chart["right"] <= width
        assert chart["height"] > 80
        assert chart["marks"] > 6
        assert chart["texts"] == 0
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert page.complaints == []


def test_paper_ours_and_difference_fit_a_phone(visit, page_file) -> None:
    page = visit(page_file, width=390)
    table = page.locator("table", has_text="Difference").first
    assert table.bounding_box()["width"] <= 390 - 2 * 16
    assert table.evaluate("t => t.parentElement.scrollWidth <= t.parentElement.clientWidth")


def test_simulated_people_are_named_in_text_and_in_each_of_their_figures(visit, page_file) -> None:
    page = visit(page_file)
    titles = page.locator("figure").all_inner_texts()
    assert ["simulated people" in title for title in titles] == [True] * 3 + [False] * 3
    assert "On simulated people." in page.inner_text("main")


def test_the_numbers_stand_beside_each_other(visit, page_file) -> None:
    page = visit(page_file)
    cells = page.locator("tr", has_text=LONG).first.locator("th, td").all_inner_texts()
    assert [cell.replace("\u00a0", " ") for cell in cells] == [
        f"{LONG} · predicted",
        "52.9 %",
        "61.0 %",
        "+8.1 points",
    ]
    assert "1 min 11 s" in page.inner_text("main").replace("\u00a0", " ")
