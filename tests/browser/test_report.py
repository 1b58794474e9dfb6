"""The report as a reader meets it: opened in Chromium, wide and narrow, light, dark and printed."""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import pairwise

import pytest

from trailprint.audit.results.findings import Findings
from trailprint.report.audit_page import render_report

HOSTILE = (
    "<script>document.title='taken'</script>",
    "\"quoted\" & 'single' <img src=x onerror=\"document.title='taken'\">",
    "שלום עולם (12)",
    "a\u202egnirts desrever",
)
VISIBLE = "[...document.querySelectorAll('svg.chart')].filter(svg => svg.getClientRects().length)"
CONTRAST = """
selector => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const below = e => {
    const paper = ground(e);
    if (!(e instanceof SVGElement)) return paper;
    const box = e.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const cell = [...e.ownerSVGElement.querySelectorAll('path[fill-opacity]')].find(path => {
      const area = path.getBoundingClientRect();
      return area.left <= x && x <= area.right && area.top <= y && y <= area.bottom;
    });
    if (!cell) return paper;
    const style = getComputedStyle(cell);
    const [fill, share] = [parse(style.fill), parse(style.fillOpacity)[0]];
    return fill.slice(0, 3).map((c, i) => share * c + (1 - share) * paper[i]);
  };
  return [...document.querySelectorAll(selector)]
    .filter(e => e.getClientRects().length && e.textContent.trim())
    .map(e => {
      const style = getComputedStyle(e);
      const ink = e instanceof SVGElement ? style.fill : style.color;
      const pair = [light(parse(ink)), light(below(e))].sort((a, b) => b - a);
      return (pair[0] + 0.05) / (pair[1] + 0.05);
    });
}
"""


def shown(page, script: str):
    return page.evaluate(script)


def test_it_opens_without_complaint_and_asks_for_nothing(visit, report) -> None:
    page = visit(report)
    assert page.complaints == []
    assert [url for url in page.requested if not url.startswith("data:")] == [report.as_uri()]


def test_it_works_with_scripts_forbidden(visit, report) -> None:
    page = visit(report, java_script_enabled=False)
    assert page.locator("h1").is_visible()


def test_the_headline_equals_the_result(look, result) -> None:
    headline = result["headline"]
    page = look()
    counts = [int(n.replace(",", "")) for n in re.findall(r"[\d,]+", page.inner_text("h1"))]
    assert counts == [headline["linked"], headline["people"]]
    values = page.locator(".tile .value").all_inner_texts()
    expected = [
        headline["share"],
        headline["chance"],
        result["worst_case"]["share"],
        headline["protection"]["share"],
    ]
    assert [text.replace("\u00a0", " ") for text in values] == [
        f"{100 * x:.1f} %" for x in expected
    ]


def test_the_headline_is_on_the_first_screen(look) -> None:
    for width in (390, 1440):
        page = look(width=width)
        box = page.locator(".tile").last.bounding_box()
        assert box["y"] + box["height"] <= 900


@pytest.mark.parametrize("width", [390, 1440])
def test_every_chart_is_drawn(look, width) -> None:
    page = look(width=width)
    drawn = shown(
        page,
        f"""{VISIBLE}.map(svg => {{
            const box = svg.getBoundingClientRect();
            return {{width: box.width, height: box.height,
                     marks: svg.querySelectorAll('path, rect, line').length,
                     texts: svg.querySelectorAll('text').length}};
        }})""",
    )
    assert len(drawn) == len(page.locator("figure").all()) == 16
    for chart in drawn:
        assert chart["width"] > 250
        assert chart["height"] > 80
        assert chart["marks"] > 4
        assert chart["texts"] > 3


@pytest.mark.parametrize("width", [320, 390, 719, 768, 1024, 1440])
def test_nothing_is_wider_than_the_screen(look, width) -> None:
    page = look(width=width)
    assert shown(page, "document.scrollingElement.scrollWidth") <= width
    assert shown(page, "window.innerWidth") == width


@pytest.mark.parametrize("width", [390, 719, 768, 1440])
def test_letters_of_charts_can_be_read(look, width) -> None:
    sizes = shown(
        look(width=width),
        f"""{VISIBLE}.flatMap(svg => {{
            const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return [...svg.querySelectorAll('text')].map(
                text => parseFloat(getComputedStyle(text).fontSize) * scale);
        }})""",
    )
    assert min(sizes) >= 11


@pytest.mark.parametrize("width", [390, 1440])
def test_texts_of_charts_stay_inside_the_page(look, width) -> None:
    edges = shown(
        look(width=width),
        f"""{VISIBLE}.flatMap(svg => [...svg.querySelectorAll('text')]
            .map(text => text.getBoundingClientRect())
            .map(box => [box.left, box.right]))""",
    )
    assert min(left for left, _ in edges) >= 0
    assert max(right for _, right in edges) <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_labels_stand_out(look, scheme) -> None:
    page = look(scheme=scheme)
    ground = shown(page, "getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 29)"}[scheme]
    words = "p, dt, dd, li, th, td, h1, h2, h3, figcaption, summary, a, .value, .detail"
    assert min(page.evaluate(CONTRAST, words)) >= 4.5
    labels = page.evaluate(CONTRAST, "svg.chart text")
    assert len(labels) > 100
    assert min(labels) >= 4.5


def test_dark_charts_use_dark_colours(look) -> None:
    fill = "getComputedStyle(document.querySelector('svg.chart path.f-a')).fill"
    bright = shown(look(), fill)
    assert shown(look(scheme="dark"), fill) != bright


def test_headings_do_not_skip_levels_and_there_is_one_first(look) -> None:
    levels = shown(
        look(),
        "[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => Number(h.tagName[1]))",
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_chart_has_a_name_a_description_and_its_data(look) -> None:
    page = look()
    for figure in page.locator("figure").all():
        title = figure.locator("figcaption").inner_text()
        charts = figure.locator("svg[role=img]:visible")
        assert charts.count() == 1
        name = charts.get_attribute("aria-labelledby")
        assert page.locator(f"#{name}").text_content() == title
        described = charts.get_attribute("aria-describedby")
        assert len(page.locator(f"#{described}").text_content()) > 20
        assert figure.locator("details table tbody tr").count() > 0
        assert figure.locator(".reading").inner_text().startswith("How to read this.")
    others = page.locator("svg:not([role=img]):not([aria-hidden=true])")
    assert others.count() == 0


def test_the_keyboard_reaches_everything(visit, report) -> None:
    page = visit(report, width=390)
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    assert skip.evaluate("e => e === document.activeElement")
    assert skip.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.locator("main figure details").first.evaluate("e => e.open")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_it_prints_to_paper(visit, report) -> None:
    page = visit(report, color_scheme="dark")
    printed = page.pdf(prefer_css_page_size=True)
    assert printed.startswith(b"%PDF")
    n_pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert 8 <= n_pages <= 24
    page.emulate_media(media="print")
    ink = "getComputedStyle(document.body).color"
    assert shown(page, ink) == "rgb(26, 30, 36)", "paper is light, whatever the screen"
    assert not page.locator("summary").first.is_visible()
    hidden = [table for table in page.locator("details table").all() if not table.is_visible()]
    assert not hidden, "paper cannot be unfolded: the figures are printed"


def test_hostile_names_are_shown_as_text(visit, tmp_path, result) -> None:
    hostile = deepcopy(result)
    hostile["privacy"]["locations_named"] = True
    for location, name in zip(hostile["why"]["locations"], HOSTILE, strict=False):
        location["label"] = name
    hostile["protections"]["points"][1]["label"] = HOSTILE[0]
    hostile["growth"]["resolution"]["points"][0]["label"] = HOSTILE[1]
    hostile["settings"]["note"] = HOSTILE[0]
    path = tmp_path / "report.html"
    path.write_text(render_report(Findings.from_dict(hostile)), encoding="utf-8")
    page = visit(path)
    assert page.complaints == []
    assert page.requested == [path.as_uri()]
    assert page.title() != "taken"
    assert page.locator("script, img, iframe, object").count() == 0
    cells = page.locator("#locations tbody th bdi").all_text_contents()
    assert cells[:4] == [name.replace("\u202e", "\ufffd") for name in HOSTILE]
    drawn = page.locator("#locations svg.wide").text_content()
    assert "<script>document.title" in drawn
    assert "שלום" in drawn
    assert shown(page, "document.scrollingElement.scrollWidth") <= 1440


def test_long_names_do_not_burst_a_phone(visit, tmp_path, result) -> None:
    long = deepcopy(result)
    long["why"]["locations"][0]["label"] = "W" * 300
    long["protections"]["points"][1]["label"] = "x" * 300
    long["settings"]["file"] = "y" * 300
    path = tmp_path / "report.html"
    path.write_text(render_report(Findings.from_dict(long)), encoding="utf-8")
    page = visit(path, width=390)
    assert shown(page, "document.scrollingElement.scrollWidth") <= 390


def test_a_sparse_result_has_no_empty_chart(visit, tmp_path, result) -> None:
    sparse = deepcopy(result)
    for attack in sparse["attacks"][1:]:
        attack |= {"ran": False, "why_not": "There are no times.", "accuracy": None}
    sparse |= {"why": None, "per_user": None, "agreement": [], "controls": []}
    sparse["growth"] |= {"users": None, "resolution": None, "knowledge": None}
    sparse["protections"]["points"] = []
    path = tmp_path / "report.html"
    path.write_text(render_report(Findings.from_dict(sparse)), encoding="utf-8")
    page = visit(path, width=390)
    assert page.complaints == []
    marks = shown(page, f"{VISIBLE}.map(svg => svg.querySelectorAll('path, rect, line').length)")
    assert len(marks) == page.locator("figure").count() == 10
    assert min(marks) > 3
    assert page.locator("#growth").inner_text().count("no reason is recorded") == 3
