"""
The app as a steward meets it: from a messy file to a protected one and a comparison.

The whole road is gone by keyboard alone, and every page is looked at on the way. With
TRAILPRINT_PICTURES naming a folder, the pages are kept there: those of the documentation.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.app_server import Running, start_app, stop_app, write_messy
from tests.browser.keyboard import Keyboard
from tests.browser.page_checks import check_page, note_complaints

from trailprint.cli.compile_ahead import compile_first

EXAMPLE = Path(__file__).parents[1] / "examples" / "result.json"
PATIENCE_MS = 120_000
FORMAT = "%d.%m.%Y %H:%M"


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
    page.foreign = []
    note_complaints(page)
    page.on("request", lambda request: page.foreign.append(request.url))
    page.goto(app.address)
    yield page
    context.close()


@pytest.fixture(scope="module")
def keys(page: Any) -> Keyboard:
    return Keyboard(page)


def wait(page: Any) -> None:
    """Until nothing is being done any more."""
    page.wait_for_selector("[data-watch]", state="detached")


def keep(page: Any, name: str, *, height: int = 900) -> None:
    """A picture for the documentation, where one is wanted."""
    folder = os.environ.get("TRAILPRINT_PICTURES")
    if folder:
        before = page.viewport_size
        page.set_viewport_size({"width": 1200, "height": height})
        page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
        page.screenshot(path=Path(folder) / f"{name}.png")
        page.set_viewport_size(before)


def read_tiles(page: Any) -> dict[str, str]:
    names, values = (page.locator(f".tile {one}").all_inner_texts() for one in ("dt", ".value"))
    return dict(zip(names, values, strict=True))


def ask_quickly(page: Any, keys: Keyboard, limit: str) -> None:
    """One attack, one protection, and what fits a few seconds."""
    for name in page.locator("[name=attacks]").evaluate_all("all => all.map(e => e.value)"):
        if name != "histogram":
            keys.press(f"field-attacks-{name}", "Space")
    keys.write("field-protect", "top-locations:n=4")
    keys.write("field-time-limit", limit)
    keys.press("Make the plan")
    page.wait_for_url("**/plan")
    wait(page)


def test_1_the_first_page_lists_data_and_audits(page, app, keys) -> None:
    assert page.url == app.home
    assert page.get_by_role("link", name="audit-2023").is_visible()
    check_page(page)
    keep(page, "app-home")
    keys.skip()
    keys.press("Audit taps.csv")
    page.wait_for_url("**/drafts/*")


def test_2_a_messy_file_is_explained_step_by_step(page, keys) -> None:
    wait(page)
    assert keys.names[0] == "problem"
    for field, text in (("user", "Card No"), ("location", "Stop"), ("start", "Tap time")):
        keys.write(f"field-{field}-column", text)
    keys.press("Look again")
    wait(page)
    assert "--time-format" in page.inner_text("#field-time-format-error")
    assert keys.names[0] == "problem"
    check_page(page)
    keep(page, "app-problem")
    keys.press(f"Read times as {FORMAT}")
    wait(page)
    keys.press("Go on without these rows")
    wait(page)
    tiles = read_tiles(page)
    assert (tiles["People"], tiles["Locations"]) == ("24", "12")
    assert "unreadable time" in page.inner_text("main")
    assert "Stop 3" not in page.content()
    check_page(page)
    keep(page, "app-data")


def test_3_the_questions_are_checked_and_the_plan_is_shown(page, keys) -> None:
    keys.skip()
    keys.press("Go on to the questions")
    page.wait_for_url("**/questions")
    keep(page, "app-questions")
    keys.write("field-target-risk", "5")
    keys.press("Make the plan")
    page.wait_for_selector("#problem:focus")
    assert page.inner_text("#field-target-risk-error").startswith("--target-risk must be a share")
    check_page(page)
    keys.press("Go to the field")
    page.wait_for_selector("#field-target-risk:focus")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    ask_quickly(page, keys, "5s")
    assert f"--time-format '{FORMAT}'" in page.inner_text(".command code")
    assert "Histogram matching" in page.inner_text("main")
    check_page(page)
    keep(page, "app-plan")


def test_4_an_audit_runs_while_nobody_looks_and_can_be_read(page, app, keys) -> None:
    keys.skip()
    keys.press("Start the audit")
    page.wait_for_url("**/audit?at=audit-taps")
    page.goto(app.home)
    keys.press("audit-taps")
    page.wait_for_selector("[data-part]")
    keep(page, "app-watch")
    page.wait_for_selector("text=Read the report")
    check_page(page)
    keep(page, "app-audit")
    keys.skip()
    with page.context.expect_page() as opened:
        keys.press("Read the report (opens in a new tab)")
    report = opened.value
    report.wait_for_selector("h1")
    assert report.locator("svg.chart").count() > 5
    report.close()
    with page.expect_download() as downloaded:
        keys.press("settings.toml")
    assert "Card No" in Path(downloaded.value.path()).read_text(encoding="utf-8")


def test_5_a_protection_is_measured_chosen_and_written(page, app, keys) -> None:
    keys.press("Try protections", back=True)
    page.wait_for_url("**/protect?*")
    keys.tab_to("slide-top-locations-n")
    before = page.input_value("#values-top-locations-n")
    page.keyboard.press("ArrowLeft")
    assert int(page.input_value("#values-top-locations-n")) < int(before)
    keys.write("values-top-locations-n", "3,6")
    keys.press("Measure top-locations with this n")
    page.wait_for_selector("label:has-text('Only the 3 most visited')")
    check_page(page)
    wait(page)
    page.wait_for_selector("label:has-text('Only the 6 most visited')")
    assert page.input_value("#values-top-locations-n") != ""
    check_page(page)
    keep(page, "app-protect", height=1850)
    page.goto(page.url)
    label = page.locator("label:has-text('Only the 6 most visited')").inner_text()
    # A group of radio buttons is one stop; arrows move in it.
    first = page.locator("[name=chain]").first.evaluate("e => e.labels[0].textContent.trim()")
    keys.press(first, "Space")
    while label not in keys.names:
        page.keyboard.press("ArrowDown")
    keys.press("Write the release")
    page.wait_for_selector("text=Audit this release")
    assert sorted(os.listdir(app.folder / "release-taps")) == ["events.parquet", "release.json"]
    reported = json.loads((app.folder / "release-taps" / "release.json").read_text())
    assert reported["risk"]["attack"] == "histogram"
    assert (app.folder / "keys-taps.csv").stat().st_mode & 0o077 == 0
    check_page(page)


def test_6_the_release_is_audited_and_compared(page, app, keys) -> None:
    page.goto(page.url)
    keys.press("Audit this release, release-taps")
    page.wait_for_url("**/drafts/*")
    wait(page)
    keys.press("Go on to the questions")
    page.wait_for_url("**/questions")
    ask_quickly(page, keys, "0.1s")
    keys.press("Start the audit")
    page.wait_for_selector("text=Read the report")
    page.goto(app.home)
    keys.press("Compare audit-release-taps", "Space")
    keys.press("Compare audit-taps", "Space")
    keys.press("Compare those ticked")
    page.wait_for_url("**/compare?*")
    check_page(page)
    keys.tab_to(page.locator("[name=reference]:checked").get_attribute("id"))
    while keys.names[3] != "audit-taps":
        page.keyboard.press("ArrowDown")
    keys.write("keys", "keys-taps.csv")
    keys.press("Compare")
    page.wait_for_selector("text=Read the comparison")
    said = page.inner_text(".lead")
    assert said.index("audit-release-taps") < said.index("in audit-taps")
    check_page(page)
    keep(page, "app-comparison")


def test_7_the_command_that_is_shown_gives_the_same(page, app, run, monkeypatch) -> None:
    """Copied into a shell, and from the settings that were downloaded."""
    page.goto(f"{app.home}audit?at=audit-taps")
    shown = shlex.split(page.inner_text(".command code"))
    before = json.loads((app.folder / "audit-taps" / "result.json").read_text())
    monkeypatch.chdir(app.folder)
    for words in (shown[1:], ["audit", "--settings", "audit-taps/settings.toml"]):
        again = run(*words, "--json").json
        # What fits into five seconds beside the attack depends on the machine.
        for name in ("people", "share", "interval", "attack"):
            assert again["headline"][name] == before["headline"][name]


def test_8_nothing_was_complained_about_and_nothing_fetched_from_elsewhere(page, app) -> None:
    assert page.complaints == []
    assert {url for url in page.foreign if not url.startswith((app.home, "data:"))} == set()


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
    page.goto(f"{app.home}protect?at=audit-2023")
    page.locator("#slide-microaggregate-k").press("ArrowRight")
    page.get_by_role("button", name="Measure microaggregate").click()
    # That audit's settings are not there: the sentence says so, and the focus is on it.
    assert "--settings must name a file" in page.inner_text("#problem")
    context.close()


def test_another_browser_without_the_token_sees_nothing(browser, app) -> None:
    context = browser.new_context()
    page = context.new_page()
    answer = page.goto(app.home)
    assert answer.status == 403
    assert "taps" not in page.content()
    context.close()


def test_pages_that_refuse_are_as_readable_as_others(browser, app) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(app.address)
    for path, status in {
        "nothing": 404,
        "audit?at=nothing": 404,
        "protect?at=nothing": 404,
    }.items():
        assert page.goto(f"{app.home}{path}").status == status
        check_page(page)
    context.close()
