"""
The app as a steward meets it: from a messy file to a protected one and a comparison.

With TRAILPRINT_PICTURES naming a folder, the pages are kept there: those of the documentation.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.app_server import Running, start_app, stop_app, write_messy
from tests.browser.test_report import CONTRAST

from trailprint.cli.compile_ahead import compile_first

EXAMPLE = Path(__file__).parents[1] / "examples" / "result.json"
PATIENCE_MS = 120_000
LABELS = """
() => [...document.querySelectorAll('input:not([type=hidden]), select, textarea, button, a')]
  .filter(e => e.getClientRects().length)
  .filter(e => !((e.labels && e.labels.length) || e.getAttribute('aria-label') ||
                 e.textContent.trim()))
  .map(e => e.outerHTML)
"""
FOCUSED = """
() => {
  const e = document.activeElement;
  return [e.id, e.getAttribute('aria-label'), e.textContent.trim()];
}
"""
OUTLINE = "getComputedStyle(document.activeElement).outlineStyle"
LEVELS = "() => [...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
TEXTS = "p, dt, dd, li, th, td, h1, h2, label, legend, summary, a, button, .value, .hint, .error"


@pytest.fixture(scope="module")
def app(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server on a folder with a messy file and a finished audit."""
    folder = tmp_path_factory.mktemp("app") / "transit"
    folder.mkdir()
    write_messy(folder / "taps.csv")
    before = folder / "audit-2023"
    before.mkdir()
    shutil.copy(EXAMPLE, before / "result.json")
    manifest = {"written": "2023-11-02", "inputs": [{"name": "taps-2023.csv"}]}
    (before / "manifest.json").write_text(json.dumps(manifest))
    compile_first()  # After a change of the kernels; no page waits for that here.
    running = start_app(folder)
    yield running
    stop_app(running)


@pytest.fixture(scope="module")
def page(browser: Any, app: Running) -> Iterator[Any]:
    """One page for the whole road; what the browser complains about fails it."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.complaints, page.foreign = [], []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.foreign.append(request.url))
    page.goto(app.address)
    yield page
    context.close()


def wait(page: Any) -> None:
    """Until nothing is being done any more."""
    page.wait_for_selector("[data-watch]", state="detached")


def keep(page: Any, name: str) -> None:
    """A picture for the documentation, where one is wanted."""
    folder = os.environ.get("TRAILPRINT_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png")


def check_page(page: Any) -> None:
    """What every page owes to its readers: labels, contrast, headings, no sideways scrolling."""
    page.wait_for_load_state()
    assert page.evaluate(LABELS) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert min(page.evaluate(CONTRAST, TEXTS)) >= 4.5, scheme
    page.emulate_media(color_scheme="light")
    levels = page.evaluate(LEVELS)
    assert levels.count(1) == 1
    assert levels[0] == 1
    for width in (320, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1200, "height": 900})


def choose_quick_questions(page: Any) -> None:
    for name in page.locator("[name=attacks]").evaluate_all("all => all.map(e => e.value)"):
        page.set_checked(f"#field-attacks-{name}", name == "histogram")
    page.fill("#field-protect", "top-locations:n=4")
    page.fill("#field-time-limit", "5s")


def test_1_the_first_page_lists_data_and_audits(page, app) -> None:
    assert page.url == app.home
    assert page.get_by_role("button", name="Audit taps.csv").is_visible()
    assert page.get_by_role("link", name="audit-2023").is_visible()
    check_page(page)
    keep(page, "app-home")


def test_2_a_messy_file_is_explained_step_by_step(page) -> None:
    page.get_by_role("button", name="Audit taps.csv").click()
    wait(page)
    assert page.locator("#problem").is_visible()
    page.fill("#field-user-column", "Card No")
    page.fill("#field-location-column", "Stop")
    page.fill("#field-start-column", "Tap time")
    page.get_by_role("button", name="Look again").click()
    wait(page)
    assert "--time-format" in page.inner_text("#field-time-format-error")
    check_page(page)
    page.fill("#field-time-format", "%d.%m.%Y %H:%M")
    page.check("#field-allow-bad-rows")
    page.get_by_role("button", name="Look again").click()
    wait(page)
    names, values = (page.locator(f".tile {one}").all_inner_texts() for one in ("dt", ".value"))
    tiles = dict(zip(names, values, strict=True))
    assert tiles["People"] == "24"
    assert tiles["Locations"] == "12"
    assert "unreadable time" in page.inner_text("main")
    assert "Stop 3" not in page.content()
    check_page(page)
    keep(page, "app-data")


def test_3_the_questions_are_checked_and_the_plan_is_shown(page) -> None:
    page.get_by_role("button", name="Go on to the questions").click()
    page.fill("#field-target-risk", "5")
    page.get_by_role("button", name="Make the plan").click()
    assert page.inner_text("#field-target-risk-error").startswith("--target-risk must be a share")
    page.wait_for_selector("#field-target-risk:focus")
    check_page(page)
    page.fill("#field-target-risk", "")
    keep(page, "app-questions")
    choose_quick_questions(page)
    page.get_by_role("button", name="Make the plan").click()
    wait(page)
    assert "--time-format '%d.%m.%Y %H:%M'" in page.inner_text(".command code")
    assert "Histogram matching" in page.inner_text("main")
    check_page(page)
    keep(page, "app-plan")


def test_4_an_audit_runs_while_nobody_looks_and_can_be_read(page, app) -> None:
    page.get_by_role("button", name="Start the audit").dblclick()
    page.wait_for_url("**/audit?at=audit-taps")
    page.goto(app.home)
    page.get_by_role("link", name="audit-taps", exact=True).click()
    page.wait_for_selector("[data-part]")
    keep(page, "app-watch")
    page.wait_for_selector("text=Read the report")
    check_page(page)
    keep(page, "app-audit")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Read the report").click()
    report = opened.value
    report.wait_for_selector("h1")
    assert report.locator("svg.chart").count() > 5
    report.close()
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="settings.toml").click()
    assert "Card No" in Path(downloaded.value.path()).read_text(encoding="utf-8")


def test_5_a_protection_is_measured_chosen_and_written(page, app) -> None:
    page.get_by_role("link", name="Try protections").click()
    page.fill("#values-top-locations-n", "3,6")
    page.get_by_role("button", name="Measure top-locations").click()
    page.wait_for_selector("label:has-text('Only the 3 most visited')")
    wait(page)
    check_page(page)
    keep(page, "app-protect")
    page.get_by_label("Only the 6 most visited locations").check()
    page.get_by_role("button", name="Write the release").click()
    wait(page)
    assert sorted(os.listdir(app.folder / "release-taps")) == ["events.parquet", "release.json"]
    assert (app.folder / "keys-taps.csv").stat().st_mode & 0o077 == 0


def test_6_the_release_is_audited_and_compared(page, app) -> None:
    page.get_by_role("button", name="Audit this release").click()
    wait(page)
    page.get_by_role("button", name="Go on to the questions").click()
    choose_quick_questions(page)
    page.get_by_role("button", name="Make the plan").click()
    wait(page)
    page.get_by_role("button", name="Start the audit").click()
    page.wait_for_selector("text=Read the report")
    page.goto(app.home)
    page.get_by_label("Compare audit-taps").check()
    page.get_by_label("Compare audit-release-taps").check()
    page.get_by_role("button", name="Compare those ticked").click()
    page.get_by_label("audit-taps").check()
    page.fill("#keys", "keys-taps.csv")
    check_page(page)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_selector("text=Read the comparison")
    said = page.inner_text(".lead")
    assert said.index("audit-release-taps") < said.index("in audit-taps")
    check_page(page)
    keep(page, "app-comparison")


def test_7_nothing_was_complained_about_and_nothing_fetched_from_elsewhere(page, app) -> None:
    assert page.complaints == []
    assert {url for url in page.foreign if not url.startswith((app.home, "data:"))} == set()


def test_the_keyboard_alone_reaches_a_plan(browser, app) -> None:
    context = browser.new_context(viewport={"width": 900, "height": 700})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(app.address)

    def tab_to(name: str) -> None:
        for _ in range(120):
            page.keyboard.press("Tab")
            if name in page.evaluate(FOCUSED):
                assert page.evaluate(OUTLINE) == "solid"
                return
        raise AssertionError(name)

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    tab_to("Audit taps.csv")
    page.keyboard.press("Enter")
    wait(page)
    for name, text in (
        ("field-user-column", "Card No"),
        ("field-location-column", "Stop"),
        ("field-start-column", "Tap time"),
        ("field-time-format", "%d.%m.%Y %H:%M"),
    ):
        page.focus("#content")
        tab_to(name)
        page.keyboard.type(text)
        page.keyboard.press("Escape")
    tab_to("field-allow-bad-rows")
    page.keyboard.press("Space")
    tab_to("Go on to the questions")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Which questions")
    tab_to("Make the plan")
    page.keyboard.press("Enter")
    page.wait_for_url("**/plan")
    context.close()


def test_it_works_without_script(browser, app) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(app.address)
    page.get_by_label("Find by name").fill("taps")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("button", name="Audit taps.csv").click()
    assert page.locator("noscript").count() or page.locator("#problem").count()
    page.get_by_label("User column").fill("Card No")
    page.get_by_role("button", name="Go on to the questions").click()
    assert page.locator("h1").inner_text().startswith("Which questions")
    context.close()


def test_another_browser_without_the_token_sees_nothing(browser, app) -> None:
    context = browser.new_context()
    page = context.new_page()
    answer = page.goto(app.home)
    assert answer.status == 403
    assert "taps" not in page.content()
    context.close()
